//! A normal form of integer values: two values with the same form are equal in every execution.
//!
//! A [`NormalForm`] is a polynomial over [`Symbol`]s with coefficients modulo 2^64. `usize` and `u64` arithmetic in kernels wraps,
//! so it *is* arithmetic modulo 2^64 and every ring identity holds for it: the form does not depend on how the user
//! associated, ordered or named the parts. Everything else (narrower types, division, casts that change the value) becomes
//! one symbol that names the operation and the forms of its operands.

use super::operation::{IntegerOperation, OperationName};
use super::terms::Terms;
use crate::model::{Atom, Axis, Passed, Polynomial, Scalar};
use std::cmp::Ordering;
use std::ops::Deref;
use std::rc::Rc;

/// Which threads agree on a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Uniformity {
    /// One value for the whole launch, at any time.
    Launch,
    /// The threads of the grid that are at the same point have the same value. In another iteration of a loop they may have another
    /// one.
    Grid,
    /// The same for the threads of a block. Other blocks may have another one.
    Block,
    /// The same for the threads of a warp.
    Warp,
    /// Any thread may have its own.
    Thread,
}

/// Copies share what they are: symbols are compared and copied more than anything else.
#[derive(Debug, Clone)]
pub(crate) struct Symbol(Rc<SymbolData>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SymbolData {
    pub(crate) kind: SymbolKind,
    pub(crate) spread: Uniformity,
    /// No execution has a larger value.
    pub(crate) ceiling: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SymbolKind {
    /// Known to the host at launch. Of an unsigned type.
    Launch(Atom),
    ThreadIdx(Axis),
    BlockIdx(Axis),
    /// The counter of a `for i in grid_stride(n)` loop; the number tells the loops apart.
    GridStride(usize),
    /// The counter of another loop: `start`, and more by `step` in each round. The number tells the loops apart. With a `limit`, it is
    /// below that at the end of each round but the last; without one, it never wraps around.
    Stepped {
        number: usize,
        start: NormalForm,
        step: NormalForm,
        limit: Option<Limit>,
    },
    /// A value about which nothing else is known, such as a read of a mutable variable. It denotes the value that one
    /// evaluation of one expression gave; another evaluation gets another number, or (in a loop) another scope.
    Fresh(usize),
    /// What `fetch_add` has returned.
    Ticket(Ticket),
    /// A value of another type than an integer, which the launch passes.
    Passed(Passed),
    /// A deterministic operation on the values of the operands.
    Operation(OperationName, Vec<NormalForm>),
}

/// A round starts with a counter below a value, and ends with one that is at most a number unless it wraps around.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Limit {
    pub(crate) below: NormalForm,
    /// The largest value of the counter's type.
    pub(crate) most: u64,
}

/// The element that a call adds to, and how much it adds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket {
    /// Tells the calls apart.
    pub(crate) number: usize,
    /// Whose element it is.
    pub(crate) param: usize,
    pub(crate) element: NormalForm,
    pub(crate) amount: NormalForm,
}

/// The most blocks along an axis that CUDA, and the CPU backend with it, launches.
fn grid_limit(axis: Axis) -> u64 {
    match axis {
        Axis::X => (1 << 31) - 1,
        Axis::Y | Axis::Z => 65_535,
    }
}

/// The most threads of a block.
pub(crate) const BLOCK_LIMIT: u64 = 1024;

impl Symbol {
    pub(crate) fn new(kind: SymbolKind, spread: Uniformity, ceiling: u64) -> Symbol {
        Symbol(Rc::new(SymbolData { kind, spread, ceiling }))
    }

    pub(crate) fn launch(atom: Atom, ceiling: u64) -> Symbol {
        Symbol::new(SymbolKind::Launch(atom), Uniformity::Launch, ceiling)
    }

    pub(crate) fn grid_dim(axis: Axis) -> Symbol {
        Symbol::launch(Atom::GridDim(axis), grid_limit(axis))
    }

    pub(crate) fn block_dim(axis: Axis) -> Symbol {
        Symbol::launch(Atom::BlockDim(axis), BLOCK_LIMIT)
    }

