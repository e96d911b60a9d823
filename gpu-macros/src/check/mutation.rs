//! Which variables change after their declaration.

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

/// The same, where it may be in an element of an array.
fn variable_around(place: &Expr) -> Option<LocalId> {
    match &place.kind {
        ExprKind::Index { base, .. } | ExprKind::TupleField { base, .. } | ExprKind::Field { base, .. } => variable_around(base),
        _ => whole_variable(place),
    }
}

/// The variables that change after their declaration. (One declared without a value is assigned before it is read.)
#[derive(Default)]
pub(super) struct Changed {
    /// Assigned, in whole or in a field, or lent mutably.
    pub(super) assigned: HashSet<LocalId>,
    /// Those of which an element is: arrays, and what has arrays in it.
    pub(super) in_elements: HashSet<LocalId>,
}

impl Changed {
    fn add(&mut self, place: &Expr) {
        match whole_variable(place) {
            Some(local) => self.assigned.insert(local),
            None => variable_around(place).is_some_and(|local| self.in_elements.insert(local)),
        };
    }

    fn add_target(&mut self, target: &Target) {
        match target {
            Target::Place(place) => self.add(place),
            Target::Wildcard(_) => {}
            Target::Tuple(targets, _) => targets.iter().for_each(|target| self.add_target(target)),
        }
    }

    fn visit(&mut self, function: &Function, expr: &Expr) {
        match &expr.kind {
            ExprKind::Assign { target, .. } => self.add_target(target),
            ExprKind::CompoundAssign { place, .. } => self.add(place),
            ExprKind::Borrow { mutable: true, operand } => self.add(operand),
            // A method may take `&mut self`, of a variable that is `mut`.
            ExprKind::Associated { receiver: Some(receiver), .. }
                if variable_around(receiver).is_some_and(|local| function.local(local).mutable) =>
            {
                self.add(receiver);
            }
            _ => {}
        }
        expr.for_each_child(&mut |child| self.visit(function, child));
    }
}

/// The variables that change in the body of `function`.
pub(super) fn changed_locals(function: &Function) -> Changed {
    let mut changed = Changed::default();
    function.body.for_each_child(&mut |child| changed.visit(function, child));
    changed
}
