//! Whether one value is at most another.

use super::candidate::{Candidate, Needs, both, combine};
use super::{Bounds, DEPTH, below_2_to_the_64, is_part};
use crate::check::values::form::NormalForm;
use crate::check::values::value::{Exact, Kind, Value};
use crate::check::walk::facts::{Fact, Relation};
use crate::model::Polynomial;
use std::rc::Rc;

/// How many values the question of a subtraction may visit: there are many of them.
const LITTLE_FUEL: usize = 60;

impl Bounds<'_> {
    /// Whether `b <= a` in every execution, of words without a sign.
    pub(in crate::check) fn shows_at_most(&self, b: &Value, a: &Value) -> bool {
        self.fuel.set(self.fuel.get().min(LITTLE_FUEL));
        self.needs_for_at_most(b, a, DEPTH).is_some_and(|needs| needs.is_empty())
    }

    /// What the launch must satisfy so that the facts show `b <= a`.
    pub(super) fn needs_for_at_most(&self, b: &Value, a: &Value, depth: usize) -> Option<Needs> {
        let key = (Rc::as_ptr(b), Rc::as_ptr(a), depth);
        if let Some(known) = self.comparisons.borrow().get(&key) {
            return known.clone();
        }
        let needs = self.find_needs_for_at_most(b, a, depth);
        self.comparisons.borrow_mut().insert(key, needs.clone());
        needs
    }

    fn find_needs_for_at_most(&self, b: &Value, a: &Value, depth: usize) -> Option<Needs> {
        if !self.spend_fuel() {
            return None;
        }
        let (least, most) = (self.interval(a), self.interval(b));
        let by_intervals = least.is_natural() && most.is_natural() && most.most <= least.least;
        if by_intervals || b.form.as_constant() == Some(0) || is_part(&a.form, &b.form) || self.says_at_most(b, a) {
            return Some(Vec::new());
        }
        let depth = depth.checked_sub(1)?;
        self.at_most_by_upper_part(b, a, depth)
            .or_else(|| self.at_most_by_lower_part(b, a, depth))
            .or_else(|| self.at_most_by_steps(b, a, depth))
            .or_else(|| self.at_most_by_polynomials(b, a, depth))
    }

    /// Whether one fact says `b <= a`.
    fn says_at_most(&self, b: &Value, a: &Value) -> bool {
        let a_plus_1 = a.form.plus(&NormalForm::constant(1));
        let number = b.form.as_constant();
        self.facts().any(|Fact { left, relation, right, .. }| {
            let between = |low: &Value, high: &Value| is_part(&low.form, &b.form) && is_part(&a.form, &high.form);
            // For a number `b`: `high` is above some number.
            let above = |low: &Value, high: &Value, gap: i128| {
                let least = low.interval.least.max(0) + gap;
                number.is_some_and(|b| low.interval.is_natural() && i128::from(b) <= least) && is_part(&a.form, &high.form)
            };
            match relation {
                // `p < q` also says `p <= q - 1`, for then `q` is at least 1 and `q - 1` does not wrap.
                Relation::Less => between(left, right) || right.form == a_plus_1 && is_part(&left.form, &b.form) || above(left, right, 1),
                Relation::LessEqual => between(left, right) || above(left, right, 0),
                Relation::Equal => between(left, right) || between(right, left) || above(left, right, 0) || above(right, left, 0),
                Relation::NotEqual => {
                    let is_zero = |value: &Value| value.form.as_constant() == Some(0);
                    number == Some(1) && (left.form == a.form && is_zero(right) || right.form == a.form && is_zero(left))
                }
                Relation::LessSigned | Relation::LessEqualSigned => false,
            }
        })
    }

    /// `b <= a` because of what `b` is.
    fn at_most_by_upper_part(&self, b: &Value, a: &Value, depth: usize) -> Option<Needs> {
        let at_most = |part: &Value| self.needs_for_at_most(part, a, depth);
        match &b.kind {
            Kind::AtMost(parts) => parts.iter().find_map(at_most),
            Kind::Minimum(parts) => parts.iter().find_map(at_most),
            Kind::Remainder(part, below) => at_most(part).or_else(|| at_most(below)),
            Kind::Quotient(part, _)
            | Kind::Share(part, _)
            | Kind::Excess(part, _)
            | Kind::RoundedUp(part, _)
            | Kind::Difference { of: [part, _], exact: true } => at_most(part),
            Kind::Maximum(parts) => both(parts.iter().map(at_most)),
            Kind::OneOf(alternatives) => {
                both(alternatives.iter().map(|(value, facts)| self.of_alternative(facts).needs_for_at_most(value, a, depth)))
            }
            _ => None,
        }
    }

    /// `b <= a` because of what `a` is.
    fn at_most_by_lower_part(&self, b: &Value, a: &Value, depth: usize) -> Option<Needs> {
        let at_least = |part: &Value| self.needs_for_at_most(b, part, depth);
        match &a.kind {
            Kind::Sum { of: [x, y], exact } if *exact != Exact::Unknown => {
                let mut needs = at_least(x).or_else(|| at_least(y))?;
                if *exact == Exact::UnlessItWraps {
                    needs.extend(self.needs_against_wrap(x, y, depth)?);
                }
                Some(needs)
            }
            Kind::Product { of: [x, y], exact: Exact::Always } if self.interval(y).least >= 1 => at_least(x),
            Kind::Product { of: [x, y], exact: Exact::Always } if self.interval(x).least >= 1 => at_least(y),
            Kind::Maximum(parts) => parts.iter().find_map(at_least),
            Kind::Minimum(parts) => both(parts.iter().map(at_least)),
            Kind::OneOf(alternatives) => {
                both(alternatives.iter().map(|(value, facts)| self.of_alternative(facts).needs_for_at_most(b, value, depth)))
            }
            _ => None,
        }
    }

    /// When `x + y` does not wrap.
    pub(super) fn needs_against_wrap(&self, x: &Value, y: &Value, depth: usize) -> Option<Needs> {
        let sums = combine(&self.upper_to_depth(x, depth), &self.upper_to_depth(y, depth), Polynomial::plus);
        let sum = sums.into_iter().min_by_key(|sum| (sum.needs.len(), sum.most.terms.len()))?;
        let mut needs = sum.needs;
        needs.push(below_2_to_the_64(sum.most));
        Some(needs)
    }

    /// `b <= c` by a fact, and `c <= a`.
    fn at_most_by_steps(&self, b: &Value, a: &Value, depth: usize) -> Option<Needs> {
        let number = b.form.as_constant();
        self.facts().find_map(|Fact { left, relation, right, .. }| match relation {
            // `c` is above some number.
            Relation::Less if number.is_some_and(|b| left.interval.is_natural() && i128::from(b) <= left.interval.least + 1) => {
                self.needs_for_at_most(right, a, depth)
            }
            Relation::Less | Relation::LessEqual | Relation::Equal if left.form == b.form => self.needs_for_at_most(right, a, depth),
            Relation::Equal if right.form == b.form => self.needs_for_at_most(left, a, depth),
            _ => None,
        })
    }

    /// `b` has a bound that is at most the polynomial `a`. As `b` is not negative, neither is the polynomial, so `a` is equal to it unless
    /// it is too large for a word.
    fn at_most_by_polynomials(&self, b: &Value, a: &Value, depth: usize) -> Option<Needs> {
        let polynomial = a.form.to_polynomial()?;
        let mut positive = a.form.clone();
        positive.terms.retain(|coefficient| coefficient > 0);
        if !positive.never_wraps() {
            return None;
        }
        let shows = |bound: &Candidate| {
            let slack = polynomial.minus(&bound.most).is_some_and(|slack| slack.is_never_negative());
            slack && bound.needs.is_empty()
        };
        self.upper_to_depth(b, depth).iter().any(shows).then(Vec::new)
    }
}