    pub(crate) fn thread_idx(axis: Axis) -> Symbol {
        Symbol::new(SymbolKind::ThreadIdx(axis), Uniformity::Thread, BLOCK_LIMIT - 1)
    }

    pub(crate) fn block_idx(axis: Axis) -> Symbol {
        Symbol::new(SymbolKind::BlockIdx(axis), Uniformity::Block, grid_limit(axis) - 1)
    }
}

impl Deref for Symbol {
    type Target = SymbolData;

    fn deref(&self) -> &SymbolData {
        &self.0
    }
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Symbol) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for Symbol {}

impl Ord for Symbol {
    fn cmp(&self, other: &Symbol) -> Ordering {
        if Rc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.cmp(&other.0) }
    }
}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Symbol) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A sum of products of symbols, each with a coefficient that stands for its class modulo 2^64.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct NormalForm {
    pub(crate) terms: Terms,
}

impl NormalForm {
    pub(crate) fn constant(value: u64) -> NormalForm {
        let terms = if value == 0 { Terms::default() } else { Terms::one(Vec::new(), value.cast_signed()) };
        NormalForm { terms }
    }

    pub(crate) fn symbol(symbol: Symbol) -> NormalForm {
        NormalForm { terms: Terms::one(vec![symbol], 1) }
    }

