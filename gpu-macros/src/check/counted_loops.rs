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
//! A `usize` may be counted in larger steps, `for k in (i..end).step_by(256)`. If the end is within a step of 2⁶⁴, the last step wraps around. There such
//! a loop ends, on all devices; as Rust, it would begin again, or panic in a debug build. What is proved of `k` rests on that.
//!
//! The twin has the loop as it is written: the [counter](LocalKind::Round) has the name of the variable there.

use super::walk::assigned_locals::assigned_in;
use crate::model::*;
use crate::vec_map::VecSet;
use proc_macro2::Ident;

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
    let may_step = local.ty == Type::USIZE;
    let is_counted =
        is_number && end.ty == local.ty && step_of(step, variable).is_some_and(|step| is_one(step) || may_step && is_step(step));
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

/// The step, in `variable += step` or `variable = variable + step`.
fn step_of(expr: &Expr, variable: LocalId) -> Option<&Expr> {
    let is_variable = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == variable);
    let (place, step) = match &expr.kind {
        ExprKind::CompoundAssign { op: BinaryOp::Add, place, value, site: None } => (place, value),
        ExprKind::Assign { target: Target::Place(place), value } => match &value.kind {
            ExprKind::Binary { op: BinaryOp::Add, left, right, site: None } if is_variable(left) => (place, right),
            _ => return None,
        },
        _ => return None,
    };
    is_variable(place).then_some(&**step)
}

fn is_one(step: &Expr) -> bool {
    matches!(&step.kind, ExprKind::Int(literal) if literal.value == 1)
}

/// Whether it is a number, a constant, or an extent of the block.
fn is_step(step: &Expr) -> bool {
    copy_of_step(step).is_some()
}

fn copy_of_step(step: &Expr) -> Option<Expr> {
    let kind = match &step.kind {
        ExprKind::Int(literal) if literal.value > 0 => ExprKind::Int(literal.clone()),
        ExprKind::Constant(path) => ExprKind::Constant(path.clone()),
        ExprKind::Axis { base, axis, name } => match &base.kind {
            ExprKind::Intrinsic { intrinsic: intrinsic @ Intrinsic::BlockDim, path, .. } => {
                let kind = ExprKind::Intrinsic { intrinsic: *intrinsic, path: path.clone(), args: Vec::new() };
                ExprKind::Axis { base: Box::new(Expr::new(kind, base.ty.clone(), base.span)), axis: *axis, name: name.clone() }
            }
            _ => return None,
        },
        _ => return None,
    };
    Some(Expr { operator: step.operator, ..Expr::new(kind, step.ty.clone(), step.span) })
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
        ExprKind::Field { .. } | ExprKind::TupleField { .. } => {
            is_number && part_of(expr).is_some_and(|local| function.local(local).holds == Holds::Value && stays(local))
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

/// The variable that a field of a field is in.
fn part_of(expr: &Expr) -> Option<LocalId> {
    match &expr.kind {
        ExprKind::Local(local) => Some(*local),
        ExprKind::Field { base, .. } | ExprKind::TupleField { base, .. } => part_of(base),
        _ => None,
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
    let step = match body.stmts.last() {
        Some(Stmt::Expr(step)) => step_of(step, variable).and_then(copy_of_step),
        _ => None,
    };
    InsideMut::Block(&mut body).for_each_expr(&mut |expr| rename(expr, variable, counter));
    if let Some(Stmt::Expr(step)) = body.stmts.last_mut() {
        set_step(step, variable);
    }
    let adapters = step.filter(|step| !is_one(step)).map(|step| RangeAdapter::StepBy {
        name: Ident::new("step_by", step.span),
        step: Box::new(step),
        site: None,
    });
    let range = Range::Bounds { start, end, inclusive: false, adapters: adapters.into_iter().collect() };
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

/// `k += step` or `k = k + step` as `variable = k + step`.
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
