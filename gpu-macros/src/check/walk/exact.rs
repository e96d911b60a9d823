//! Operations of signed integers that are taken not to overflow.
//!
//! Where nothing is known of the operands, `row * n + column` of `i32` is any `i32`, and nothing follows for an index. But most kernels
//! compute such indices of what they know of the launch, which can compare that. So a proof may take all operations of signed integers for
//! exact, and the operands of divisions for natural numbers, and then [show](crate::check::clients::exact_integers) that they are, on
//! launches that satisfy some conditions. That is no circle, by induction over the steps of a thread: what is known at one point follows
//! from operations that were evaluated before. If those were exact, so is the next one.

use super::facts::{Facts, Relation};
use super::walker::Walker;
use crate::check::values::interval::Interval;
use crate::check::values::value::{Node, Value};
use crate::model::{Expr, Scalar};

/// An evaluation of an operation that is taken to be exact.
pub(crate) struct Assumption {
    pub(crate) expr: *const Expr,
    /// The integer that it would have if its type had all, or an operand. Modulo 2^64 it is the form, and it is in [`Interval::ANY`].
    pub(crate) value: Value,
    pub(crate) facts: Facts,
    /// Where the integer must be.
    pub(crate) range: Interval,
}

impl Walker<'_> {
    /// Whether the operation that is evaluated, of which a result in `integers` would be exact, does not overflow `scalar`.
    pub(super) fn takes_as_exact(&self, scalar: Scalar, integers: Interval) -> bool {
        let range = Interval::of_type(Some(scalar));
        let may_fit = integers.least <= range.most && range.least <= integers.most;
        self.may_be_exact(scalar) && may_fit && integers.is_within(Interval::ANY)
    }

    /// The result of such an operation, which is `value`.
    pub(super) fn exact(&mut self, value: Value, scalar: Scalar) -> Value {
        let range = Interval::of_type(Some(scalar));
        let result = Node::copy(&value, value.interval.meet(range));
        self.take(value, range);
        result
    }

    /// Takes an operand of a division for one that is not negative: then the result is that of words.
    pub(super) fn take_as_natural(&mut self, operand: &Value, scalar: Scalar) {
        let integers = self.interval(operand);
        if integers.least < 0 && integers.most >= 0 && self.may_be_exact(scalar) {
            self.take(operand.clone(), Interval { least: 0, ..Interval::of_type(Some(scalar)) });
            self.facts.add(operand, Relation::LessEqual, &Node::number(i64::MAX.cast_unsigned()));
        }
    }

    fn may_be_exact(&self, scalar: Scalar) -> bool {
        scalar.is_signed_integer() && self.inexact.as_ref().is_some_and(|inexact| !inexact.contains(&self.evaluated))
    }

    fn take(&mut self, value: Value, range: Interval) {
        self.findings.assumptions.push(Assumption { expr: self.evaluated, value, facts: self.facts.clone(), range });
    }
}
