//! How often a thread may write one element of an array: the gradient of what is overwritten is lost, so it must be set to zero.

use super::reverse::Tail;
use super::statements::exit_of;
use crate::model::*;
use std::collections::HashMap;

/// What happens on the path that writes most.
#[derive(Clone, Copy, Default)]
struct Count {
    /// `array[index] = …`, up to two.
    sets: usize,
    /// `array[index] += …`
    has_sums: bool,
}

impl Count {
    fn then(self, next: Count) -> Count {
        Count { sets: (self.sets + next.sets).min(2), has_sums: self.has_sums || next.has_sums }
    }

    fn or(self, other: Count) -> Count {
        Count { sets: self.sets.max(other.sets), has_sums: self.has_sums || other.has_sums }
    }
}

/// Whether a thread may write an element of each parameter a second time, or write it and add to it.
pub(super) fn find_repeated_writes(function: &Function) -> Vec<bool> {
    let may_repeat = |param: &Param| {
        let mut counter = Counter { array: param.local, places: HashMap::new() };
        let count = counter.block(&function.body, Loops::None, Tail::Function(true));
        count.sets > 1 || count.sets == 1 && count.has_sums
    };
    function.params.iter().map(may_repeat).collect()
}

/// The loops around a statement.
#[derive(Clone, Copy, PartialEq)]
enum Loops {
    None,
    /// One, with this counter, which differs between its iterations.
    One(LocalId),
    Many,
}

struct Counter<'f> {
    array: LocalId,
    /// References to elements of the array, and the indices.
    places: HashMap<LocalId, &'f Expr>,
}

impl<'f> Counter<'f> {
    fn block(&mut self, block: &'f Block, loops: Loops, tail: Tail) -> Count {
        let count = self.stmts(&block.stmts, loops, tail);
        block.value.as_ref().map_or(count, |value| count.then(self.expr(value, loops, tail)))
    }

    fn stmts(&mut self, stmts: &'f [Stmt], loops: Loops, tail: Tail) -> Count {
        let mut count = Count::default();
        for (index, stmt) in stmts.iter().enumerate() {
            match stmt {
                Stmt::Let(declared) => {
                    if let (PatternKind::Bind { local, .. }, Some(Expr { kind: ExprKind::Borrow { operand, .. }, .. })) =
                        (&declared.pattern.kind, &declared.init)
                        && operand.place().variable() == Some(self.array)
                    {
                        self.places.insert(*local, operand);
                    }
                    if let Some(init) = &declared.init {
                        count = count.then(self.expr(init, loops, Tail::None));
                    }
                }
                Stmt::Expr(expr) => {
                    if let ExprKind::If { then, otherwise: None, .. } = &expr.kind
                        && exit_of(then, tail).is_some()
                    {
                        let left = self.block(then, loops, Tail::None);
                        let stays = self.stmts(&stmts[index + 1..], loops, tail);
                        return count.then(left.or(stays));
                    }
                    count = count.then(self.expr(expr, loops, tail));
                }
            }
        }
        count
    }

    fn expr(&mut self, expr: &'f Expr, loops: Loops, tail: Tail) -> Count {
        match &expr.kind {
            ExprKind::Assign { target, value } => {
                let count = self.expr(value, loops, Tail::None);
                let sets = match target {
                    Target::Place(place) => self.sets(place, loops),
                    Target::Wildcard(_) => 0,
                    Target::Tuple(..) => {
                        let mut is_written = false;
                        target.for_each_place(&mut |place| is_written |= self.is_of_array(place));
                        if is_written { 2 } else { 0 }
                    }
                };
                count.then(Count { sets, has_sums: false })
            }
            ExprKind::CompoundAssign { place, value, .. } => {
                let count = self.expr(value, loops, Tail::None);
                count.then(Count { sets: 0, has_sums: self.is_of_array(place) })
            }
            ExprKind::If { condition, then, otherwise } => {
                let count = self.expr(condition, loops, Tail::None);
                let then = self.block(then, loops, tail.inner());
                let otherwise = otherwise.as_ref().map(|otherwise| self.expr(otherwise, loops, tail.inner())).unwrap_or_default();
                count.then(then.or(otherwise))
            }
            ExprKind::Block { block, .. } => self.block(block, loops, tail.inner()),
            ExprKind::For { label, counter, body, .. } => {
                let inner = if loops == Loops::None { Loops::One(*counter) } else { Loops::Many };
                self.block(body, inner, Tail::Loop(*label, true))
            }
            ExprKind::While { label, body, .. } | ExprKind::Loop { label, body } => self.block(body, Loops::Many, Tail::Loop(*label, true)),
            _ => {
                let mut count = Count::default();
                let mut children = Vec::new();
                expr.for_each_child(&mut |child| children.push(child));
                for child in children {
                    count = count.then(self.expr(child, loops, Tail::None));
                }
                count
            }
        }
    }

    fn is_of_array(&self, place: &Expr) -> bool {
        let variable = place.place().variable();
        variable == Some(self.array) || variable.is_some_and(|local| self.places.contains_key(&local))
    }

    /// How often a statement writes an element.
    fn sets(&self, place: &'f Expr, loops: Loops) -> usize {
        if !self.is_of_array(place) {
            return 0;
        }
        let place = match place.kind {
            ExprKind::Local(local) => self.places.get(&local).copied().unwrap_or(place),
            _ => place,
        };
        let is_counter = |counter: LocalId| match &place.kind {
            ExprKind::Index { index, .. } => matches!(index.kind, ExprKind::Local(local) if local == counter),
            _ => false,
        };
        match loops {
            Loops::None => 1,
            Loops::One(counter) if is_counter(counter) => 1,
            Loops::One(_) | Loops::Many => 2,
        }
    }
}
