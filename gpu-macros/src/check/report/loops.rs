//! Why the compiler may leave a loop as it is, in words.

use super::findings::line;
use crate::model::*;

/// The line of each loop, and why it may not be unrolled.
pub(crate) fn describe_loops(function: &Function) -> Vec<(usize, &'static str)> {
    let mut loops = Vec::new();
    function.body.for_each_child(&mut |expr| collect(function, expr, &mut loops));
    loops
}

fn collect(function: &Function, expr: &Expr, loops: &mut Vec<(usize, &'static str)>) {
    let found = match &expr.kind {
        ExprKind::For { label, range, .. } => Some((label, number_of_iterations(range))),
        ExprKind::While { label, .. } | ExprKind::Loop { label, .. } => Some((label, "no counter tells the number of iterations")),
        _ => None,
    };
    if let Some((label, reason)) = found {
        let asked = function.labels[label.0].unroll.as_ref().map(|unroll| match unroll {
            Unroll::Fully => "the compiler did not do what `#[unroll]` asks for",
            Unroll::Times(_) => "`#[unroll(…)]` says how often its body is there",
        });
        loops.push((line(expr.span), asked.unwrap_or(reason)));
    }
    expr.for_each_child(&mut |child| collect(function, child, loops));
}

fn number_of_iterations(range: &Range) -> &'static str {
    match range {
        Range::Bounds { start, end, .. } if is_constant(start) && is_constant(end) => {
            "the number of iterations is constant: `#[unroll]` makes a copy of the body for each"
        }
        _ => "the number of iterations is not constant",
    }
}

fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Constant(_) => true,
        ExprKind::Method { method: Method::Len, receiver, .. } => matches!(receiver.ty, Type::Array(..) | Type::Shared(_)),
        ExprKind::Binary { .. } | ExprKind::Cast { .. } | ExprKind::Method { .. } => {
            let mut all = true;
            expr.for_each_child(&mut |child| all = all && is_constant(child));
            all
        }
        _ => false,
    }
}
