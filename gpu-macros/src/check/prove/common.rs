//! What the variables of a proof stand for.

use super::sum::{Sum, Variable};
use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::walk::effects::Effects;
use crate::check::walk::unique_counters::Counters;
use crate::model::{Atom, Axis, Inequality, Polynomial};
use crate::vec_map::VecMap;
use proc_macro2::Literal;
use quote::{ToTokens, quote};
use std::cell::{Cell, Ref, RefCell};

/// Which of the two threads has a quantity. What is [common](Common), both have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::check) enum Side {
    Both,
    First,
    Second,
}

/// Which values two threads have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::check) enum Common {
    /// Threads of the grid, at any time: what the launch knows.
    #[default]
    Launch,
    /// Threads of a block, between the same two barriers: also the block, and what all of its threads have. What is evaluated in each iteration of a
    /// loop has a number, and is common where this is `true`: both threads are in the same iteration.
    Block(Vec<bool>),
}

impl Common {
    /// Values that fewer threads agree on are not common.
    pub(super) fn uniformity(&self) -> Uniformity {
        match self {
            Common::Launch => Uniformity::Launch,
            Common::Block(_) => Uniformity::Block,
        }
    }

    fn includes(&self, symbol: &Symbol) -> bool {
        let Common::Block(iterations) = self else { return symbol.spread == Uniformity::Launch };
        match &symbol.kind {
            SymbolKind::Launch(_) | SymbolKind::Passed(_) | SymbolKind::BlockIdx(_) => true,
            SymbolKind::ThreadIdx(_) | SymbolKind::GridStride(_) | SymbolKind::Ticket(_) => false,
            SymbolKind::Fresh(number) | SymbolKind::Stepped { number, .. } => {
                symbol.spread <= Uniformity::Block && iterations.get(*number).is_some_and(|is_same| *is_same)
            }
            SymbolKind::Operation(_, operands) => {
                operands.iter().flat_map(|form| form.terms.keys().flatten()).all(|part| self.includes(part))
            }
        }
    }
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
    /// `^` of two natural numbers. If both threads have one of them, it is the second.
    ExclusiveOr(Sum, Sum),
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) quantity: Quantity,
    pub(super) side: Side,
    /// No execution has a larger value.
    pub(super) ceiling: u64,
}

/// The variables of all accesses to one array.
#[derive(Debug, Default)]
pub(in crate::check) struct Variables {
    pub(in crate::check) common: Common,
    /// The parameters from which numbers are drawn that are unique in the launch, and when they are.
    unique: Vec<(usize, Vec<Inequality>)>,
    entries: RefCell<Vec<Entry>>,
    known: RefCell<VecMap<(Quantity, Side), Variable>>,
    /// How many steps have been made.
    worked: Cell<usize>,
    /// Whether the blocks of the launch may be assumed to be multiples of what their threads are divided by.
    aligned: bool,
    /// Whether that assumption would make a difference.
    alignable: Cell<bool>,
    /// Whether a number bounds what has been bounded by something else.
    numbers_passed_over: Cell<bool>,
}

/// More steps than this are not made for one array: then nothing more is proved. The update of a chessboard's fields by four neighbours needs most of them.
const MOST_WORK: usize = 40000;

impl Variables {
    pub(in crate::check) fn new(common: Common) -> Variables {
        Variables { common, ..Variables::default() }
    }

    /// The same, where what `counters` return is unique if it is so under conditions on the launch.
    pub(in crate::check) fn with_counters(self, counters: &Counters) -> Variables {
        Variables { unique: counters.unique(), ..self }
    }

    /// When what `fetch_add` of a parameter's elements returns is unique.
    pub(super) fn unique(&self, param: usize) -> Option<&[Inequality]> {
        self.unique.iter().find(|(known, _)| *known == param).map(|(_, conditions)| conditions.as_slice())
    }

    /// The same, where blocks are multiples of what their threads are divided by.
    pub(super) fn aligned(&self) -> Option<Variables> {
        let (common, unique) = (self.common.clone(), self.unique.clone());
        self.alignable.get().then(|| Variables { common, unique, aligned: true, ..Variables::default() })
    }

    /// Whether the blocks are assumed to have one axis too: the kernel does not say how many they have.
    pub(super) fn is_of_lines(&self, walk: &Effects<'_>) -> bool {
        self.aligned && !walk.declares_blocks()
    }

    /// Whether blocks may be assumed to be multiples of what their threads are divided by, which would make a difference here.
    pub(super) fn may_align(&self) -> bool {
        self.alignable.set(true);
        self.aligned
    }

