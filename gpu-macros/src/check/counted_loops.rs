//! `while` loops that count are `for` loops: one form for all that treats loops with a counter.
//!
//! ```text
//! while i < end { …; i += 1; }      for k in i..end { … with k for i …; i = k + 1; }
//! ```
//!
//! At each point of the body, `i` is `k`, also where a `break`, a `return` or a jump to a loop around this one leaves it: an iteration starts with
//! what the one before has assigned, and nothing else in the body changes `i`. A `continue` would leave out the last step. `k + 1` is at most the
//! end, so it does not overflow. The condition is evaluated once if the body can change nothing of it, and at least once by either loop.
//!
//! The twin has the loop as it is written: the [counter](LocalKind::Round) has the name of the variable there.

use super::walk::assigned_locals::assigned_in;
use crate::model::*;
use crate::vec_map::VecSet;

/// Gives the loops of `function` that count this form.
pub(crate) fn count_while_loops(function: &mut Function) {
    let empty = Block { stmts: Vec::new(), value: None, is_unsafe: false, span: function.body.span };
    let mut body = std::mem::replace(&mut function.body, empty);
    InsideMut::Block(&mut body).for_each_expr(&mut |expr| visit(expr, function));
    function.body = body;
}

/// The inner loops first.
fn visit(expr: &mut Expr, function: &mut Function) {
    expr.for_each_inside_mut(&mut |inside| inside.for_each_expr(&mut |expr| visit(expr, function)));
    if let Some(variable) = counted_variable(expr, function) {
        count(expr, variable, function);
    }
}

/// The variable that the loop counts up to an end that stays the same.
fn counted_variable(expr: &Expr, function: &Function) -> Option<LocalId> {
    let ExprKind::While { label, condition, body } = &expr.kind else { return None };
    let (variable, end) = comparison(condition)?;
    let local = function.local(variable);
    let is_number = local.ty.as_scalar().is_some_and(Scalar::is_integer) && local.holds == Holds::Value && local.kind != LocalKind::Round;
    let (step, rest) = match &body.value {
        Some(value) => (&**value, &body.stmts[..]),
        None => match body.stmts.split_last()? {
            (Stmt::Expr(step), rest) => (&**step, rest),
            (Stmt::Let(_), _) => return None,
        },
    };
    let is_counted = is_number && end.ty == local.ty && is_step(step, variable);
    let skips = |expr: &Expr| matches!(&expr.kind, ExprKind::Continue { label: of, .. } if of == label);
    if !is_counted || body.any(&skips) || rest.iter().any(|stmt| changes(stmt, variable, function)) {
        return None;
    }
    let changed = assigned_in(function, &[], Some(body));
    stays_the_same(end, function, &changed).then_some(variable)
}

/// `variable < end`
fn comparison(condition: &Expr) -> Option<(LocalId, &Expr)> {
    let ExprKind::Binary { op, left, right, site: None } = &condition.kind else { return None };
    let (low, high) = match op {
        BinaryOp::Less => (left, right),
        BinaryOp::Greater => (right, left),
        _ => return None,
    };
    match low.kind {
        ExprKind::Local(variable) => Some((variable, high)),
        _ => None,
    }
}

/// `variable += 1`, or `variable = variable + 1`.
fn is_step(step: &Expr, variable: LocalId) -> bool {
    let is_variable = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == variable);
    let is_one = |expr: &Expr| matches!(&expr.kind, ExprKind::Int(literal) if literal.value == 1);
    match &step.kind {
        ExprKind::CompoundAssign { op: BinaryOp::Add, place, value, site: None } => is_variable(place) && is_one(value),
        ExprKind::Assign { target: Target::Place(place), value } => {
            let sum = match &value.kind {
                ExprKind::Binary { op: BinaryOp::Add, left, right, site: None } => is_variable(left) && is_one(right),
                _ => false,
            };
            is_variable(place) && sum
        }
        _ => false,
    }
}

