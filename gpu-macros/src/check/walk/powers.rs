//! Powers of two, and what masks made of them leave.
//!
//! In `let mut half = 1; while half < N { …; half *= 2; }`, the variable is a power of two, or 0 once that has wrapped around: an
//! [invariant](super::flow::Invariant) of the loop. With such a power `h` that is not 0, `t & (h - 1)` is `t % h`. It divides every larger power: so if
//! `t` is below a power of two that is at least `h`, there is room for another `h` above `t - t % h`.

use super::arithmetic::Operation;
use super::facts::Relation;
use super::walker::Walker;
use crate::check::values::form::SymbolKind;
use crate::check::values::interval::Interval;
use crate::check::values::operation::IntegerOperation;
use crate::check::values::value::{Exact, Kind, Node, Value};
use crate::model::BinaryOp;

impl Walker<'_> {
    /// Whether the word is a power of two, or 0.
    pub(super) fn is_power_of_two(&self, value: &Value) -> bool {
        if let Some(number) = value.form.as_constant() {
            return number == 0 || number.is_power_of_two();
        }
        self.powers.contains(&value.form)
            || match &value.kind {
                // Of any number of bits, also where it wraps around. A method may saturate.
                Kind::Product { of: [a, b], .. } if is_product(value) => self.is_power_of_two(a) && self.is_power_of_two(b),
                Kind::Quotient(a, by) => by.form.as_constant().is_some_and(u64::is_power_of_two) && self.is_power_of_two(a),
                Kind::OneOf(values) => values.iter().all(|(value, _)| self.is_power_of_two(value)),
                _ => false,
            }
    }

    /// `t & (h - 1)` of natural numbers, if `h` is a power of two: `t % h`.
    pub(super) fn below_power(&mut self, operation: &Operation) -> Option<Value> {
        let [a, b] = operation.is_natural().then_some(&operation.operands)?;
        let power = |mask: &Value| match &mask.kind {
            Kind::Difference { of: [h, one], exact: true } if one.form.as_constant() == Some(1) && self.is_power_of_two(h) => {
                Some(h.clone())
            }
            _ => None,
        };
        let (t, h) = [(a, b), (b, a)].into_iter().find_map(|(t, mask)| Some((t.clone(), power(mask)?)))?;
        let masked = self.arithmetic(BinaryOp::Remainder, operation.scalar, t.clone(), h.clone());
        self.note_masked(&t, &h, &masked);
        Some(masked)
    }

    /// Adds what follows for `masked`, which is `t % h` of natural numbers with a power `h`: `t - masked + h <= m`, if `m` is a power of two that
    /// is not below `h` and above `t`.
    fn note_masked(&mut self, t: &Value, h: &Value, masked: &Value) {
        let (of_t, of_h) = (self.interval(t), self.interval(h));
        let (Some(m), Some(largest)) = (power_above(of_t.most), power_up_to(of_h.most)) else { return };
        if largest > m || !of_t.is_natural() || !of_h.is_natural() {
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

/// Whether it is the product of words, of 64 bits or of fewer, wrapped around or not.
fn is_product(value: &Value) -> bool {
    match &value.kind {
        Kind::Product { exact: Exact::Always | Exact::UnlessItWraps, .. } => true,
        Kind::Product { .. } => value.form.as_symbol().is_some_and(
            |symbol| matches!(&symbol.kind, SymbolKind::Operation(name, _) if name.of_unsigned() == Some(IntegerOperation::Product)),
        ),
        _ => false,
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
