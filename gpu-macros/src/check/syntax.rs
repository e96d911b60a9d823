//! What a glance at the model tells the walk.

use crate::model::*;
use std::collections::HashSet;

/// The variable that an assignment to `place` changes, other than in an element of an array.
pub(super) fn whole_variable(place: &Expr) -> Option<LocalId> {
    match &place.kind {
        ExprKind::Local(local) => Some(*local),
        ExprKind::TupleField { base, .. } | ExprKind::Field { base, .. } | ExprKind::Axis { base, .. } => whole_variable(base),
        _ => None,
    }
}

/// Variables that are assigned, in whole or in a field, or lent mutably. (One declared without a value is assigned before
/// it is read.) Assigning elements of arrays doesn't count: nothing is ever known about them.
pub(super) fn assigned_locals(function: &Function) -> HashSet<LocalId> {
    fn visit_target(target: &Target, found: &mut HashSet<LocalId>) {
        match target {
            Target::Place(place) => found.extend(whole_variable(place)),
            Target::Wildcard(_) => {}
            Target::Tuple(targets, _) => targets.iter().for_each(|target| visit_target(target, found)),
        }
    }
    fn visit(function: &Function, expr: &Expr, found: &mut HashSet<LocalId>) {
        match &expr.kind {
            ExprKind::Assign { target, .. } => visit_target(target, found),
            ExprKind::CompoundAssign { place, .. } => found.extend(whole_variable(place)),
            ExprKind::Borrow { mutable: true, operand } => found.extend(whole_variable(operand)),
            // A method may take `&mut self`, of a variable that is `mut`.
            ExprKind::Associated { receiver: Some(receiver), .. } => {
                found.extend(whole_variable(receiver).filter(|local| function.local(*local).mutable));
            }
            _ => {}
        }
        expr.for_each_child(&mut |child| visit(function, child, found));
    }
    let mut found = HashSet::new();
    function.body.for_each_child(&mut |child| visit(function, child, &mut found));
    found
}

/// Whether evaluating this never gets past it, as far as a glance tells.
pub(super) fn diverges(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Break { .. } | ExprKind::Continue { .. } | ExprKind::Return(_) | ExprKind::Panic { .. } => true,
        ExprKind::Block { label: None, block } => block_diverges(block),
        ExprKind::Match { arms, .. } => arms.iter().all(|arm| diverges(&arm.body)),
        ExprKind::If { then, otherwise: Some(otherwise), .. } => block_diverges(then) && diverges(otherwise),
        _ => false,
    }
}

pub(super) fn block_diverges(block: &Block) -> bool {
    let last = block.value.as_deref();
    let stmts = block.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Expr(expr) => Some(&**expr),
        Stmt::Let(_) => None,
    });
    stmts.chain(last).any(diverges)
}
