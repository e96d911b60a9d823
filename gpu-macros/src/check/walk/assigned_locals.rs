//! Which variables change after their declaration.

use crate::model::*;
use crate::vec_map::VecSet;
use std::collections::HashSet;

/// The variables that change after their declaration. (One declared without a value is assigned before it is read.)
#[derive(Default)]
pub(crate) struct Changed {
    /// Assigned, in whole or in a field, or lent mutably.
    pub(crate) assigned: HashSet<LocalId>,
    /// Those of which an element is: arrays, and what has arrays in it.
    pub(crate) in_elements: HashSet<LocalId>,
    /// Those that a closure changes, whenever it is called.
    pub(crate) in_closures: HashSet<LocalId>,
}

impl Changed {
    fn add(&mut self, function: &Function, place: &Expr) {
        // A user's `IndexMut` may change more than the element.
        if let (true, Some(local)) = (function.goes_through_own_index(place), place.place().variable()) {
            self.assigned.insert(local);
        }
        let place = place.place();
        match place.whole_variable() {
            Some(local) => self.assigned.insert(local),
            None => place.variable().is_some_and(|local| self.in_elements.insert(local)),
        };
    }

    /// What evaluating `expr` changes.
    fn by(function: &Function, expr: &Expr) -> Changed {
        let mut changed = Changed::default();
        changed.visit(function, expr);
        changed
    }

    /// The variables, and those of which an element changes.
    fn all(&self) -> impl Iterator<Item = &LocalId> {
        self.assigned.iter().chain(&self.in_elements)
    }

    fn visit(&mut self, function: &Function, expr: &Expr) {
        match expr.action() {
            Action::Assign(target) => target.for_each_place(&mut |place| self.add(function, place)),
            Action::CompoundAssign { place, .. } | Action::BorrowMut(place) => self.add(function, place),
            // A method may take `&mut self`, of a variable that is `mut`.
            Action::Call { receiver: Some(receiver), .. } => {
                if receiver.place().variable().is_some_and(|local| function.local(local).mutable) {
                    self.add(function, receiver);
                }
            }
            Action::Compute { .. }
            | Action::Access
            | Action::Atomic
            | Action::Call { receiver: None, .. }
            | Action::Tile
            | Action::Assembly
            | Action::Intrinsic(_)
            | Action::Branch
            | Action::Loop
            | Action::Jump
            | Action::Panic => {}
        }
        if let ExprKind::Closure(closure) = &expr.kind {
            self.in_closures.extend(Changed::by(function, &closure.body).all());
        }
        expr.for_each_child(&mut |child| self.visit(function, child));
    }
}

/// The variables that change in the body of `function`.
pub(crate) fn changed_locals(function: &Function) -> Changed {
    let mut changed = Changed::default();
    function.body.for_each_child(&mut |child| changed.visit(function, child));
    changed
}

/// The variables that change, as a whole or in a field, in `parts` or in `block`, each once.
pub(crate) fn assigned_in(function: &Function, parts: &[&Expr], block: Option<&Block>) -> VecSet<LocalId> {
    let mut changed = Changed::default();
    for part in parts {
        changed.visit(function, part);
    }
    block.iter().for_each(|block| block.for_each_child(&mut |child| changed.visit(function, child)));
    changed.assigned.into_iter().collect()
}

/// Whether evaluating `expr` may change a variable that is declared outside, or an element of one.
pub(crate) fn changes_variables(function: &Function, expr: &Expr) -> bool {
    let mut own = HashSet::new();
    add_bindings(Inside::Expr(expr), &mut own);
    Changed::by(function, expr).all().any(|local| !own.contains(local))
}

/// Whether `expr` may read a variable, or an element of one, that evaluating `other` changes.
pub(crate) fn reads_what_changes_in(function: &Function, expr: &Expr, other: &Expr) -> bool {
    let changed = Changed::by(function, other);
    expr.any(&|expr| matches!(&expr.kind, ExprKind::Local(local) if changed.all().any(|changed| changed == local)))
}
