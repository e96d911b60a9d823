//! What the variables of a proof stand for.

use super::sum::{Sum, Variable};
use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::model::{Atom, Axis, Polynomial};
use crate::sorted::SortedMap;
use std::cell::{Cell, Ref, RefCell};

/// Which of the two threads has a quantity. What the launch has, both have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::check) enum Side {
    Both,
    First,
    Second,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quantity {
    /// The value of a symbol of normal forms.
    Symbol(SymbolKind),
    /// The word of a form whose terms may add up to another integer.
    Word(NormalForm),
    /// How many rounds the loop with this counter has made.
    Rounds(SymbolKind),
    /// The quotient of two sums, rounded down.
    Quotient(Sum, Sum),
    /// The remainder of the same division.
    Remainder(Sum, Sum),
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) quantity: Quantity,
    pub(super) side: Side,
    /// No execution has a larger value.
    pub(super) ceiling: u64,
}

/// The variables of all accesses to one parameter.
#[derive(Debug, Default)]
pub(in crate::check) struct Variables {
    entries: RefCell<Vec<Entry>>,
    known: RefCell<SortedMap<(Quantity, Side), Variable>>,
    /// How many steps have been made.
    worked: Cell<usize>,
}

/// More steps than this are not made for one parameter: then nothing more is proved. A register-tiled product of matrices needs most of them.
const MOST_WORK: usize = 12000;

impl Variables {
    /// Counts steps, each about as long as adding two sums. `false` if there were too many.
    pub(super) fn work(&self, steps: usize) -> bool {
        self.worked.set(self.worked.get().saturating_add(steps));
        self.worked.get() <= MOST_WORK
    }

    /// The variable for `quantity`. `None` if there are too many.
    pub(super) fn variable(&self, quantity: Quantity, side: Side, ceiling: u64) -> Option<Variable> {
        let mut known = self.known.borrow_mut();
        let key = (quantity, side);
        if let Some(variable) = known.get(&key) {
            return Some(*variable);
        }
        let quantity = &key.0;
        let is_named = side == Side::Both
            && match quantity {
                Quantity::Symbol(kind) => matches!(kind, SymbolKind::Launch(_)),
                Quantity::Quotient(a, b) => a.variables().chain(b.variables()).all(Variable::is_named),
                Quantity::Rounds(_) | Quantity::Remainder(..) | Quantity::Word(_) => false,
            };
        let mut entries = self.entries.borrow_mut();
        let variable = Variable::new(entries.len(), side == Side::Both, is_named)?;
        entries.push(Entry { quantity: quantity.clone(), side, ceiling });
        known.insert(key, variable);
        Some(variable)
    }

    pub(super) fn symbol(&self, symbol: &Symbol, side: Side) -> Option<Variable> {
        let side = if symbol.spread == Uniformity::Launch { Side::Both } else { side };
        self.variable(Quantity::Symbol(symbol.kind.clone()), side, symbol.ceiling)
    }

    pub(super) fn thread_idx(&self, axis: Axis, side: Side) -> Option<Variable> {
        self.symbol(&Symbol::thread_idx(axis), side)
    }

    pub(super) fn block_idx(&self, axis: Axis, side: Side) -> Option<Variable> {
        self.symbol(&Symbol::block_idx(axis), side)
    }

    fn entry(&self, variable: Variable) -> Ref<'_, Entry> {
        Ref::map(self.entries.borrow(), |entries| &entries[variable.number()])
    }

    pub(super) fn ceiling(&self, variable: Variable) -> u64 {
        self.entry(variable).ceiling
    }

    pub(super) fn side(&self, variable: Variable) -> Side {
        self.entry(variable).side
    }

    /// Whether it is a coordinate of a thread in its block.
    pub(super) fn is_thread_idx(&self, variable: Variable) -> bool {
        matches!(self.entry(variable).quantity, Quantity::Symbol(SymbolKind::ThreadIdx(_)))
    }

    /// Whether it is a coordinate of a thread or block.
    pub(super) fn is_coordinate(&self, variable: Variable) -> bool {
        matches!(self.entry(variable).quantity, Quantity::Symbol(SymbolKind::ThreadIdx(_) | SymbolKind::BlockIdx(_)))
    }

    /// Whether it is the number of rounds of a loop.
    pub(super) fn counts_rounds(&self, variable: Variable) -> bool {
        matches!(self.entry(variable).quantity, Quantity::Rounds(_))
    }

    /// The one thread that has a part of it.
    pub(super) fn side_of(&self, sum: &Sum) -> Side {
        sum.variables().map(|variable| self.entry(variable).side).max().unwrap_or(Side::Both)
    }

    /// The quantity of the host, if it has a name for it.
    pub(super) fn atom(&self, variable: Variable) -> Option<Atom> {
        match &*self.entry(variable) {
            Entry { quantity: Quantity::Symbol(SymbolKind::Launch(atom)), side: Side::Both, .. } => Some(atom.clone()),
            Entry { quantity: Quantity::Quotient(dividend, divisor), side: Side::Both, .. } => {
                Some(Atom::Quotient(Box::new([self.polynomial(dividend)?, self.polynomial(divisor)?])))
            }
            _ => None,
        }
    }

    /// The sum as the host computes it.
    pub(super) fn polynomial(&self, sum: &Sum) -> Option<Polynomial> {
        sum.terms().try_fold(Polynomial::default(), |polynomial, (product, coefficient)| {
            let term = product
                .factors()
                .try_fold(Polynomial::constant(coefficient), |term, factor| term.times(&Polynomial::atom(self.atom(factor)?)))?;
            polynomial.plus(&term)
        })
    }

    /// The larger, the sooner an equation is solved for it: coordinates and what the launch has are what the others are expressed in.
    pub(super) fn rank(&self, variable: Variable) -> u8 {
        let entry = self.entry(variable);
        match (&entry.quantity, entry.side) {
            (_, Side::Both) => 0,
            (Quantity::Symbol(SymbolKind::BlockIdx(_) | SymbolKind::ThreadIdx(_)), _) => 1,
            (Quantity::Symbol(_) | Quantity::Word(_), _) => 2,
            (Quantity::Rounds(_), _) => 3,
            (Quantity::Quotient(..), _) => 4,
            (Quantity::Remainder(..), _) => 5,
        }
    }
}
