//! Arithmetic of launch-time polynomials.
//!
//! Every operation is checked: `None` means that a coefficient left `i128`, and the caller then knows nothing.

use crate::model::{Atom, Inequality, Polynomial, Term};
use std::rc::Rc;

impl Polynomial {
    /// The constant, and the terms with factors.
    fn split_constant(&self) -> (i128, &[Term]) {
        match &self.terms[..] {
            [constant, rest @ ..] if constant.factors.is_empty() => (constant.coefficient, rest),
            terms => (0, terms),
        }
    }

    pub(crate) fn constant(value: i128) -> Polynomial {
        Polynomial { terms: if value == 0 { Vec::new() } else { vec![Term { coefficient: value, factors: Rc::default() }] } }
    }

    pub(crate) fn atom(atom: Atom) -> Polynomial {
        Polynomial { terms: vec![Term { coefficient: 1, factors: Rc::new([atom]) }] }
    }

    /// The value, where it does not depend on the launch.
    pub(crate) fn as_constant(&self) -> Option<i128> {
        match self.terms.as_slice() {
            [] => Some(0),
            [term] if term.factors.is_empty() => Some(term.coefficient),
            _ => None,
        }
    }

    pub(crate) fn plus(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut sum = self.clone();
        for term in &other.terms {
            sum.add_term(term.coefficient, &term.factors)?;
        }
        Some(sum)
    }

    pub(crate) fn minus(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut difference = self.clone();
        for term in &other.terms {
            difference.add_term(term.coefficient.checked_neg()?, &term.factors)?;
        }
        Some(difference)
    }

    pub(crate) fn plus_constant(&self, value: i128) -> Option<Polynomial> {
        self.plus(&Polynomial::constant(value))
    }

    /// `None` where it is too large, for the host and for who looks for it.
    pub(crate) fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        const MOST_PAIRS: usize = 256;
        if self.terms.len() * other.terms.len() > MOST_PAIRS {
            return None;
        }
        let mut product = Polynomial::default();
        for a in &self.terms {
            for b in &other.terms {
                let mut factors = [&a.factors[..], &b.factors].concat();
                factors.sort();
                product.add_term(a.coefficient.checked_mul(b.coefficient)?, &factors.into())?;
            }
        }
        Some(product)
    }

    /// Whether the value is at least 0 on every launch: every atom is, so non-negative coefficients are enough.
    pub(crate) fn is_never_negative(&self) -> bool {
        self.terms.iter().all(|term| term.coefficient >= 0)
    }

    /// Whether the value is below 0 on every launch.
    pub(crate) fn is_always_negative(&self) -> bool {
        self.terms.iter().all(|term| term.coefficient <= 0) && self.terms.iter().any(|term| term.factors.is_empty())
    }

    /// Whether the value is at most `limit` on every launch.
    pub(crate) fn is_at_most(&self, limit: i128) -> bool {
        let (constant, sizes) = self.split_constant();
        constant <= limit && sizes.iter().all(|term| term.coefficient < 0)
    }

    /// Whether such an atom occurs.
    pub(crate) fn any(&self, asked: &dyn Fn(&Atom) -> bool) -> bool {
        self.terms.iter().flat_map(|term| term.factors.iter()).any(|atom| atom.any(asked))
    }

    fn add_term(&mut self, coefficient: i128, factors: &Rc<[Atom]>) -> Option<()> {
        if coefficient == 0 {
            return Some(());
        }
        match self.terms.binary_search_by(|term| term.factors.cmp(factors)) {
            Ok(at) => {
                let sum = self.terms[at].coefficient.checked_add(coefficient)?;
                if sum == 0 {
                    self.terms.remove(at);
                } else {
                    self.terms[at].coefficient = sum;
                }
            }
            Err(at) => self.terms.insert(at, Term { coefficient, factors: Rc::clone(factors) }),
        }
        Some(())
    }
}