    /// Notes that a number bounds what is bounded by something else.
    pub(super) fn pass_over_number(&self) {
        self.numbers_passed_over.set(true);
    }

    /// Whether bounds that are numbers, taken first, would make a difference.
    pub(super) fn has_passed_over_numbers(&self) -> bool {
        self.numbers_passed_over.get()
    }

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
            // What bounds an operation may be known on one path only: all that ask for it here get the largest.
            let known = &mut self.entries.borrow_mut()[variable.number()].ceiling;
            *known = ceiling.max(*known);
            return Some(*variable);
        }
        let quantity = &key.0;
        let is_named = side == Side::Both
            && match quantity {
                Quantity::Symbol(kind) => matches!(kind, SymbolKind::Launch(_)),
                Quantity::Quotient(a, b) => a.variables().chain(b.variables()).all(Variable::is_named),
                Quantity::Rounds(_) | Quantity::Remainder(..) | Quantity::ExclusiveOr(..) | Quantity::Word(_) => false,
            };
        let mut entries = self.entries.borrow_mut();
        let variable = Variable::new(entries.len(), side == Side::Both, is_named)?;
        entries.push(Entry { quantity: quantity.clone(), side, ceiling });
        known.insert(key, variable);
        Some(variable)
    }

    pub(super) fn symbol(&self, symbol: &Symbol, side: Side) -> Option<Variable> {
        self.variable(Quantity::Symbol(symbol.kind.clone()), self.side_of_symbol(symbol, side), symbol.ceiling)
    }

    /// The number of rounds of the loop with this counter.
    pub(super) fn rounds(&self, counter: &Symbol, side: Side) -> Option<Variable> {
        self.variable(Quantity::Rounds(counter.kind.clone()), self.side_of_symbol(counter, side), u64::MAX)
    }

    /// `dividend / divisor`, which `side` has. rustc computes it of constants.
    pub(super) fn quotient(&self, dividend: &Sum, divisor: &Sum, side: Side, ceiling: u64) -> Option<Variable> {
        let tokens = |sum: &Sum| match (sum.as_constant(), sum.as_variable().map(|variable| self.atom(variable))) {
            (Some(number), _) => u64::try_from(number).ok().map(|number| Literal::u64_unsuffixed(number).to_token_stream()),
            (None, Some(Some(Atom::Constant(constant)))) => Some(quote!((#constant) as usize)),
            _ => None,
        };
        let constant = tokens(dividend).zip(tokens(divisor)).map(|(a, b)| Atom::constant(quote!((#a / #b))));
        match constant {
            Some(constant) => self.symbol(&Symbol::launch(constant, ceiling), Side::Both),
            None => self.variable(Quantity::Quotient(dividend.clone(), divisor.clone()), side, ceiling),
        }
    }

    /// `a` and `b`, if it is `a ^ b`.
    pub(super) fn exclusive_or(&self, variable: Variable) -> Option<(Sum, Sum)> {
        match &self.entry(variable).quantity {
            Quantity::ExclusiveOr(a, b) => Some((a.clone(), b.clone())),
            _ => None,
        }
    }

    fn side_of_symbol(&self, symbol: &Symbol, side: Side) -> Side {
        if self.common.includes(symbol) { Side::Both } else { side }
    }

    /// Whether `form` is made of `symbol` and of what both threads have.
    pub(super) fn is_of_iteration(&self, form: &NormalForm, symbol: &Symbol) -> bool {
        form.terms.keys().flatten().all(|part| {
            *part == *symbol
                || self.common.includes(part)
                || matches!(&part.kind, SymbolKind::Operation(_, operands) if operands.iter().all(|operand| self.is_of_iteration(operand, symbol)))
        })
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
        // The digits of a variable stand in its place.
        let digit_of = match &entry.quantity {
            Quantity::Quotient(dividend, _) | Quantity::Remainder(dividend, _) => dividend.as_variable(),
            _ => None,
        };
        if let Some(variable) = digit_of {
            return self.rank(variable);
        }
        match (&entry.quantity, entry.side) {
            (_, Side::Both) => 0,
            (Quantity::Symbol(SymbolKind::BlockIdx(_) | SymbolKind::ThreadIdx(_)), _) => 1,
            (Quantity::Symbol(_) | Quantity::Word(_), _) => 2,
            (Quantity::Rounds(_), _) => 3,
            (Quantity::Quotient(..), _) => 4,
            (Quantity::Remainder(..) | Quantity::ExclusiveOr(..), _) => 5,
        }
    }
}