fn changes(stmt: &Stmt, variable: LocalId, function: &Function) -> bool {
    let changes = |part: &Expr| {
        let mut does = false;
        let mut is_target = |place: &Expr| does |= place.place().variable() == Some(variable);
        match part.action() {
            Action::Assign(target) => target.for_each_place(&mut is_target),
            Action::CompoundAssign { place, .. } | Action::BorrowMut(place) => is_target(place),
            Action::Call { receiver: Some(receiver), .. } => is_target(receiver),
            _ => {}
        }
        does
    };
    match stmt {
        Stmt::Expr(expr) => expr.any(&changes),
        Stmt::Let(local) => {
            let borrows = local.pattern.bindings().iter().any(|name| function.local(*name).holds == Holds::Mutable);
            let names = |expr: &Expr| expr.any(&|part| matches!(part.kind, ExprKind::Local(of) if of == variable));
            local.init.as_ref().is_some_and(|init| init.any(&changes) || (borrows && names(init)))
                || local.otherwise.as_ref().is_some_and(|otherwise| otherwise.any(&changes))
        }
    }
}

/// Whether `expr` is a number that is the same wherever the body is, and computing it once or often is the same: it cannot fail.
fn stays_the_same(expr: &Expr, function: &Function, changed: &VecSet<LocalId>) -> bool {
    let is_number = expr.ty.as_scalar().is_some();
    let stays = |local: LocalId| !changed.contains(&local);
    let parts_do = || {
        let mut all = true;
        expr.for_each_child(&mut |child| all = all && stays_the_same(child, function, changed));
        all
    };
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Constant(_) => is_number,
        ExprKind::Local(local) => {
            let declared = function.local(*local);
            let is_own = declared.holds == Holds::Value || declared.is_copied();
            is_number && is_own && declared.ty.as_scalar().is_some() && stays(*local)
        }
        ExprKind::Method { method: Method::Len, receiver, .. } => {
            let is_fixed =
                |local: LocalId| stays(local) && !function.local(local).mutable && matches!(function.local(local).ty, Type::Slice { .. });
            matches!(receiver.kind, ExprKind::Local(local) if is_fixed(local))
        }
        ExprKind::Method { method: Method::Min | Method::Max, site: None, .. }
        | ExprKind::Binary { site: None, .. }
        | ExprKind::Cast { .. } => is_number && parts_do(),
        _ => false,
    }
}

/// Gives the loop over `variable` its form.
fn count(expr: &mut Expr, variable: LocalId, function: &mut Function) {
    let ExprKind::While { label, condition, mut body } = std::mem::replace(&mut expr.kind, ExprKind::Refused) else { return };
    let ExprKind::Binary { op, left, right, .. } = condition.kind else { return };
    let (start, end) = if op == BinaryOp::Less { (left, right) } else { (right, left) };
    let Local { name, ty, .. } = function.local(variable);
    let counter =
        Local { name: name.clone(), mutable: false, mut_token: None, ty: ty.clone(), kind: LocalKind::Round, holds: Holds::Value };
    function.locals.push(counter);
    let counter = LocalId(function.locals.len() - 1);
    if let Some(step) = body.value.take() {
        body.stmts.push(Stmt::Expr(step));
    }
    InsideMut::Block(&mut body).for_each_expr(&mut |expr| rename(expr, variable, counter));
    if let Some(Stmt::Expr(step)) = body.stmts.last_mut() {
        set_step(step, variable);
    }
    let range = Range::Bounds { start, end, inclusive: false, adapters: Vec::new() };
    expr.kind = ExprKind::For { label, counter, range, body };
}

fn rename(expr: &mut Expr, variable: LocalId, counter: LocalId) {
    if let ExprKind::Local(local) = &mut expr.kind
        && *local == variable
    {
        *local = counter;
    }
    expr.for_each_inside_mut(&mut |inside| inside.for_each_expr(&mut |expr| rename(expr, variable, counter)));
}

/// `k += 1` or `k = k + 1` as `variable = k + 1`.
fn set_step(step: &mut Expr, variable: LocalId) {
    let (mut place, value) = match std::mem::replace(&mut step.kind, ExprKind::Refused) {
        ExprKind::CompoundAssign { op, place, value, .. } => {
            let ExprKind::Local(counter) = place.kind else { return };
            let left = Box::new(Expr::new(ExprKind::Local(counter), place.ty.clone(), place.span));
            let (ty, span) = (place.ty.clone(), step.span);
            let sum = Expr { operator: step.operator, ..Expr::new(ExprKind::Binary { op, left, right: value, site: None }, ty, span) };
            (place, Box::new(sum))
        }
        ExprKind::Assign { target: Target::Place(place), value } => (place, value),
        _ => return,
    };
    place.kind = ExprKind::Local(variable);
    step.kind = ExprKind::Assign { target: Target::Place(place), value };
}
