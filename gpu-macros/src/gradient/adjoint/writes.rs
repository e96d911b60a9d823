//! How often a thread may write one element of an array: the gradient of what is overwritten is lost, so it must be set to zero.

use super::reverse::Tail;
use super::statements::exit_of;
use crate::model::*;
use std::collections::{HashMap, HashSet};

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

/// Whether a thread may write a number in an element of each parameter a second time, or write it and add to it.
pub(super) fn find_repeated_writes(function: &Function) -> Vec<bool> {
    let may_repeat = |param: &Param| {
        let mut all = Counter { array: param.local, part: None, places: HashMap::new(), parts: HashSet::new() };
        all.block(&function.body, Loops::None, Tail::Function(true));
        all.parts.iter().any(|part| {
            let mut counter = Counter { array: param.local, part: Some(part), places: HashMap::new(), parts: HashSet::new() };
            let count = counter.block(&function.body, Loops::None, Tail::Function(true));
            count.sets > 1 || count.sets == 1 && count.has_sums
        })
    };
    function.params.iter().map(may_repeat).collect()
}

/// A part of an element, by what leads there.
type PartOf = Vec<Key>;

#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Field(String),
    /// `None` where it is no literal.
    Index(Option<u128>),
}

impl Key {
    fn may_be(&self, other: &Key) -> bool {
        self == other || matches!((self, other), (Key::Index(a), Key::Index(b)) if a.is_none() || b.is_none())
    }
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
    /// The part of its elements that is counted.
    part: Option<&'f PartOf>,
    /// All parts of elements that are written.
    parts: HashSet<PartOf>,
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
                        && operand.place().variable().is_some_and(|of| of == self.array || self.places.contains_key(&of))
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
                let mut sets = 0;
                target.for_each_place(&mut |place| sets += self.sets(place, loops));
                count.then(Count { sets: sets.min(2), has_sums: false })
            }
            ExprKind::CompoundAssign { place, value, .. } => {
                let count = self.expr(value, loops, Tail::None);
                count.then(Count { sets: 0, has_sums: self.element(place).is_some() })
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

    /// The element of the array, if the place is the part of one that is counted.
    fn element(&mut self, place: &'f Expr) -> Option<&'f Expr> {
        let mut part = Vec::new();
        let element = self.find_element(place, &mut part)?;
        let is_counted = self.part.is_none_or(|counted| counted.len() == part.len() && counted.iter().zip(&part).all(|(a, b)| a.may_be(b)));
        self.parts.insert(part);
        is_counted.then_some(element)
    }

    fn find_element(&self, place: &'f Expr, part: &mut PartOf) -> Option<&'f Expr> {
        let (base, key) = match &place.kind {
            ExprKind::Local(local) => return self.find_element(self.places.get(local)?, part),
            ExprKind::Field { base, name } => (base, Key::Field(name.to_string())),
            ExprKind::TupleField { base, index } => (base, Key::Field(index.to_string())),
            ExprKind::Index { base, .. } | ExprKind::Element { base, .. } if matches!(base.kind, ExprKind::Local(local) if local == self.array) =>
            {
                return Some(place);
            }
            ExprKind::Index { base, index, .. } => {
                let literal = match &index.kind {
                    ExprKind::Int(literal) => Some(literal.value),
                    _ => None,
                };
                (base, Key::Index(literal))
            }
            _ => return None,
        };
        let element = self.find_element(base, part)?;
        part.push(key);
        Some(element)
    }

    /// How often a statement writes an element.
    fn sets(&mut self, place: &'f Expr, loops: Loops) -> usize {
        let Some(element) = self.element(place) else { return 0 };
        let is_counter = |counter: LocalId| match &element.kind {
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
