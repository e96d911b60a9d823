//! Dynamic shared arrays: a launch must know their lengths.
//!
//! So a length is an expression of values that the host knows, and the host computes it like the kernel, operator by operator. If an
//! operator overflows, the launch returns an error. Otherwise, the length is the same on the host, in the kernel and in the natural
//! numbers.

use crate::check::walk::assigned_locals::changed_locals;
use crate::errors::Errors;
use crate::model::*;
use proc_macro2::Span;
use quote::ToTokens;
use std::collections::{HashMap, HashSet};

/// The dynamic shared arrays, of which those that no launch can lay out are reported.
pub(crate) fn check_dynamic_shared(function: &Function, errors: &Errors) -> Vec<DynamicArray> {
    let host = Host::new(function);
    let mut arrays = Vec::new();
    let mut declared = HashSet::new();
    for stmt in &function.body.stmts {
        let Stmt::Let(binding) = stmt else { continue };
        let (Some(_), Some(init)) = (binding.pattern.as_name(), &binding.init) else { continue };
        let ExprKind::Intrinsic { intrinsic: Intrinsic::DynamicShared(index), path, args } = &init.kind else { continue };
        declared.insert(*index);
        if let Type::Scalar(scalar) = args[0].ty
            && scalar != Scalar::Usize
        {
            errors.push_invalid(args[0].span, format!("a length must be a `usize`, not `{}`\nhelp: write `… as usize`", scalar.name()));
            continue;
        }
        match host.value(&args[0], Scalar::Usize) {
            Ok(length) => arrays.push(DynamicArray { element: element_tokens(path), length }),
            Err(Refusal::Unknown { span, message }) => errors.push(span, message),
            Err(Refusal::Reported) => {}
        }
    }
    function.body.for_each_child(&mut |expr| check_place(expr, &declared, errors));
    arrays
}

/// Between `<` and `>`.
fn element_tokens(path: &syn::Path) -> proc_macro2::TokenStream {
    match path.segments.last().map(|last| &last.arguments) {
        Some(syn::PathArguments::AngleBracketed(generics)) => generics.args.to_token_stream(),
        _ => unreachable!("`lower` has seen the type"),
    }
}

fn check_place(expr: &Expr, declared: &HashSet<usize>, errors: &Errors) {
    if let ExprKind::Intrinsic { intrinsic: Intrinsic::DynamicShared(index), .. } = &expr.kind
        && !declared.contains(index)
    {
        errors.push(
            expr.span,
            "dynamic shared memory must be declared at the top of the kernel, outside of any block\nhelp: write `let mut tile = dynamic_shared::<f32>(n);` there, as a separate statement; a length of 0 is allowed",
        );
    }
    expr.for_each_child(&mut |child| check_place(child, declared, errors));
}

/// The values that the host knows at a launch.
pub(crate) struct Host<'f> {
    function: &'f Function,
    assigned: HashSet<LocalId>,
    /// Variables that are never assigned, declared at the top of the kernel.
    values: HashMap<LocalId, &'f Expr>,
}

pub(crate) enum Refusal {
    Unknown {
        span: Span,
        message: String,
    },
    /// It was reported at its place.
    Reported,
}

impl Refusal {
    fn at(self, span: Span) -> Refusal {
        match self {
            Refusal::Unknown { message, .. } => Refusal::Unknown { span, message },
            Refusal::Reported => Refusal::Reported,
        }
    }
}

