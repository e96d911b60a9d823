//! Which values are numbers of std, though only rustc knows of what type.
//!
//! Nothing is known of an operator of any type: safe code can write it by hand, and compute anything there. But the type of a constant beside
//! a literal is that of a literal, which the twin makes rustc assert, and operators make numbers of numbers. These are functions of their operands,
//! so as many threads agree on the result.

use crate::idents::text_of;
use crate::model::*;

/// Whether `expr` in `function` is a number or `bool`.
pub(super) fn is_number(expr: &Expr, function: &Function) -> bool {
    match &expr.kind {
        _ if expr.ty.is_scalar() => true,
        ExprKind::Int(_) | ExprKind::Float(_) => true,
        ExprKind::Constant(path) => {
            let path = text_of(path);
            let is_of_its_type = |expr: &Expr| {
                let is_literal = matches!(expr.kind, ExprKind::Int(_) | ExprKind::Float(_));
                is_literal && matches!(&expr.ty, Type::Constant(constant) if text_of(&constant.path) == path)
            };
            function.body.any(&is_of_its_type)
        }
        // A variable has the type of its first value.
        ExprKind::Local(local) => function.body.initial_value(*local).is_some_and(|value| is_number(value, function)),
        ExprKind::Unary { operand, .. } => is_number(operand, function),
        ExprKind::Binary { left, right, .. } => is_number(left, function) && is_number(right, function),
        _ => false,
    }
}
