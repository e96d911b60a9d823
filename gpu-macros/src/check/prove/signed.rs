//! Signed integers that may be negative, as sums of natural numbers.
//!
//! The word of a negative integer says nothing. But a sum, difference or product of integers that cannot leave the range of 64 bits with a sign, by
//! the intervals of its operands, is its value: both are in that range, and equal modulo 2^64. So a comparison of signed integers is one of
//! sums, and the word of a value that is not negative is its sum.

use super::conditions::Needs;
use super::nonnegative::{Allowed, NOTHING};
use super::point::Point;
use super::sum::Sum;
use super::system::System;
use crate::check::values::interval::Interval;
use crate::check::values::value::{Kind, Value};
use crate::check::walk::facts::{Fact, Relation};

/// How many sums and products may be in each other.
const MOST_NESTED: usize = 8;

/// Whether the word of `value` may be that of a negative integer, which is made of others.
pub(super) fn may_be_negative_sum(value: &Value) -> bool {
    let is_ring = matches!(value.kind, Kind::Sum { .. } | Kind::Product { .. } | Kind::Difference { .. });
    is_ring && value.interval.least < 0 && value.interval.is_within(Interval::SIGNED)
}

/// The integer that `value` is. `natural` gives that of a value whose word it is, or that is made of no others, with the conditions under which it
/// is that.
fn integer_of(value: &Value, natural: &mut dyn FnMut(&Value) -> Option<(Sum, Needs)>) -> Option<(Sum, Needs)> {
    nested(value, natural, MOST_NESTED)
}

fn nested(value: &Value, natural: &mut dyn FnMut(&Value) -> Option<(Sum, Needs)>, depth: usize) -> Option<(Sum, Needs)> {
    let Interval { least, most } = value.interval;
    if least == most {
        return Some((Sum::constant(least), Needs::default()));
    }
    if !may_be_negative_sum(value) {
        return natural(value);
    }
    let depth = depth.checked_sub(1)?;
    let (a, b, form, of_operands) = match &value.kind {
        Kind::Sum { of: [a, b], .. } => (a, b, a.form.plus(&b.form), a.interval.plus(b.interval)),
        Kind::Difference { of: [a, b], .. } => (a, b, a.form.minus(&b.form), a.interval.minus(b.interval)),
        Kind::Product { of: [a, b], .. } => (a, b, a.form.times(&b.form), a.interval.times(b.interval)?),
        _ => return None,
    };
    // Of fewer bits, or of a type without a sign, it may have wrapped around.
    if value.form != form || !of_operands.is_within(Interval::SIGNED) {
        return None;
    }
    let ((first, needs), (second, more)) = (nested(a, natural, depth)?, nested(b, natural, depth)?);
    let sum = match &value.kind {
        Kind::Sum { .. } => first.plus(&second),
        Kind::Difference { .. } => first.minus(&second),
        _ => first.times(&second),
    };
    Some((sum?, needs.and(&more)))
}

impl System<'_> {
    /// Adds a comparison of signed integers that are sums of natural numbers. Whether it is one.
    pub(super) fn add_signed(&mut self, fact: &Fact) -> bool {
        let is_strict = fact.relation == Relation::LessSigned;
        if !is_strict && fact.relation != Relation::LessEqualSigned {
            return false;
        }
        let integers = [&fact.left, &fact.right].map(|side| {
            integer_of(side, &mut |value| {
                let (word, needs) = self.exact_value(value)?;
                let is_natural = if value.interval.is_natural() { Needs::default() } else { self.without_sign(&word)? };
                Some((word, needs.and(&is_natural)))
            })
        });
        let [Some((left, needs)), Some((right, more))] = integers else { return false };
        self.add_bound(right.minus(&left).and_then(|difference| difference.plus_constant(-i128::from(is_strict))), needs.and(&more));
        true
    }

    /// When a word is below 2^63.
    pub(super) fn without_sign(&self, word: &Sum) -> Option<Needs> {
        self.prover(NOTHING).not_negative(&Sum::constant(i64::MAX.into()).minus(word)?)
    }
}

impl Point<'_> {
    /// Adds comparisons of signed integers that are sums of natural numbers, and that a word is such a sum where it is not negative.
    pub(super) fn close_signed(&mut self, allowed: &'static [Allowed]) {
        for (left, relation, right) in std::mem::take(&mut self.signed) {
            let Some(((left, needs), (right, more))) = self.integer(&left, allowed).zip(self.integer(&right, allowed)) else { continue };
            let gap = i128::from(relation == Relation::LessSigned);
            self.add_with(right.minus(&left).and_then(|difference| difference.plus_constant(-gap)), needs.and(&more));
        }
        for (value, word) in std::mem::take(&mut self.negative) {
            let Some((sum, needs)) = self.integer(&value, allowed) else { continue };
            let is_at_least = |least: i128, sum: &Sum| self.prover(NOTHING).not_negative(&sum.plus_constant(-least)?);
            let is_natural = word.negated().and_then(|word| is_at_least(-i128::from(i64::MAX), &word)).or_else(|| is_at_least(0, &sum));
            if let Some(needs) = is_natural.map(|more| needs.and(&more)) {
                self.add_with(sum.minus(&word), needs.clone());
                self.add_with(word.minus(&sum), needs);
            }
        }
    }

    /// The integer of a value.
    fn integer(&mut self, value: &Value, allowed: &'static [Allowed]) -> Option<(Sum, Needs)> {
        integer_of(value, &mut |value| {
            let word = self.word(value)?;
            let most = if value.interval.most > i32::MAX.into() { i64::MAX } else { i32::MAX.into() };
            let is_natural = |allowed, most: i64| self.prover(allowed).not_negative(&Sum::constant(most.into()).minus(&word)?);
            let needs = if value.interval.is_natural() {
                Needs::default()
            } else {
                is_natural(NOTHING, i64::MAX).or_else(|| is_natural(allowed, most))?
            };
            Some((word, needs))
        })
    }
}
