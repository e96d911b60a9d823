//! The constraints of calls: their arguments and results.

use super::body::{Inference, literal_kind};
use crate::model::*;
use crate::source_scope::{Surroundings, written_type};
use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

impl Inference<'_> {
    pub(super) fn infer_call_of_local(&mut self, called: LocalId, args: &[Expr], span: Span) -> Type {
        let Local { name, ty, .. } = self.function.local(called);
        match self.table.resolve(ty) {
            Type::Function(ty) => {
                for (arg, input) in args.iter().zip(&ty.inputs) {
                    self.infer_as(arg, input);
                }
                return ty.output;
            }
            Type::Refused => {}
            _ => self.errors.push_invalid(span, format!("`{name}` is a variable, not a function\nhelp: write `{name} * …` for a product; only closures and functions can be called, and a variable with a function is one without `mut`, `let f = double;`")),
        }
        self.infer_arguments(args);
        Type::Refused
    }

    /// Arguments of a device function, whose parameters only rustc sees.
    pub(super) fn infer_arguments(&mut self, args: &[Expr]) {
        for arg in args {
            let ty = self.infer_expr(arg);
            // A tuple is passed whole, so its literals must be written with their types.
            ty.components().iter().for_each(|component| self.table.mark_opaque(component));
            let value = if let ExprKind::Borrow { operand, .. } = &arg.kind { operand } else { arg };
            if is_literal(value) {
                self.table.mark_exact(&ty);
            }
        }
    }

    /// Literals in tuples, which C++ does not convert, have the types that a device function next to this one is written with. (They are
    /// stamped into the twin, where rustc checks them.)
    pub(super) fn infer_literals_in_tuples(&mut self, path: &syn::Path, args: &[Expr]) {
        let literals = |arg: &Expr| match &arg.kind {
            ExprKind::Tuple(elements) => elements.iter().any(is_literal),
            _ => false,
        };
        let function = self.function;
        let (true, Some(name)) = (args.iter().any(literals), path.get_ident()) else { return };
        let around = self.surroundings.get_or_insert_with(|| Surroundings::of(&function.name));
        let Some(types) = around.parameters_of_device_function(&name.unraw().to_string()) else { return };
        for (arg, ty) in args.iter().zip(&types) {
            let (ExprKind::Tuple(elements), syn::Type::Tuple(types)) = (&arg.kind, ty) else { continue };
            for (element, ty) in elements.iter().zip(&types.elems).filter(|(element, _)| is_literal(element)) {
                if let Some(ty) = written_type(ty, element.span) {
                    self.infer_as(element, &ty);
                }
            }
        }
    }

    pub(super) fn infer_builtin(&mut self, builtin: Builtin, args: &[Expr]) -> Type {
        let same = if builtin.is_generic() { self.table.fresh() } else { Type::Unit };
        for (arg, param) in args.iter().zip(builtin.params) {
            self.infer_as(arg, &builtin_type(*param, &same));
        }
        builtin_type(builtin.result, &same)
    }

    pub(super) fn infer_atomic(&mut self, method: AtomicMethod, place: &Expr, args: &[Expr], answer: &AtomicAnswer) -> Type {
        let place_type = self.infer_expr(place);
        let value = match self.table.resolve(&place_type) {
            Type::Atomic(value) => value.value_type(&self.function.runtime),
            Type::Refused => Type::Refused,
            other => {
                let atomic = other.as_scalar().unwrap_or(Scalar::U32).atomic_name();
                self.errors.push_invalid(
                    place.span,
                    format!(
                        "`{}` is a method of atomics, but this value is not an atomic\nhelp: declare the slice as `&[{atomic}]`",
                        method.name
                    ),
                );
                Type::Refused
            }
        };
        for arg in args {
            self.infer_as(arg, &value);
        }
        match (answer, method.result) {
            (AtomicAnswer::Whole, AtomicResult::Outcome) => Type::result(value.clone(), value),
            (AtomicAnswer::IsOk(_) | AtomicAnswer::IsErr(_), _) => Type::BOOL,
            (AtomicAnswer::Whole, AtomicResult::Nothing) => Type::Unit,
            (AtomicAnswer::Whole, _) => value,
        }
    }

    /// Refuses operations that atomics of the type do not have. rustc says so too, but proposes another.
    pub(super) fn check_atomic_method(&mut self, place: &Type, name: &Ident) {
        let Type::Atomic(value) = self.table.resolve(place) else { return };
        let is_of_bits = ["fetch_and", "fetch_or", "fetch_xor", "fetch_nand"].iter().any(|known| name == known);
        let is_of_numbers = ["fetch_add", "fetch_sub", "fetch_min", "fetch_max"].iter().any(|known| name == known);
        let help = match value {
            AtomicValue::Scalar(Scalar::Bool) if is_of_numbers => "it has `fetch_and`, `fetch_or` and `fetch_xor`",
            AtomicValue::Scalar(scalar) if is_of_bits && scalar.is_float() => "it has `fetch_add`, `fetch_min` and `fetch_max`",
            AtomicValue::F16 | AtomicValue::Bf16 if is_of_bits => "it has `fetch_add`",
            _ => return,
        };
        self.errors.push_invalid(name.span(), format!("`{}` has no `{name}`\nhelp: {help}", value.atomic_name()));
    }

    pub(super) fn infer_method(&mut self, expr: &Expr, method: Method, name: &Ident, receiver: &Expr, args: &[Expr]) -> Type {
        let receiver_type = if method.receiver == Receiver::Array { self.infer_array(receiver) } else { self.infer_expr(receiver) };
        if self.is_abstract(&receiver_type) {
            self.infer_arguments(args);
            return self.table.resolve(&receiver_type).part(Part::Output(MethodCall::of_values(name, args.len())));
        }
        if self.is_refused_of_dual(&receiver_type, name) {
            self.infer_arguments(args);
            return Type::Refused;
        }
        for (arg, operand) in args.iter().zip(method.args) {
            let ty = self.operand_type(*operand, &receiver_type);
            self.infer_as(arg, &ty);
        }
        match (method.result, self.table.resolve(&receiver_type)) {
            (Operand::Unsigned | Operand::Bytes, Type::Variable(_)) => {
                self.deferred.push((receiver_type, expr.ty.clone(), method.result));
                expr.ty.clone()
            }
            (operand, receiver) => self.operand_type(operand, &receiver),
        }
    }

    pub(super) fn operand_type(&mut self, operand: Operand, receiver: &Type) -> Type {
        match operand {
            Operand::Same => receiver.clone(),
            Operand::Bool => Type::BOOL,
            Operand::U32 => Type::U32,
            Operand::I32 => Type::I32,
            Operand::Usize => Type::USIZE,
            Operand::Bytes => match self.table.resolve(receiver) {
                Type::Scalar(scalar) => bytes_of(scalar),
                Type::Refused => Type::Refused,
                _ => self.table.fresh(),
            },
            Operand::Pair => Type::Tuple(vec![receiver.clone(); 2]),
            Operand::Checked => Type::option(receiver.clone()),
            Operand::Overflowing => Type::Tuple(vec![receiver.clone(), Type::BOOL]),
            Operand::WithExponent => Type::Tuple(vec![receiver.clone(), Type::I32]),
            Operand::Unsigned => match self.table.resolve(receiver) {
                Type::Scalar(Scalar::F32) => Type::U32,
                Type::Scalar(Scalar::F64) => Type::Scalar(Scalar::U64),
                Type::Scalar(scalar) => Type::Scalar(scalar.to_unsigned()),
                // Of a type that only rustc sees: what its `to_bits` returns.
                Type::Refused => Type::Refused,
                named @ Type::Named(_) => named.part(Part::Output(MethodCall::of_values(&Ident::new("to_bits", Span::call_site()), 0))),
                _ => self.table.fresh(),
            },
        }
    }
}

/// `[u8; N]`, the bytes of a number.
pub(super) fn bytes_of(scalar: Scalar) -> Type {
    Type::Array(Box::new(Type::Scalar(Scalar::U8)), Length::of_elements(scalar.bits() as usize / 8, Span::mixed_site()))
}

/// A literal without suffix, possibly negated.
pub(super) fn is_literal(expr: &Expr) -> bool {
    matches!(literal_kind(expr), ExprKind::Int(IntLiteral { suffix: None, .. }) | ExprKind::Float(FloatLiteral { suffix: None, .. }))
}

fn builtin_type(ty: BuiltinType, same: &Type) -> Type {
    match ty {
        BuiltinType::Unit => Type::Unit,
        BuiltinType::U32 => Type::U32,
        BuiltinType::U64 => Type::Scalar(Scalar::U64),
        BuiltinType::Usize => Type::USIZE,
        BuiltinType::Bool => Type::BOOL,
        BuiltinType::Same => same.clone(),
        BuiltinType::LanesAndBool => Type::Tuple(vec![Type::U32, Type::BOOL]),
    }
}
