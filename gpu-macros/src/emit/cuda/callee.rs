//! The types that a call passes to a generic callee, from which rustc selects the instance.
//!
//! The macro knows most types. A type that it does not know is usually the result of another device function; then that call is written in
//! place of its type, and rustc infers it.

use super::Emitter;
use super::expr::is_array_value;
use super::operators::is_followed_literal;
use crate::emit::{AssociatedCallee, AssociatedFunction, Callee, Known, KnownUse, Operands, OperatorCallee};
use crate::model::*;
use proc_macro2::Literal;
use quote::{ToTokens, quote};

impl Emitter<'_> {
    /// The callee of `path(args)`, a call of type `output`.
    pub(super) fn callee(&self, path: &syn::Path, explicit: &[GenericArgument], args: &[Expr], output: &Type) -> Callee {
        Callee {
            path: path.clone(),
            explicit: explicit.iter().map(explicit_argument).collect(),
            output: known(output),
            args: args.iter().map(|arg| self.known(arg)).collect(),
            by_name: false,
        }
    }

    /// The known part of the type of `expr`; for a slice, a view or a reference to an array, of its elements.
    pub(super) fn known(&self, expr: &Expr) -> Known {
        if let Some((element, _)) = expr.ty.element().filter(|_| !is_array_value(expr)) {
            return lent(&expr.ty, element);
        }
        if let Some((element, _)) = expr.ty.view() {
            return known(element);
        }
        match &expr.kind {
            _ if expr.ty != Type::Opaque => known(&expr.ty),
            ExprKind::Call { path, explicit, args, .. } => Known::OutputOf(Box::new(self.callee(path, explicit, args, &expr.ty))),
            ExprKind::Associated { path, receiver, name, args } => {
                Known::Returned(Box::new(self.associated_callee(expr, path.as_ref(), receiver.as_deref(), name, args)))
            }
            ExprKind::Field { base, name } => self.known_part(base, Part::Field(name.clone())),
            ExprKind::TupleField { base, index } => self.known_part(base, Part::Position(*index)),
            ExprKind::Local(local) => self.origins.get(local).cloned().unwrap_or(Known::Nothing),
            ExprKind::Unary { operand, .. } | ExprKind::Borrow { operand, .. } => self.known(operand),
            ExprKind::Binary { op, left, right, .. } if !op.is_comparison() => match self.known(left) {
                Known::Nothing if !op.is_shift() => self.known(right),
                known => known,
            },
            // Any other expression has a known type, or one that only rustc finds.
            _ => Known::Nothing,
        }
    }

    /// The function of `left op right`, if an operand is of a type that may have its own operators and is known.
    pub(super) fn operator_callee(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<OperatorCallee> {
        let name = op.overloaded(left, right)?;
        // Two literals are numbers, of the type that their operation has.
        if is_followed_literal(left) && is_followed_literal(right) {
            return None;
        }
        match (self.known_operand(left), self.known_operand(right)) {
            (Known::Nothing, _) | (_, Known::Nothing) => None,
            operands => Some(OperatorCallee {
                op: name,
                by_reference: [left.by_reference, right.by_reference],
                operands: Operands::Two(Box::new(operands)),
            }),
        }
    }

    /// The user's comparison of `left op right`, if the operands are of types that may have their own.
    pub(super) fn comparison_callee(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<OperatorCallee> {
        let name = op.own_comparison(left, right)?;
        match (self.known_operand(left), self.known_operand(right)) {
            (Known::Nothing, _) | (_, Known::Nothing) => None,
            operands => Some(OperatorCallee { op: name, by_reference: [false; 2], operands: Operands::Two(Box::new(operands)) }),
        }
    }

    /// The function of `op operand`.
    pub(super) fn unary_callee(&self, op: UnaryOp, operand: &Expr) -> Option<OperatorCallee> {
        let name = op.overloaded(operand)?;
        match self.known_operand(operand) {
            Known::Nothing => None,
            // A literal is a number. A constant may be a struct.
            Known::Expression(_) if !matches!(operand.kind, ExprKind::Constant(_)) => None,
            known => Some(OperatorCallee { op: name, by_reference: [operand.by_reference, false], operands: Operands::One(known) }),
        }
    }

    /// A literal or a constant next to a value of another type may have a type of its own, which rustc finds.
    fn known_operand(&self, operand: &Expr) -> Known {
        match &operand.kind {
            ExprKind::Int(literal) if !operand.ty.is_scalar() => {
                Known::Expression(Literal::u128_unsuffixed(literal.value).into_token_stream())
            }
            ExprKind::Float(literal) if !operand.ty.is_scalar() => {
                literal.digits_with_fraction().parse().map_or(Known::Nothing, Known::Expression)
            }
            ExprKind::Unary { op: UnaryOp::Negate, operand: inner } if operand.is_constant_operand() && !operand.ty.is_scalar() => {
                match self.known_operand(inner) {
                    Known::Expression(value) if inner.by_reference => Known::Expression(quote!(-&#value)),
                    Known::Expression(value) => Known::Expression(quote!(-#value)),
                    other => other,
                }
            }
            ExprKind::Constant(path) if !(operand.ty.is_followed() && enum_of_variant(path).is_some()) => {
                Known::Expression(path.to_token_stream())
            }
            _ => self.known(operand),
        }
    }

    fn known_part(&self, base: &Expr, part: Part) -> Known {
        match self.known(base) {
            Known::Nothing => Known::Nothing,
            base => Known::Part(Box::new(base), part),
        }
    }

    /// The callee of `receiver.name(args)` or `path(args)`. What a method takes, its signature tells; what a path stands for may follow
    /// from the arguments.
    pub(super) fn associated_callee(
        &self,
        expr: &Expr,
        path: Option<&FunctionPath>,
        receiver: Option<&Expr>,
        name: &proc_macro2::Ident,
        args: &[Expr],
    ) -> AssociatedCallee {
        match (path, receiver) {
            (None, Some(receiver)) => method_of(self.known(receiver), name, args.len()),
            (Some(path), _) => AssociatedCallee {
                function: AssociatedFunction::Path(path.clone()),
                args: args.iter().map(|arg| passed(&Argument::new(arg), || self.known(arg))).collect(),
                owner: path.leaves_open(&expr.ty).then(|| expr.ty.clone()),
            },
            (None, None) => unreachable!("a function has a receiver or a path"),
        }
    }

    /// Remembers where the type of the variable `id` comes from, if only its initialiser determines it.
    pub(super) fn remember_origin(&mut self, id: LocalId, init: &Expr) {
        if self.function.local(id).ty == Type::Opaque {
            let origin = self.known(init);
            self.origins.insert(id, origin);
        }
    }
}

/// The arguments between `::<` and `>`.
pub(super) fn explicit_argument(argument: &GenericArgument) -> Known {
    match argument {
        GenericArgument::Type(ty) => known(ty),
        GenericArgument::Const(argument) => Known::Const(argument.clone()),
    }
}

pub(super) fn method_of(receiver: Known, name: &proc_macro2::Ident, arity: usize) -> AssociatedCallee {
    AssociatedCallee { function: AssociatedFunction::Method(receiver, name.clone()), args: vec![Known::Nothing; arity], owner: None }
}

/// The known part of the type of an argument of a device function; for what it takes by reference, of the elements.
fn given(arg: &Argument) -> Known {
    elements_of_handle(arg).map_or_else(|| known(&arg.ty), |element| lent(&arg.ty, element))
}

/// The type of the elements, if the argument is not a copy of them.
fn elements_of_handle(arg: &Argument) -> Option<&Type> {
    let is_copy = arg.reference.is_none() && matches!(arg.ty, Type::Array(..));
    let of_slice = arg.ty.element().filter(|_| !is_copy).map(|(element, _)| element);
    of_slice.or(arg.ty.view().map(|(element, _)| element))
}

/// The known part of the type of an argument of a call by path.
fn passed(arg: &Argument, known: impl FnOnce() -> Known) -> Known {
    if elements_of_handle(arg).is_some() {
        return Known::Nothing;
    }
    match (known(), arg.reference) {
        (Known::Nothing, _) => Known::Nothing,
        (value, Some(mutable)) => Known::Reference(Box::new(value), mutable),
        (value, None) => value,
    }
}

/// The call whose result has the type `ty`.
pub(super) fn call_of_type(ty: &Type) -> Option<AssociatedCallee> {
    match ty {
        Type::Part(receiver, Part::Output(call)) => Some(method_of(known(receiver), &call.name, call.arity)),
        Type::Returned(call) => Some(AssociatedCallee {
            function: AssociatedFunction::Path(call.path.clone()),
            args: call.args.iter().map(|arg| passed(arg, || known(&arg.ty))).collect(),
            owner: None,
        }),
        _ => None,
    }
}

/// The known part of a reference to an array of type `ty`, or of a slice of these elements.
fn lent(ty: &Type, element: &Type) -> Known {
    match (ty, known(ty)) {
        (Type::Array(..), Known::Type(array)) => Known::Lent(array),
        _ => known(element),
    }
}

pub(super) fn known(ty: &Type) -> Known {
    if let Some(call) = call_of_type(ty) {
        return Known::Returned(Box::new(call));
    }
    match ty {
        Type::Scalar(_) | Type::Parameter(_) | Type::Named(_) => Known::Type(ty.clone()),
        Type::Array(element, _) => match known(element) {
            Known::Type(_) => Known::Type(ty.clone()),
            _ => Known::Nothing,
        },
        Type::Std(_, arguments) | Type::Tuple(arguments) => {
            match arguments.iter().all(|argument| matches!(known(argument), Known::Type(_))) {
                true => Known::Type(ty.clone()),
                false => Known::Nothing,
            }
        }
        Type::Operation(operation) => {
            let Operation { op, left, right, by_reference } = &**operation;
            let op = op.trait_name().expect("an operation can be overloaded");
            let operands = Operands::Two(Box::new((known(left), known(right))));
            Known::Operation(Box::new(OperatorCallee { op, by_reference: *by_reference, operands }))
        }
        Type::Table(constant) | Type::Constant(constant) => Known::Expression(constant.path.to_token_stream()),
        Type::Called(call) => Known::OutputOf(Box::new(Callee {
            path: call.path.clone(),
            explicit: call.explicit.iter().map(explicit_argument).collect(),
            output: Known::Nothing,
            args: call.args.iter().map(given).collect(),
            by_name: false,
        })),
        Type::Part(others, Part::Literal { is_float, uses }) => {
            let Type::Tuple(others) = &**others else { unreachable!("the other operands are a tuple") };
            Known::Literal(*is_float, uses.iter().zip(others).filter_map(|(usage, other)| known_use(usage, known(other))).collect())
        }
        Type::Part(base, part) => match known(base) {
            Known::Nothing => Known::Nothing,
            base => Known::Part(Box::new(base), part.clone()),
        },
        // Rust has no name for them that the macro can write.
        Type::Unit
        | Type::Never
        | Type::Slice { .. }
        | Type::View { .. }
        | Type::Shared(_)
        | Type::Atomic(_)
        | Type::Tile(_)
        | Type::Function(_)
        | Type::Dim3
        | Type::Returned(_)
        | Type::Opaque
        | Type::Refused
        | Type::Variable(_) => Known::Nothing,
    }
}

/// The operator whose operands are a literal, which is [a variable](KnownUse::literal), and a value of a known type.
fn known_use(usage: &LiteralUse, other: Known) -> Option<KnownUse> {
    if let Known::Nothing = other {
        return None;
    }
    let literal = Known::Expression(KnownUse::literal().into_token_stream());
    let operands = if usage.is_right { (other, literal) } else { (literal, other) };
    let op = usage.op.trait_name().expect("the operator can be overloaded");
    let callee = OperatorCallee { op, by_reference: usage.by_reference, operands: Operands::Two(Box::new(operands)) };
    Some(KnownUse { callee, assigns: usage.assigns })
}
