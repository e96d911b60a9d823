//! Upper bounds of values, as polynomials that the host can evaluate at launch.
//!
//! The claim of a [`Candidate`] is: at any point where the facts hold, on any launch that satisfies `needs`, the value is at
//! most `most`. By induction over how the value came about:
//!
//! * A quantity known at launch is at most itself; a fact `v < r` gives `v <= r - 1`, and `r` is at most its own bound.
//! * Sums and products of unsigned integers are at most the sum and product of their operands' bounds. Wrap-around only makes
//!   the result smaller. Multiplying bounds is monotone because the operands are at least 0, and where the operands were
//!   evaluated at all their bounds are at least the operands, so at least 0 too.
//! * A bound may be negative on some launch. Then the facts it rests on hold nowhere on that launch, and the access that
//!   relies on it never happens.
//! * `a - b` wraps when `a < b`, so it has a bound only where `b <= a` follows from a fact, or from a condition on the launch
//!   that goes to `needs`.

use super::facts::{Fact, Facts, Relation};
use super::form::{NormalForm, Symbol, SymbolKind};
use super::value::{Kind, Value};
use crate::model::{Inequality, Polynomial};
use std::cell::Cell;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) most: Polynomial,
    pub(super) needs: Vec<Inequality>,
}

/// More candidates for one value than this are dropped, the later ones first.
const MOST_CANDIDATES: usize = 6;
/// How many facts may be followed one after the other.
const DEPTH: usize = 4;
/// How many values one question may visit: the facts can form cycles and the values a lattice.
const FUEL: usize = 500;

/// Answers questions about bounds at one point of the program.
pub(super) struct Bounds<'f> {
    facts: &'f Facts,
    fuel: Cell<usize>,
}

impl<'f> Bounds<'f> {
    pub(super) fn new(facts: &'f Facts) -> Self {
        Bounds { facts, fuel: Cell::new(FUEL) }
    }

    /// Upper bounds of `value`, those from guards first.
    pub(super) fn upper(&self, value: &Value) -> Vec<Candidate> {
        self.upper_to_depth(value, DEPTH)
    }

    /// Upper bounds of a symbol by itself.
    pub(super) fn upper_of_symbol(&self, symbol: &Symbol) -> Vec<Candidate> {
        let form = NormalForm::symbol(symbol.clone());
        let mut candidates = self.upper_by_facts(&form, DEPTH);
        push_all(&mut candidates, launch_quantity(&form).map(Candidate::without_needs));
        candidates
    }

    fn upper_to_depth(&self, value: &Value, depth: usize) -> Vec<Candidate> {
        let Some(fuel) = self.fuel.get().checked_sub(1) else { return Vec::new() };
        self.fuel.set(fuel);
        let mut candidates = if depth == 0 { Vec::new() } else { self.upper_by_facts(&value.form, depth) };
        push_all(&mut candidates, launch_quantity(&value.form).map(Candidate::without_needs));
        if value.form.as_constant().is_none() {
            push_all(&mut candidates, self.upper_by_kind(value, depth));
        }
        candidates
    }

    fn upper_by_facts(&self, form: &NormalForm, depth: usize) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        if form.as_constant().is_some() {
            return candidates;
        }
        for Fact { left, relation, right } in self.facts.iter() {
            let strict = i128::from(*relation == Relation::Less);
            match relation {
                Relation::NotEqual => {}
                Relation::Equal if right.form == *form => push_all(&mut candidates, self.upper_to_depth(left, depth - 1)),
                Relation::Less | Relation::LessEqual | Relation::Equal => {
                    if let Some(rest) = least_rest(&left.form, form) {
                        let bounds = self.upper_to_depth(right, depth - 1);
                        push_all(&mut candidates, bounds.into_iter().filter_map(|bound| bound.plus_constant(-strict - i128::from(rest))));
                    }
                }
            }
        }
        candidates
    }

    fn upper_by_kind(&self, value: &Value, depth: usize) -> Vec<Candidate> {
        match &value.kind {
            Kind::Sum(a, b) => combine(&self.upper_to_depth(a, depth), &self.upper_to_depth(b, depth), Polynomial::plus),
            Kind::Product(a, b) => combine(&self.upper_to_depth(a, depth), &self.upper_to_depth(b, depth), Polynomial::times),
            Kind::AtMost(values) => {
                let mut candidates = Vec::new();
                for value in values {
                    push_all(&mut candidates, self.upper_to_depth(value, depth));
                }
                candidates
            }
            Kind::Remainder(a, b) => {
                let below = self.upper_to_depth(b, depth).into_iter().filter_map(|bound| bound.plus_constant(-1));
                let mut candidates: Vec<Candidate> = below.collect();
                push_all(&mut candidates, self.upper_to_depth(a, depth));
                candidates
            }
            Kind::Quotient(a, divisor) => {
                self.upper_to_depth(a, depth).into_iter().map(|bound| bound.divided_by((*divisor).into())).collect()
            }
            Kind::Difference(a, b) => self.upper_of_difference(a, b, depth),
            _ => Vec::new(),
        }
    }

    /// `a - b <= upper(a) - b` where `b <= a`. For a `b` that the host cannot name, its least value, 0, is subtracted.
    fn upper_of_difference(&self, a: &Value, b: &Value, depth: usize) -> Vec<Candidate> {
        let subtrahend = launch_quantity(&b.form).unwrap_or_default();
        let needs = match self.shows_at_least(a, b) {
            true => Vec::new(),
            false => match needs_at_least(&a.form, &b.form) {
                Some(needs) => needs,
                None => return Vec::new(),
            },
        };
        let candidates = self.upper_to_depth(a, depth).into_iter().filter_map(|mut bound| {
            bound.most = bound.most.minus(&subtrahend)?;
            bound.needs.extend(needs.iter().cloned());
            Some(bound)
        });
        candidates.collect()
    }

    /// Whether a fact says `b <= a`.
    fn shows_at_least(&self, a: &Value, b: &Value) -> bool {
        if b.form.as_constant() == Some(0) {
            return true;
        }
        let a_plus_1 = a.form.plus(&NormalForm::constant(1));
        self.facts.iter().any(|Fact { left, relation, right }| {
            // For the number `b`: a fact that puts `a` above some number.
            let above = |smaller: &Value, larger: &Value, least_gap: u64| {
                let least = smaller.form.as_constant().unwrap_or(0).saturating_add(least_gap);
                larger.form == a.form && b.form.as_constant().is_some_and(|b| b <= least)
            };
            match relation {
                // `p < q` also says `p <= q - 1`, for then `q` is at least 1 and `q - 1` does not wrap.
                Relation::Less => left.form == b.form && (right.form == a.form || right.form == a_plus_1) || above(left, right, 1),
                Relation::LessEqual => left.form == b.form && right.form == a.form || above(left, right, 0),
                Relation::Equal => {
                    above(left, right, 0) && left.form.as_constant().is_some()
                        || above(right, left, 0) && right.form.as_constant().is_some()
                }
                Relation::NotEqual => {
                    let zero = Some(0);
                    b.form.as_constant() == Some(1)
                        && (left.form == a.form && right.form.as_constant() == zero
                            || right.form == a.form && left.form.as_constant() == zero)
                }
            }
        })
    }
}