impl<'f> Host<'f> {
    pub(crate) fn new(function: &'f Function) -> Host<'f> {
        let assigned = changed_locals(function).assigned;
        let bindings = function.body.stmts.iter().filter_map(|stmt| match stmt {
            Stmt::Let(binding) => Some((binding.pattern.as_name()?, binding.init.as_ref()?)),
            Stmt::Expr(_) => None,
        });
        let values = bindings.filter(|(local, _)| !assigned.contains(local)).collect();
        Host { function, assigned, values }
    }

    /// The expression, of which rustc checks that it has this integer type, as one of the host's.
    pub(crate) fn value(&self, expr: &Expr, ty: Scalar) -> Result<HostValue, Refusal> {
        self.value_of_type(expr, Some(ty))
    }

    /// The same where the type may be unknown. An operator needs one: the same operator of another type computes something else.
    fn value_of_type(&self, expr: &Expr, expected: Option<Scalar>) -> Result<HostValue, Refusal> {
        let type_of_operands = |operands: [&Expr; 2]| {
            let known = operands.iter().find_map(|operand| operand.ty.as_scalar()).or(expected);
            known.filter(|scalar| scalar.is_integer()).ok_or_else(|| unknown_to_host(expr.span))
        };
        let is_integer = match &expr.ty {
            Type::Scalar(scalar) => scalar.is_integer(),
            ty => *ty == Type::Opaque,
        };
        let kind = match &expr.kind {
            _ if expr.ty == Type::Refused => return Err(Refusal::Reported),
            _ if !is_integer => return Err(unknown_to_host(expr.span)),
            ExprKind::Int(literal) => HostValueKind::Literal(literal.value, expr.ty.as_scalar()),
            ExprKind::Constant(path) => HostValueKind::Constant(path.clone()),
            ExprKind::Local(local) => return self.local(*local, expr.span, expected),
            ExprKind::Axis { base, axis, .. } => match self.intrinsic(base) {
                Some(Intrinsic::BlockDim) => HostValueKind::BlockDim(*axis),
                Some(Intrinsic::GridDim) => HostValueKind::GridDim(*axis),
                Some(_) => return Err(differs(expr.span)),
                None => return Err(unknown_to_host(expr.span)),
            },
            ExprKind::Field { base, name } => {
                HostValueKind::Param(self.member(base, Member::Name(name.clone())).ok_or_else(|| unknown_to_host(expr.span))?)
            }
            ExprKind::TupleField { base, index } => {
                HostValueKind::Param(self.member(base, Member::Position(*index, expr.span)).ok_or_else(|| unknown_to_host(expr.span))?)
            }
            ExprKind::Intrinsic { intrinsic: Intrinsic::Grid1d, .. } => return Err(differs(expr.span)),
            ExprKind::Extent { base, axis } => HostValueKind::Extent(self.array(base).ok_or_else(|| unknown_to_host(expr.span))?, *axis),
            ExprKind::Method { method: Method::Len, receiver, .. } => match receiver.ty.element() {
                Some((_, Some(length))) => HostValueKind::ArrayLength(length.clone()),
                _ => HostValueKind::Len(self.array(receiver).ok_or_else(|| unknown_to_host(expr.span))?),
            },
            ExprKind::Method { method, name, receiver, args, .. } if method.on_host => {
                let scalar = type_of_operands([receiver, expr])?;
                let operands = std::iter::once(&**receiver).chain(args).map(|operand| self.value(operand, scalar));
                HostValueKind::Method(*method, scalar, name.clone(), operands.collect::<Result<_, _>>()?)
            }
            ExprKind::Binary { op, left, right, .. } => {
                let op = HostOp::of(*op).ok_or_else(|| unknown_to_host(expr.span))?;
                let scalar = type_of_operands([left, right])?;
                HostValueKind::Binary(op, scalar, Box::new(self.value(left, scalar)?), Box::new(self.value(right, scalar)?))
            }
            ExprKind::Cast { operand, to } => HostValueKind::Cast(Box::new(self.value_of_type(operand, None)?), *to),
            _ => return Err(unknown_to_host(expr.span)),
        };
        Ok(HostValue { kind, span: expr.span })
    }

    fn local(&self, local: LocalId, span: Span, expected: Option<Scalar>) -> Result<HostValue, Refusal> {
        let Local { kind, name, .. } = self.function.local(local);
        if self.assigned.contains(&local) {
            let message = format!(
                "`{name}` is assigned in the kernel, so the launch cannot compute the length of this shared array\nhelp: use a variable that is not `mut`"
            );
            return Err(Refusal::Unknown { span, message });
        }
        match (kind, self.values.get(&local)) {
            (LocalKind::Param(index), _) => Ok(HostValue { kind: HostValueKind::Param(Passed::whole(*index)), span }),
            // Blamed where it is used: where it stands it is fine.
            (_, Some(value)) => self.value_of_type(value, expected).map_err(|refusal| refusal.at(span)),
            (_, None) => Err(unknown_to_host(span)),
        }
    }

    /// A member of `base`, if that is passed by the launch.
    fn member(&self, base: &Expr, member: Member) -> Option<Passed> {
        let base = match &base.kind {
            ExprKind::Local(local) if self.is_constant(*local) => Passed::whole(self.function.local(*local).param()?),
            ExprKind::Field { base, name } => self.member(base, Member::Name(name.clone()))?,
            ExprKind::TupleField { base, index } => self.member(base, Member::Position(*index, base.span))?,
            _ => return None,
        };
        Some(base.member(&member))
    }

    /// Whether the variable is never assigned after its declaration.
    pub(crate) fn is_constant(&self, local: LocalId) -> bool {
        !self.assigned.contains(&local)
    }

    /// What the variable, declared at the top of the kernel and never assigned, stands for.
    pub(crate) fn value_of(&self, local: LocalId) -> Option<&'f Expr> {
        self.values.get(&local).copied()
    }

