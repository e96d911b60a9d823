//! Operations that not every argument of a type parameter supports.
//!
//! rustc would report them too, but in terms of the twin, where operators are calls.

use crate::errors::Errors;
use crate::model::*;

/// Reports operators, methods, casts and ranges that the bound of a type parameter does not promise.
pub(crate) fn check_generics(function: &Function, errors: &Errors) {
    function.body.for_each_child(&mut |expr| check_expr(function, expr, errors));
}

fn check_expr(function: &Function, expr: &Expr, errors: &Errors) {
    match &expr.kind {
        ExprKind::Unary { op, operand } => {
            let (symbol, bound) = if *op == UnaryOp::Negate { ("-", Receiver::SignedNumber) } else { ("!", Receiver::Integer) };
            check_operator(symbol, bound, operand, expr, errors);
        }
        ExprKind::Binary { op, left, .. } | ExprKind::CompoundAssign { op, place: left, .. } if of_integers(*op) => {
            check_operator(op.symbol(), Receiver::Integer, left, expr, errors);
        }
        ExprKind::Method { method, name, receiver, .. } => check_method(*method, name, receiver, errors),
        ExprKind::Cast { operand, to } if matches!(operand.ty, Type::Parameter(_)) => {
            errors.push_invalid(expr.span, format!("`as` cannot convert from a type parameter\nhelp: write `.cast::<{}>()`", to.name()));
        }
        ExprKind::For { counter, range: Range::Bounds { start, .. }, .. } => {
            if let Type::Parameter(TypeParam { name, .. }) = &function.local(*counter).ty {
                errors.push_invalid(
                    start.span,
                    format!(
                        "a loop over a range of `{name}` is not supported\nhelp: loop over `usize` or `i32`, and convert: `{name}::from_i32(i)`"
                    ),
                );
            }
        }
        _ => {}
    }
    expr.for_each_child(&mut |child| check_expr(function, child, errors));
}

fn of_integers(op: BinaryOp) -> bool {
    op.is_shift() || matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor)
}

/// The bound of the type parameter of `expr`, if it does not guarantee `receiver`.
fn lacking(expr: &Expr, receiver: Receiver) -> Option<Class> {
    match &expr.ty {
        Type::Parameter(TypeParam { class: Some(class), .. }) if !class.has(receiver) => Some(*class),
        _ => None,
    }
}

fn check_operator(symbol: &str, receiver: Receiver, operand: &Expr, expr: &Expr, errors: &Errors) {
    if let Some(class) = lacking(operand, receiver) {
        let (class, help) = (class.name(), help(receiver));
        errors.push_invalid(expr.span, format!("the operator `{symbol}` is not available for every `{class}`\nhelp: {help}"));
    }
}

fn check_method(method: Method, name: &proc_macro2::Ident, receiver: &Expr, errors: &Errors) {
    let class = match &receiver.ty {
        // Its result would be of a type that depends on the parameter.
        Type::Parameter(TypeParam { class, .. }) if method.result == Operand::Unsigned => *class,
        _ => lacking(receiver, method.receiver),
    };
    if let Some(class) = class {
        let needed = if method.result == Operand::Unsigned { Receiver::Unsigned } else { method.receiver };
        errors.push_invalid(name.span(), format!("`{name}` is not available for every `{}`\nhelp: {}", class.name(), help(needed)));
    }
}

fn help(receiver: Receiver) -> &'static str {
    match receiver {
        Receiver::Float => "declare the type parameter with the bound `Float`",
        Receiver::Integer => "declare the type parameter with the bound `Integer`",
        Receiver::SignedNumber => "declare the type parameter with the bound `Signed`",
        Receiver::Unsigned | Receiver::Signed | Receiver::Number | Receiver::Array => {
            "cast to a type that has it first, such as `x.cast::<u32>()`"
        }
    }
}