/// When a bound of `whole` bounds `part` too: `whole` is `part`, or `part` and more without wrap-around. Gives the number by
/// which `whole` is larger at least.
fn least_rest(whole: &NormalForm, part: &NormalForm) -> Option<u64> {
    if whole == part {
        return Some(0);
    }
    // Only with every coefficient and every symbol's largest value accounted for is `whole` the natural sum of its terms.
    if !part.terms.keys().all(|factors| whole.terms.contains_key(factors)) || !whole.never_wraps() || !part.never_wraps() {
        return None;
    }
    let rest = whole.minus(part);
    if !rest.never_wraps() || rest.plus(part) != *whole {
        return None;
    }
    rest.terms.get(&[] as &[Symbol]).map_or(Some(0), |constant| u64::try_from(*constant).ok())
}

/// The value itself, where the host can compute it: it is at most that, wrapped or not.
pub(super) fn launch_quantity(form: &NormalForm) -> Option<Polynomial> {
    match form.as_constant() {
        Some(value) => Some(Polynomial::constant(value.into())),
        None => match &form.as_symbol()?.kind {
            SymbolKind::Launch(atom) => Some(Polynomial::atom(atom.clone())),
            _ => None,
        },
    }
}

/// Conditions on the launch under which `b <= a`, for a number or single quantity `b` and a natural polynomial `a`.
fn needs_at_least(a: &NormalForm, b: &NormalForm) -> Option<Vec<Inequality>> {
    let b = launch_quantity(b)?;
    let most = exact(a)?;
    let mut needs = vec![Inequality { most: b, length: most.plus_constant(1)? }];
    if !a.never_wraps() {
        needs.push(below_2_to_the_64(most));
    }
    Some(needs)
}

/// `most < 2^64`.
pub(super) fn below_2_to_the_64(most: Polynomial) -> Inequality {
    Inequality { most, length: Polynomial::constant(1 << 64) }
}

/// The sum of the terms of a form over launch-time quantities, in the natural numbers: no coefficient is negative.
pub(super) fn exact(form: &NormalForm) -> Option<Polynomial> {
    form.to_polynomial().filter(Polynomial::is_never_negative)
}

impl Candidate {
    fn without_needs(most: Polynomial) -> Candidate {
        Candidate { most, needs: Vec::new() }
    }

    fn plus_constant(mut self, value: i128) -> Option<Candidate> {
        self.most = self.most.plus_constant(value)?;
        Some(self)
    }

    /// Rounds down where every coefficient divides; else the undivided bound, which is one too: the value is at least 0,
    /// so its bound is.
    fn divided_by(mut self, divisor: i128) -> Candidate {
        if let Some(constant) = self.most.as_constant().filter(|constant| *constant >= 0) {
            self.most = Polynomial::constant(constant / divisor);
        } else if self.most.terms.iter().all(|term| term.coefficient % divisor == 0) {
            self.most.terms.iter_mut().for_each(|term| term.coefficient /= divisor);
        }
        self
    }
}

/// Every pair of bounds, combined.
pub(super) fn combine(
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

fn push_all(candidates: &mut Vec<Candidate>, more: impl IntoIterator<Item = Candidate>) {
    for candidate in more {
        if candidates.len() < MOST_CANDIDATES && !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    }
}