    /// The value where the form is a number.
    pub(crate) fn as_constant(&self) -> Option<u64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.constant().map(i64::cast_unsigned),
            _ => None,
        }
    }

    /// The symbol where the form is just one.
    pub(crate) fn as_symbol(&self) -> Option<&Symbol> {
        match self.terms.as_slice() {
            [(factors, 1)] if factors.len() == 1 => factors.first(),
            _ => None,
        }
    }

    pub(crate) fn plus(&self, other: &NormalForm) -> NormalForm {
        let mut sum = self.clone();
        for (factors, coefficient) in other.terms.as_slice() {
            sum.add_term(factors, *coefficient);
        }
        sum.join_divisions();
        sum
    }

    pub(crate) fn minus(&self, other: &NormalForm) -> NormalForm {
        let mut difference = self.without(other);
        difference.join_divisions();
        difference
    }

    /// The terms of `self` less those of `part`, and no others: where `self` is the natural sum of its terms, so is what is left.
    /// (A dividend that [`minus`](NormalForm::minus) puts together again may itself have wrapped.)
    pub(crate) fn without(&self, part: &NormalForm) -> NormalForm {
        let mut rest = self.clone();
        for (factors, coefficient) in part.terms.as_slice() {
            rest.add_term(factors, coefficient.wrapping_neg());
        }
        rest
    }

    pub(crate) fn times(&self, other: &NormalForm) -> NormalForm {
        let mut product = NormalForm::default();
        for (a, x) in self.terms.as_slice() {
            for (b, y) in other.terms.as_slice() {
                let mut factors = [a.as_slice(), b.as_slice()].concat();
                factors.sort();
                product.add_term(&factors, x.wrapping_mul(*y));
            }
        }
        product.join_divisions();
        product
    }

    pub(crate) fn add_term(&mut self, factors: &[Symbol], coefficient: i64) {
        self.terms.add(factors, coefficient);
    }

    /// What `wanted` gives for a symbol in it, or in the operands of one.
    pub(crate) fn find<T>(&self, wanted: &dyn Fn(&Symbol) -> Option<T>) -> Option<T> {
        self.terms.keys().flatten().find_map(|symbol| {
            wanted(symbol).or_else(|| match &symbol.kind {
                SymbolKind::Operation(_, operands) => operands.iter().find_map(|operand| operand.find(wanted)),
                _ => None,
            })
        })
    }

    pub(crate) fn spread(&self) -> Uniformity {
        self.terms.keys().flatten().map(|symbol| symbol.spread).max().unwrap_or(Uniformity::Launch)
    }

    /// The sum of the terms as a polynomial over launch-time quantities, if there is nothing else in them. It is the value
    /// where nothing wraps.
    pub(crate) fn to_polynomial(&self) -> Option<Polynomial> {
        self.terms.as_slice().iter().try_fold(Polynomial::default(), |sum, (factors, coefficient)| {
            let term = factors.iter().try_fold(Polynomial::constant((*coefficient).into()), |term, symbol| match &symbol.kind {
                SymbolKind::Launch(atom) => term.times(&Polynomial::atom(atom.clone())),
                _ => None,
            })?;
            sum.plus(&term)
        })
    }

    /// The same in the natural numbers: no coefficient is negative.
    pub(crate) fn to_natural_polynomial(&self) -> Option<Polynomial> {
        self.to_polynomial().filter(Polynomial::is_never_negative)
    }

    /// The value itself, where the host can compute it: it is at most that, wrapped or not.
    pub(crate) fn to_quantity(&self) -> Option<Polynomial> {
        match self.as_constant() {
            Some(value) => Some(Polynomial::constant(value.into())),
            None => match &self.as_symbol()?.kind {
                SymbolKind::Launch(atom) => Some(Polynomial::atom(atom.clone())),
                _ => None,
            },
        }
    }

    /// Whether it is `part`, or `part` and more without wrap-around: then `part` is not the larger one.
    pub(crate) fn has_part(&self, part: &NormalForm) -> bool {
        if self == part {
            return true;
        }
        // Only with every coefficient and every symbol's largest value accounted for is it the natural sum of its terms.
        if !part.terms.keys().all(|factors| self.terms.contains(factors)) || !self.never_wraps() || !part.never_wraps() {
            return false;
        }
        let rest = self.minus(part);
        rest.never_wraps() && rest.plus(part) == *self
    }

    /// The word that the terms add up to, if the host knows them: what the device computes, wrapped or not.
    pub(crate) fn to_word(&self) -> Option<Atom> {
        let sum = self.terms.as_slice().iter().try_fold(Polynomial::default(), |sum, (factors, coefficient)| {
            let term = factors.iter().try_fold(Polynomial::constant((*coefficient).into()), |term, symbol| match &symbol.kind {
                SymbolKind::Launch(atom) => term.times(&Polynomial::atom(atom.clone())),
                SymbolKind::Operation(name, operands)
                    if name.is(IntegerOperation::Quotient, Scalar::Usize) && symbol.spread == Uniformity::Launch =>
                {
                    let [dividend, divisor] = operands.as_slice() else { return None };
                    let parts = [dividend, divisor].map(|part| part.to_word().map(Polynomial::atom));
                    let [Some(dividend), Some(divisor)] = parts else { return None };
                    term.times(&Polynomial::atom(Atom::Quotient(Box::new([dividend, divisor]))))
                }
                _ => None,
            })?;
            sum.plus(&term)
        })?;
        Some(Atom::Word(Box::new(sum)))
    }

    /// The same of a length that the host has computed without overflow before the launch: the polynomial is no larger.
    ///
    /// One term with a positive coefficient differs from the length by multiples of 2^64 times its factors. If it were the larger one,
    /// the length would be negative.
    pub(crate) fn to_exact_polynomial(&self) -> Option<Polynomial> {
        let is_one_term = self.terms.len() <= 1 && self.terms.values().all(|coefficient| coefficient > 0);
        (is_one_term || self.never_wraps()).then(|| self.to_polynomial()).flatten()
    }

    /// A measure of how much there is to compare.
    pub(crate) fn size(&self) -> usize {
        self.terms.size()
    }

    /// Whether the value is the sum of its terms in the natural numbers in every execution: no coefficient is negative and
    /// the largest values of all symbols together stay below 2^64.
    pub(crate) fn never_wraps(&self) -> bool {
        self.largest().is_some_and(|largest| largest <= u64::MAX.into())
    }

    /// The largest value of the sum of the terms in the natural numbers; `None` for a negative coefficient, or beyond `u128`.
    pub(crate) fn largest(&self) -> Option<u128> {
        self.terms.as_slice().iter().try_fold(0u128, |sum, (factors, coefficient)| {
            let coefficient = u128::try_from(*coefficient).ok()?;
            let term = factors.iter().try_fold(coefficient, |product, symbol| product.checked_mul(symbol.ceiling.into()))?;
            sum.checked_add(term)
        })
    }

    /// Rewrites `(a / b) * b + a % b` to `a`: true in the natural numbers, and so modulo 2^64 too.
    fn join_divisions(&mut self) {
        while let Some((quotient, remainder, coefficient, whole)) = self.find_division() {
            self.terms.remove(&quotient);
            self.terms.remove(&remainder);
            for (factors, x) in whole.terms.as_slice() {
                self.add_term(factors, x.wrapping_mul(coefficient));
            }
        }
    }

    /// Terms `c * R * (a / b) * b` and `c * R * (a % b)` for the same `c` and `R`, and `R * a`.
    #[allow(clippy::type_complexity)]
    fn find_division(&self) -> Option<(Vec<Symbol>, Vec<Symbol>, i64, NormalForm)> {
        for (remainder, coefficient) in self.terms.as_slice() {
            for (position, symbol) in remainder.iter().enumerate() {
                let SymbolKind::Operation(name, operands) = &symbol.kind else { continue };
                let (Some(quotient), [a, b]) = (name.quotient_of_remainder(), operands.as_slice()) else { continue };
                let mut rest = remainder.clone();
                rest.remove(position);
                let rest = NormalForm { terms: Terms::one(rest, 1) };
                let quotient = SymbolKind::Operation(quotient, operands.clone());
                let found = self.terms.keys().flatten().find(|symbol| symbol.kind == quotient);
                let Some(quotient) = found else { continue };
                let mut product = NormalForm::default();
                for (factors, x) in b.terms.as_slice() {
                    let mut factors = [factors.as_slice(), std::slice::from_ref(quotient)].concat();
                    factors.extend(rest.terms.keys().flatten().cloned());
                    factors.sort();
                    product.add_term(&factors, x.wrapping_mul(*coefficient));
                }
                let [(factors, x)] = product.terms.as_slice() else { continue };
                if self.terms.get(factors) == Some(*x) {
                    let mut whole = NormalForm::default();
                    for (a_factors, x) in a.terms.as_slice() {
                        let mut factors = a_factors.clone();
                        factors.extend(rest.terms.keys().flatten().cloned());
                        factors.sort();
                        whole.add_term(&factors, *x);
                    }
                    return Some((factors.clone(), remainder.clone(), *coefficient, whole));
                }
            }
        }
        None
    }
}

