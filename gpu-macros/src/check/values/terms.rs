//! The terms of a normal form, which many values share.

use super::form::Symbol;
use std::cell::Cell;
use std::cmp::Ordering;
use std::rc::Rc;

/// Coefficients by the factors of the term. Forms are parts of symbols, and these of other forms: a copy shares everything until it
/// changes.
///
/// Most forms have one to three terms, so a sorted vector takes less time than a map.
#[derive(Debug, Clone, Default)]
pub(crate) struct Terms(Rc<Shared>);

#[derive(Debug, Clone, Default)]
struct Shared {
    /// Sorted by the factors.
    terms: Vec<(Vec<Symbol>, i64)>,
    /// A measure of how much there is to compare, once it is known.
    size: Cell<Option<usize>>,
}

impl Terms {
    pub(crate) fn one(factors: Vec<Symbol>, coefficient: i64) -> Terms {
        Terms(Rc::new(Shared { terms: vec![(factors, coefficient)], size: Cell::new(None) }))
    }

    pub(crate) fn size(&self) -> usize {
        if let Some(size) = self.0.size.get() {
            return size;
        }
        let size = self.keys().map(|factors| 1 + factors.iter().map(Symbol::size).sum::<usize>()).sum();
        self.0.size.set(Some(size));
        size
    }

    pub(crate) fn len(&self) -> usize {
        self.0.terms.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.terms.is_empty()
    }

    /// In the order of the factors.
    pub(crate) fn as_slice(&self) -> &[(Vec<Symbol>, i64)] {
        &self.0.terms
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &Vec<Symbol>> {
        self.0.terms.iter().map(|(factors, _)| factors)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = i64> {
        self.0.terms.iter().map(|(_, coefficient)| *coefficient)
    }

    pub(crate) fn get(&self, factors: &[Symbol]) -> Option<i64> {
        self.find(factors).ok().map(|at| self.0.terms[at].1)
    }

    pub(crate) fn contains(&self, factors: &[Symbol]) -> bool {
        self.find(factors).is_ok()
    }

    /// The term without factors, if there is one.
    pub(crate) fn constant(&self) -> Option<i64> {
        match self.0.terms.first() {
            Some((factors, constant)) if factors.is_empty() => Some(*constant),
            _ => None,
        }
    }

    /// Adds modulo 2^64. No coefficient is 0.
    pub(crate) fn add(&mut self, factors: &[Symbol], coefficient: i64) {
        if coefficient == 0 {
            return;
        }
        let found = self.find(factors);
        let terms = self.terms_mut();
        match found {
            Err(at) => terms.insert(at, (factors.to_vec(), coefficient)),
            Ok(at) => match terms[at].1.wrapping_add(coefficient) {
                0 => drop(terms.remove(at)),
                sum => terms[at].1 = sum,
            },
        }
    }

    pub(crate) fn remove(&mut self, factors: &[Symbol]) {
        if let Ok(at) = self.find(factors) {
            self.terms_mut().remove(at);
        }
    }

    fn find(&self, factors: &[Symbol]) -> Result<usize, usize> {
        for (at, (own, _)) in self.0.terms.iter().enumerate() {
            match own.as_slice().cmp(factors) {
                Ordering::Less => {}
                Ordering::Equal => return Ok(at),
                Ordering::Greater => return Err(at),
            }
        }
        Err(self.0.terms.len())
    }

    fn terms_mut(&mut self) -> &mut Vec<(Vec<Symbol>, i64)> {
        let own = Rc::make_mut(&mut self.0);
        own.size.set(None);
        &mut own.terms
    }
}

impl PartialEq for Terms {
    fn eq(&self, other: &Terms) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.0.terms == other.0.terms
    }
}

impl Eq for Terms {}

impl Ord for Terms {
    fn cmp(&self, other: &Terms) -> Ordering {
        if Rc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.terms.cmp(&other.0.terms) }
    }
}

impl PartialOrd for Terms {
    fn partial_cmp(&self, other: &Terms) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
