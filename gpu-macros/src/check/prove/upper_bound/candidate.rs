//! A bound of a value under conditions, and what is computed with bounds.

use crate::model::{Atom, Inequality, Polynomial};
use std::rc::Rc;

/// A bound of a value: see [the module above](super).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) most: Polynomial,
    pub(crate) needs: Needs,
}

/// The bounds of a value, those from guards first.
pub(crate) type Candidates = Rc<[Candidate]>;

/// More candidates for one value than this are dropped, the later ones first.
pub(crate) const MOST_CANDIDATES: usize = 6;

/// Conditions on the launch.
pub(crate) type Needs = Vec<Inequality>;

/// All of them.
pub(crate) fn both(parts: impl Iterator<Item = Option<Needs>>) -> Option<Needs> {
    parts.collect::<Option<Vec<Needs>>>().map(|needs| needs.concat())
}

impl Candidate {
    pub(crate) fn without_needs(most: Polynomial) -> Candidate {
        Candidate { most, needs: Vec::new() }
    }

    pub(crate) fn plus_constant(&self, value: i128) -> Option<Candidate> {
        Some(Candidate { most: self.most.plus_constant(value)?, needs: self.needs.clone() })
    }

    /// Rounds down: as a polynomial where a number divides the coefficients of all but the number, else the host divides. (The value is
    /// at least 0, so its bound is.)
    pub(crate) fn divided_by(mut self, divisor: &Candidate) -> Candidate {
        for need in &divisor.needs {
            if !self.needs.contains(need) {
                self.needs.push(need.clone());
            }
        }
        match divisor.most.as_constant() {
            Some(number) if number > 0 && self.most.terms.iter().all(|term| term.factors.is_empty() || term.coefficient % number == 0) => {
                self.most.terms.iter_mut().for_each(|term| term.coefficient = term.coefficient.div_euclid(number));
                self.most.terms.retain(|term| term.coefficient != 0);
            }
            _ => self.most = Polynomial::atom(Atom::Quotient(Box::new([self.most, divisor.most.clone()]))),
        }
        self
    }
}

/// Every pair of bounds, combined.
pub(crate) fn combine(
    left: &[Candidate],
    right: &[Candidate],
    operation: impl Fn(&Polynomial, &Polynomial) -> Option<Polynomial>,
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for a in left {
        push_all(
            &mut candidates,
            right.iter().filter_map(|b| {
                let mut needs = a.needs.clone();
                needs.extend(b.needs.iter().filter(|need| !a.needs.contains(need)).cloned());
                Some(Candidate { most: operation(&a.most, &b.most)?, needs })
            }),
        );
    }
    candidates
}

pub(crate) fn push_all(candidates: &mut Vec<Candidate>, more: impl IntoIterator<Item = Candidate>) {
    for candidate in more {
        if candidates.len() == MOST_CANDIDATES {
            return;
        }
        if !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    }
}

/// The bounds of a dividend, divided, and as they are: they are bounds of the quotient too, and say more to someone who compares them
/// with other multiples of the same.
pub(crate) fn upper_of_quotient(bounds: &[Candidate], divisor: Option<&Candidate>) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    if let Some(divisor) = divisor {
        push_all(&mut candidates, bounds.iter().cloned().map(|bound| bound.divided_by(divisor)));
    }
    push_all(&mut candidates, bounds.iter().cloned());
    candidates
}

/// The bounds of one of several alternatives that bound the others too.
pub(crate) fn common(alternatives: &[Candidates]) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for bound in alternatives.iter().flat_map(|bounds| bounds.iter()) {
        let within = |other: &&Candidate| bound.most.minus(&other.most).is_some_and(|slack| slack.is_never_negative());
        let covered = alternatives.iter().map(|others| others.iter().find(within).map(|other| other.needs.clone()));
        if let Some(mut needs) = both(covered) {
            needs.extend(bound.needs.iter().cloned());
            let mut distinct: Needs = Vec::new();
            for need in needs {
                if !distinct.contains(&need) {
                    distinct.push(need);
                }
            }
            push_all(&mut candidates, [Candidate { most: bound.most.clone(), needs: distinct }]);
        }
    }
    candidates
}