impl Symbol {
    /// The type of fewer than 64 bits of which it is a sum, difference or product.
    pub(crate) fn narrow_arithmetic(&self) -> Option<&'static str> {
        let SymbolKind::Operation(name, _) = &self.kind else { return None };
        name.narrow_arithmetic()
    }

    /// The number of a symbol of which each iteration of the loops around has one.
    pub(crate) fn number(&self) -> Option<usize> {
        match &self.kind {
            SymbolKind::Fresh(number) | SymbolKind::Stepped { number, .. } => Some(*number),
            _ => None,
        }
    }

    /// Whether it comes from memory, or from what nothing is known of.
    pub(crate) fn is_data(&self) -> bool {
        match &self.kind {
            SymbolKind::Fresh(_) | SymbolKind::Ticket(_) => true,
            SymbolKind::Operation(name, _) => name.is_element(),
            _ => false,
        }
    }

    /// The forms that it is made of.
    pub(crate) fn operands(&self) -> Vec<&NormalForm> {
        match &self.kind {
            SymbolKind::Operation(_, operands) => operands.iter().collect(),
            SymbolKind::Stepped { start, step, limit, .. } => {
                [start, step].into_iter().chain(limit.as_ref().map(|limit| &limit.below)).collect()
            }
            SymbolKind::Ticket(Ticket { element, amount, .. }) => vec![element, amount],
            _ => Vec::new(),
        }
    }

    pub(crate) fn size(&self) -> usize {
        1 + self.operands().into_iter().map(NormalForm::size).sum::<usize>()
    }
}
