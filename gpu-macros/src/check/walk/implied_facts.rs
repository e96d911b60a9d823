//! What follows from a comparison by the way in which its larger side came about.
//!
//! From `x < R`, of words without a sign, follows:
//!
//! | `R` | what follows | because |
//! |---|---|---|
//! | the smaller of `p` and `q` | `x < p` and `x < q` | |
//! | `b - s`, where `s <= b` | `x + s < b` | `R` is the difference of the integers, so `x + s` is below `b`, and does not wrap around |
//! | `p.min(q) - s`, where `s` is at most the minimum | `x < p - s`, `x < q - s` as well | `s <= p` and `s <= q` |
//! | `a.saturating_sub(b)` | `x + b < a` | `R` is not 0, so it is `a - b` |
//! | `a.div_ceil(b)` | `x * b < a` | `x <= R - 1`, and `(R - 1) * b < a` |
//! | `a / b` | `x * b + b <= a` | `x + 1 <= R`, and `R * b <= a` |
//! | `q`, where `s = p.min(q)` is `x`, or added to it without wrapping around | `s = p` | `s <= x < q`, so `s` is not `q` |
//!
//! From `x <= R` follows the same with `<=` of the first three. Of the others nothing does: a difference that stops at 0 may be 0 where `b` is
//! more than `a`, and the last chunk may be shorter. A division by 0 has ended the thread.
//!
//! So an element `j` of the chunk `c` of the range `s..e` is known to be below `e`, and below the length of the array: `j < e - s - c * k` is
//! the length of the last chunk, and `c < (e - s).div_ceil(k)`.

use super::facts::{Fact, Relation};
use crate::check::values::form::{NormalForm, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::value::{Exact, Kind, Node, Value};

/// Consequences of consequences are drawn so often.
pub(crate) const DEPTH: usize = 6;
/// Sums and products larger than this are not compared.
const MOST_SIZE: usize = 60;

/// The comparisons that follow from `fact`, other than itself.
pub(crate) fn consequences(fact: &Fact) -> Vec<Fact> {
    let Fact { left, relation, right, of_division } = fact;
    let is_strict = *relation == Relation::Less;
    if !is_strict && *relation != Relation::LessEqual {
        return Vec::new();
    }
    let about = |smaller: Option<Value>, relation: Relation, larger: &Value, of_division: bool| {
        Some(Fact { left: smaller?, relation, right: larger.clone(), of_division })
    };
    let follows = |smaller: Option<Value>, larger: &Value| about(smaller, *relation, larger, *of_division);
    let mut found = match &right.kind {
        Kind::Minimum(parts) => parts.iter().map(|part| follows(Some(left.clone()), part)).collect(),
        Kind::Difference { of: [b, s], exact: true } => {
            let mut found = vec![follows(sum(left, s), b)];
            if let Kind::Minimum(parts) = &b.kind {
                found.extend(parts.iter().map(|part| follows(Some(left.clone()), &length_of_range(s, part)?)));
            }
            found
        }
        Kind::Excess(a, b) if is_strict => vec![follows(sum(left, b), a)],
        Kind::RoundedUp(a, b) if is_strict => vec![about(product(left, b), Relation::Less, a, true)],
        Kind::Quotient(a, b) if is_strict => vec![about(next_multiple(left, b), Relation::LessEqual, a, true)],
        _ => Vec::new(),
    };
    if is_strict {
        add_minima_below(left, right, &mut found);
    }
    found.into_iter().flatten().collect()
}

/// What the parts of the sum `left` are that are the smaller one of `right` and something else, as `left` is below `right`.
fn add_minima_below(left: &Value, right: &Value, found: &mut Vec<Option<Fact>>) {
    match &left.kind {
        Kind::Sum { of, exact: Exact::Always } => of.iter().for_each(|part| add_minima_below(part, right, found)),
        Kind::Minimum([p, q]) => {
            let other = if q.form == right.form { Some(p) } else { (p.form == right.form).then_some(q) };
            let is = |other: &Value| Fact { left: left.clone(), relation: Relation::Equal, right: other.clone(), of_division: false };
            found.extend(other.map(|other| Some(is(other))));
        }
        _ => {}
    }
}

/// That the last step from `counter` ends at `end` or before, where the way from `start` to `end` is a number of whole steps.
pub(super) fn whole_steps(counter: &Value, step: &Value, start: &Value, end: &Value) -> Option<Fact> {
    // Words are what they are modulo any power of two, also where they have wrapped around.
    let by = step.form.as_constant().filter(|by| by.is_power_of_two() && *by > 1)?;
    let is_whole = end.form.minus(&start.form).terms.values().all(|coefficient| coefficient.cast_unsigned().is_multiple_of(by));
    let next = sum(counter, step).filter(|_| is_whole)?;
    Some(Fact { left: next, relation: Relation::LessEqual, right: end.clone(), of_division: false })
}

/// `a + b`, which is known not to wrap around.
fn sum(a: &Value, b: &Value) -> Option<Value> {
    exact(Kind::Sum { of: [a.clone(), b.clone()], exact: Exact::Always }, a.form.plus(&b.form), a.interval.plus(b.interval), [a, b])
}

/// `a * b`, which is known not to wrap around.
fn product(a: &Value, b: &Value) -> Option<Value> {
    let range = a.interval.times(b.interval).unwrap_or(Interval::WORD);
    exact(Kind::Product { of: [a.clone(), b.clone()], exact: Exact::Always }, a.form.times(&b.form), range, [a, b])
}

/// `a * b + b`, which is known not to wrap around.
fn next_multiple(a: &Value, b: &Value) -> Option<Value> {
    sum(&product(a, b)?, b)
}

/// `end - start`, which is not negative, where the launch knows it: all threads have ranges of that length.
fn length_of_range(start: &Value, end: &Value) -> Option<Value> {
    let form = end.form.minus(&start.form);
    let of = [end.clone(), start.clone()];
    let length = exact(Kind::Difference { of, exact: true }, form, end.interval.minus(start.interval), [start, end])?;
    (length.spread == Uniformity::Launch).then_some(length)
}

/// A word that is one of `range` as an integer. (Where none is, no execution comes here.)
fn exact(kind: Kind, form: NormalForm, range: Interval, operands: [&Value; 2]) -> Option<Value> {
    let range = range.meet(Interval::WORD);
    let is_natural = range.is_natural() && operands.iter().all(|operand| operand.interval.is_natural());
    (is_natural && form.size() <= MOST_SIZE).then(|| Node::within(kind, form, range))
}
