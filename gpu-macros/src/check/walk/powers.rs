//! Powers of two, and what masks made of them leave.
//!
//! In `let mut half = 1; while half < N { …; half *= 2; }`, the variable is a power of two, or 0 once that has wrapped around: an
//! [invariant](super::flow::Invariant) of the loop. Such a power `h` divides every larger one. So what `t & (h - 1)` takes away from `t` is a
//! multiple of `h`, and if `t` is below a power of two that is at least `h`, there is room for another `h` above it.

use super::facts::Relation;
use super::walker::Walker;
use crate::check::values::interval::Interval;
use crate::check::values::value::{Exact, Kind, Node, Value};

impl Walker<'_> {
    /// Whether the word is a power of two, or 0.
    pub(super) fn is_power_of_two(&self, value: &Value) -> bool {
        if let Some(number) = value.form.as_constant() {
            return number == 0 || number.is_power_of_two();
        }
        self.powers.contains(&value.form)
            || match &value.kind {
                Kind::Product { of: [a, b], exact: Exact::Always | Exact::UnlessItWraps } => {
                    self.is_power_of_two(a) && self.is_power_of_two(b)
                }
                Kind::Quotient(a, by) => by.form.as_constant().is_some_and(u64::is_power_of_two) && self.is_power_of_two(a),
                Kind::OneOf(values) => values.iter().all(|(value, _)| self.is_power_of_two(value)),
                _ => false,
            }
    }

    /// Adds what follows for `masked`, which is `t & mask` of natural numbers: `t - masked + h <= m`, if `mask` is `h - 1`, and `m` a power of
    /// two that is not below `h` and above `t`.
    pub(super) fn note_masked(&mut self, t: &Value, mask: &Value, masked: &Value) {
        let Kind::Difference { of: [h, one], exact: true } = &mask.kind else { return };
        let (of_t, of_h) = (self.interval(t), self.interval(h));
        let is_mask = one.form.as_constant() == Some(1) && self.is_power_of_two(h) && of_t.is_natural() && of_h.is_natural();
        let (Some(m), Some(largest)) = (power_above(of_t.most), power_up_to(of_h.most)) else { return };
        if !is_mask || largest > m {
            return;
        }
        let multiple_of_h = Node::within(
            Kind::Difference { of: [t.clone(), masked.clone()], exact: true },
            t.form.minus(&masked.form),
            Interval { least: 0, most: of_t.most },
        );
        let above = multiple_of_h.form.plus(&h.form);
        let next = Node::within(Kind::Sum { of: [multiple_of_h, h.clone()], exact: Exact::Always }, above, Interval::up_to(m));
        self.facts.add(&next, Relation::LessEqual, &Node::number(m));
    }
}

/// The smallest power of two above `most`.
fn power_above(most: i128) -> Option<u64> {
    u64::try_from(most).ok()?.checked_add(1)?.checked_next_power_of_two()
}

/// The largest power of two that is at most `most`.
fn power_up_to(most: i128) -> Option<u64> {
    u64::try_from(most).ok()?.checked_ilog2().map(|bits| 1 << bits)
}