impl Inequality {
    /// Whether the other one follows because it differs by a constant alone.
    pub(crate) fn implies(&self, other: &Inequality) -> bool {
        let ((most, most_terms), (length, length_terms)) = (self.most.split_constant(), self.length.split_constant());
        let ((other_most, other_most_terms), (other_length, other_length_terms)) =
            (other.most.split_constant(), other.length.split_constant());
        let (margin, other_margin) = (most.checked_sub(length), other_most.checked_sub(other_length));
        self.or.is_empty()
            && most_terms == other_most_terms
            && length_terms == other_length_terms
            && margin.is_some()
            && other_margin.is_some_and(|other| Some(other) <= margin)
    }

    /// `most < length`.
    pub(crate) fn below(most: Polynomial, length: Polynomial) -> Inequality {
        Inequality { most, length, or: Vec::new() }
    }

    /// Whether `test` accepts a quantity that it is about.
    pub(crate) fn any(&self, test: &dyn Fn(&Atom) -> bool) -> bool {
        self.most.any(test) || self.length.any(test) || self.or.iter().any(|other| other.any(test))
    }

    /// `length - 1 - most`: the inequality holds exactly where this is not negative.
    pub(crate) fn slack(&self) -> Option<Polynomial> {
        self.length.minus(&self.most)?.plus_constant(-1)
    }

    /// The inequality as `left <= right`, with no negative coefficient. One that is too large to compute with never holds.
    pub(crate) fn sides(&self) -> (Polynomial, Polynomial) {
        self.positive_sides().unwrap_or_else(|| (Polynomial::constant(1), Polynomial::default()))
    }

    fn positive_sides(&self) -> Option<(Polynomial, Polynomial)> {
        let (right, left): (Vec<Term>, Vec<Term>) = self.slack()?.terms.into_iter().partition(|term| term.coefficient >= 0);
        Some((Polynomial::default().minus(&Polynomial { terms: left })?, Polynomial { terms: right }))
    }

    /// `most < 2^64`.
    pub(crate) fn below_2_to_the_64(most: Polynomial) -> Inequality {
        Inequality::below(most, Polynomial::constant(1 << 64))
    }

    /// That no others use the atomics of a parameter during the launch.
    pub(crate) fn exclusive(param: usize) -> Inequality {
        Inequality::below(Polynomial::atom(Atom::Shared(param)), Polynomial::constant(1))
    }

    /// The parameter, if it says that.
    pub(crate) fn as_exclusive(&self) -> Option<usize> {
        match self.most.terms.as_slice() {
            [Term { factors, .. }] => match &factors[..] {
                [Atom::Shared(param)] => Some(*param),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it is about constants alone, so that rustc decides it.
    pub(crate) fn is_constant(&self) -> bool {
        let mut atoms = self.most.terms.iter().chain(&self.length.terms).flat_map(|term| term.factors.iter());
        atoms.all(|atom| matches!(atom, Atom::Constant(_))) && self.or.iter().all(Inequality::is_constant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Passed;

    fn param(index: usize) -> Polynomial {
        Polynomial::atom(Atom::Param(Passed::whole(index)))
    }

    #[test]
    fn products_distribute_and_cancel() {
        let (m, k) = (param(0), param(1));
        let row = m.plus_constant(-1).unwrap();
        let most = row.times(&k).unwrap().plus(&k).unwrap().plus_constant(-1).unwrap();
        assert_eq!(most, m.times(&k).unwrap().plus_constant(-1).unwrap());
        assert_eq!(k.times(&m), m.times(&k));
        assert_eq!(m.minus(&m), Some(Polynomial::default()));
    }

    #[test]
    fn overflow_is_not_a_value() {
        let huge = Polynomial::constant(i128::MAX);
        assert_eq!(huge.plus_constant(1), None);
        assert_eq!(huge.times(&Polynomial::constant(2)), None);
    }

    #[test]
    fn signs_are_judged_for_every_launch() {
        let n = param(0);
        assert!(n.is_never_negative());
        assert!(!n.plus_constant(-1).unwrap().is_never_negative());
        assert!(!n.plus_constant(-1).unwrap().is_always_negative());
        assert!(Polynomial::default().minus(&n).unwrap().plus_constant(-1).unwrap().is_always_negative());
        assert!(!Polynomial::default().is_always_negative());
    }
}
