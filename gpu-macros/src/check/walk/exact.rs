//! Operations of signed integers that are taken not to overflow.
//!
//! Where nothing is known of the operands, `row * n + column` of `i32` is any `i32`, and nothing follows for an index. But most kernels
//! compute such indices of what they know of the launch, which can compare that. So a proof may take all operations of signed integers for
//! exact, and then [show](crate::check::clients::exact_integers) that they are, on launches that satisfy some conditions. That is no
//! circle, by induction over the steps of a thread: what is known at one point follows from operations that were evaluated before. If
//! those were exact, so is the next one.

use super::facts::Facts;
use super::walker::Walker;
use crate::check::values::interval::Interval;
use crate::check::values::value::{Node, Value};
use crate::model::{Expr, Scalar};

/// An evaluation of an operation that must not overflow.
pub(crate) struct Exact {
    pub(crate) expr: *const Expr,
    /// The integer that the operation would have if its type had all. Modulo 2^64 it is the form, and it is in [`Interval::ANY`].
    pub(crate) value: Value,
    pub(crate) facts: Facts,
    pub(crate) scalar: Scalar,
}

impl Walker<'_> {
    /// Whether the operation that is evaluated, of which a result in `integers` would be exact, does not overflow `scalar`.
    pub(super) fn takes_as_exact(&self, scalar: Scalar, integers: Interval) -> bool {
        let range = Interval::of_type(Some(scalar));
        let may_fit = integers.least <= range.most && range.least <= integers.most;
        let is_open = self.inexact.as_ref().is_some_and(|inexact| !inexact.contains(&self.evaluated));
        is_open && scalar.is_signed_integer() && may_fit && integers.is_within(Interval::ANY)
    }

    /// The result of such an operation, which is `value`.
    pub(super) fn exact(&mut self, value: Value, scalar: Scalar) -> Value {
        let result = Node::copy(&value, value.interval.meet(Interval::of_type(Some(scalar))));
        self.findings.exact.push(Exact { expr: self.evaluated, value, facts: self.facts.clone(), scalar });
        result
    }
}
