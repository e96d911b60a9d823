//! The extremes of an index: its least and its largest value in some iterations of a loop.
//!
//! Such an index consists of sums, differences and products of one part that varies, and of what stays the same. Its
//! [extremes](Emitter::extremes) are computed as integers, for indices wrap around: a sum or product that does not fit counts as the largest
//! number of all, which is below no length, and so does a difference that may be negative. All parts of an index are at least 0. So if the
//! largest value of the whole fits, that of each part does, and no iteration wraps around.

use super::Emitter;
use super::code::Binding;
use super::text::{CText, c};
use crate::model::*;
use std::rc::Rc;

/// An index of which the extremes are computed from those of one part.
pub(super) enum Index<'m> {
    /// That part.
    Varying,
    /// What is the same in every iteration.
    Same(&'m Expr),
    Sum(Rc<Index<'m>>, Rc<Index<'m>>),
    Difference(Rc<Index<'m>>, Rc<Index<'m>>),
    Product(Rc<Index<'m>>, Rc<Index<'m>>),
}

/// The C expressions of the least and the largest value of what varies.
pub(super) struct Limits {
    pub(super) least: CText,
    pub(super) most: CText,
}

impl<'m> Index<'m> {
    pub(super) fn varies(&self) -> bool {
        match self {
            Index::Varying => true,
            Index::Same(_) => false,
            Index::Sum(left, right) | Index::Difference(left, right) | Index::Product(left, right) => left.varies() || right.varies(),
        }
    }

    /// Whether it may be written out. Variables for parts of it are shared, and so one that is short as a program may be long as a text.
    pub(super) fn is_short(&self) -> bool {
        fn count(index: &Index<'_>, left: &mut usize) -> bool {
            *left = left.saturating_sub(1);
            *left > 0
                && match index {
                    Index::Varying | Index::Same(_) => true,
                    Index::Sum(a, b) | Index::Difference(a, b) | Index::Product(a, b) => count(a, left) && count(b, left),
                }
        }
        count(self, &mut 32)
    }

    /// Whether this is at least `other` in every iteration, by its form.
    pub(super) fn covers(&self, other: &Index<'_>) -> bool {
        match self {
            _ if self.is(other) => true,
            Index::Sum(left, right) => left.covers(other) || right.covers(other),
            _ => false,
        }
    }

    /// Whether both have the same form.
    fn is(&self, other: &Index<'_>) -> bool {
        match (self, other) {
            (Index::Varying, Index::Varying) => true,
            (Index::Same(a), Index::Same(b)) => match (&a.kind, &b.kind) {
                (ExprKind::Int(a), ExprKind::Int(b)) => a.value == b.value,
                (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
                _ => std::ptr::eq(*a, *b),
            },
            (Index::Sum(a, b), Index::Sum(c, d))
            | (Index::Difference(a, b), Index::Difference(c, d))
            | (Index::Product(a, b), Index::Product(c, d)) => a.is(c) && b.is(d),
            _ => false,
        }
    }
}

impl Emitter<'_> {
    /// A `usize` in 64 bits, in every variant.
    pub(super) fn wide_value(&mut self, expr: &Expr) -> CText {
        let is_wide = self.has_narrow_variant();
        let outer = std::mem::replace(&mut self.wide, is_wide);
        let code = self.value(expr);
        self.wide = outer;
        code.operand_of(Binding::Unary)
    }

    /// The least and the largest value of `index`, both in 64 bits.
    pub(super) fn extremes(&mut self, index: &Index<'_>, limits: &Limits) -> [CText; 2] {
        match index {
            Index::Varying => [limits.least.clone(), limits.most.clone()],
            Index::Same(expr) => {
                let text = self.wide_value(expr);
                [text.clone(), text]
            }
            Index::Sum(left, right) => {
                let ([least_left, left], [least_right, right]) = (self.extremes(left, limits), self.extremes(right, limits));
                self.need("most");
                [c!["(", least_left, " + ", least_right, ")"], c!["gr_most_sum(", left, ", ", right, ")"]]
            }
            Index::Product(left, right) => {
                let ([least_left, left], [least_right, right]) = (self.extremes(left, limits), self.extremes(right, limits));
                self.need("most");
                [c!["(", least_left, ") * (", least_right, ")"], c!["gr_most_product(", left, ", ", right, ")"]]
            }
            Index::Difference(left, right) => {
                let ([least_left, left], [least_right, right]) = (self.extremes(left, limits), self.extremes(right, limits));
                self.need("most");
                let most = c!["gr_most_difference(", left, ", ", least_left.clone(), ", ", right.clone(), ", ", least_right, ")"];
                [c!["(", least_left, " - ", right, ")"], most]
            }
        }
    }
}