    /// The function that gave these coordinates.
    pub(crate) fn intrinsic(&self, coordinates: &Expr) -> Option<Intrinsic> {
        match &coordinates.kind {
            ExprKind::Intrinsic { intrinsic, .. } => Some(*intrinsic),
            ExprKind::Local(local) => self.intrinsic(self.values.get(local)?),
            _ => None,
        }
    }

    /// The number of the parameter that this array is.
    fn array(&self, array: &Expr) -> Option<usize> {
        let ExprKind::Local(local) = array.kind else { return None };
        self.function.local(local).param()
    }
}

fn unknown_to_host(span: Span) -> Refusal {
    let message = "the launch cannot compute the length of this shared array, because it does not know this value\nhelp: compute the length with `+`, `-`, `*`, `/`, `%`, `min`, `max` and `div_ceil` from constants, integer parameters without `mut`, `x.len()` of slice parameters, `block_dim()` and `grid_dim()`";
    Refusal::Unknown { span, message: message.into() }
}

fn differs(span: Span) -> Refusal {
    let message = "this value can differ between threads or blocks, but a shared array has one length in the whole launch\nhelp: compute the length from constants, parameters, `x.len()`, `block_dim()` and `grid_dim()`";
    Refusal::Unknown { span, message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::kernel_with;

    fn is_accepted(length: &str) -> bool {
        let errors = Errors::new();
        let source = format!("fn k(n: usize, m: u32, out: &mut [f32]) {{ let own = dynamic_shared::<f32>({length}); }}");
        let arrays = check_dynamic_shared(&kernel_with("", &source), &errors);
        errors.check().is_ok() && arrays.len() == 1
    }

    #[test]
    fn an_operator_of_a_length_has_operands_of_a_known_integer_type() {
        for length in [
            "n * 2 + out.len()",
            "sizes::SIDE",
            "sizes::SIDE * sizes::SIDE",
            "n * sizes::SIDE",
            "sizes::SIDE as usize * 4",
            "(m * sizes::SIDE) as usize",
            "sizes::SIDE.min(n)",
        ] {
            assert!(is_accepted(length), "{length}");
        }
        // A trait of the user's may give `f32` a `checked_mul`, or a `saturating_sub`.
        for length in [
            "(sizes::SIDE * sizes::SIDE) as usize",
            "n + (sizes::SIDE - sizes::EDGE) as usize",
            "sizes::SIDE.saturating_sub(sizes::EDGE) as usize",
            "sizes::SIDE.div_ceil(sizes::EDGE) as usize",
        ] {
            assert!(!is_accepted(length), "{length}");
        }
    }
}
