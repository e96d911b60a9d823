//! Whether floats decide anything but floats.
//!
//! C++ gives a race no meaning, but what LLVM makes of it is a value that is not determined. Used as a condition or an index, it may be a
//! different one at each use. In arithmetic of floats it is a wrong number, as the race is. So where no condition and no index of a kernel can
//! depend on a float, an array of floats needs no volatile accesses, which would keep the compiler from loading several elements at once.

use crate::model::*;

/// Whether the elements of `array` are floats.
pub(crate) fn holds_floats(array: &Type) -> bool {
    match array {
        Type::Shared(element) | Type::Array(element, _) => holds_floats(element),
        Type::Slice { element, .. } => holds_floats(element),
        other => is_float(other),
    }
}

/// Whether nothing that is not a float, in any part of the function, depends on a float.
pub(crate) fn floats_decide_nothing(function: &Function) -> bool {
    !is_decided_by_float(Node::Block(&function.body))
}

fn is_decided_by_float(node: Inside<'_>) -> bool {
    let mut inner = false;
    let mut visit = |part: Inside<'_>| inner = inner || is_decided_by_float(part);
    match node {
        Node::Block(block) => block.for_each_inside(&mut visit),
        Node::Expr(expr) => {
            expr.for_each_inside(&mut visit);
            inner = inner || expr_is_decided(expr);
        }
        Node::Pattern(pattern) => {
            pattern.for_each_inside(&mut visit);
            inner = inner || matches!(pattern.kind, PatternKind::Value(_) | PatternKind::Range { .. }) && may_be_float(&pattern.ty);
        }
        Node::Type(_) => {}
    }
    inner
}

/// Whether `expr` computes something else from a float, or passes it to what may do so. Only a few operations are known not to.
fn expr_is_decided(expr: &Expr) -> bool {
    let decides = |operands: &[&Expr]| {
        let is_float_arithmetic = is_float(&expr.ty) && operands.iter().all(|operand| is_float(&operand.ty));
        !is_float_arithmetic && operands.iter().any(|operand| may_be_float(&operand.ty))
    };
    match &expr.kind {
        ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => decides(&[operand]),
        ExprKind::Binary { left, right, .. } => decides(&[left, right]),
        ExprKind::CompoundAssign { place, value, .. } => {
            (may_be_float(&place.ty) || may_be_float(&value.ty)) && !(is_float(&place.ty) && is_float(&value.ty))
        }
        ExprKind::Method { method: Method::MulAdd, receiver, args, .. } => decides(&[receiver, &args[0], &args[1]]),
        ExprKind::Method { method, receiver, args, .. } => {
            *method != Method::Len && std::iter::once(&**receiver).chain(args).any(|operand| may_be_float(&operand.ty))
        }
        ExprKind::Convert { operand, .. } => may_be_float(&operand.ty),
        ExprKind::Atomic { args, .. } | ExprKind::Intrinsic { args, .. } => args.iter().any(|arg| may_be_float(&arg.ty)),
        ExprKind::Closure(_) | ExprKind::FunctionItem { .. } | ExprKind::Borrow { .. } => true,
        _ => match expr.action() {
            Action::Call { .. } | Action::Tile | Action::Assembly => true,
            // They hand values on, or choose by what a part of them has computed.
            Action::Compute { .. }
            | Action::Access
            | Action::Assign(_)
            | Action::CompoundAssign { .. }
            | Action::BorrowMut(_)
            | Action::Atomic
            | Action::Intrinsic(_)
            | Action::Branch
            | Action::Loop
            | Action::Jump
            | Action::Panic => false,
        },
    }
}

/// Whether a value of the type is, or may have, a float.
fn may_be_float(ty: &Type) -> bool {
    ty.as_scalar().is_none_or(Scalar::is_float)
}

fn is_float(ty: &Type) -> bool {
    ty.as_scalar().is_some_and(Scalar::is_float)
}
