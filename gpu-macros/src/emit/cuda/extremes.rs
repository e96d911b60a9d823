//! The extremes of an index: its least and its largest value in some iterations of a loop.
//!
//! Such an index consists of sums, differences and products of one part that varies, and of what stays the same. Its
//! [extremes](Emitter::extremes) are computed as integers, for indices wrap around: a sum or product that does not fit counts as the largest
//! number of all, which is below no length, and so does a difference that may be negative. All parts of an index are at least 0. So if the
//! largest value of the whole fits, that of each part does, and no iteration wraps around.
//!
//! Where a `usize` has 32 bits, a sum or product of a few variables always fits 64 bits. It is an operator there:
//!
//! ```text
//! if ((usize)most * (usize)width + (usize)column >= x_len) break;
//! ```

use super::Emitter;
use super::code::Binding;
use super::text::{CText, c};
use super::width::width;
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
    /// Whether `most` is below 2³² where a `usize` has 32 bits.
    pub(super) is_word: bool,
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
        let code = self.out_of_place(|emitter| emitter.value(expr));
        self.wide = outer;
        code.operand_of(Binding::Unary)
    }

    /// A number that `index` does not exceed where a `usize` has 32 bits, if that has 64.
    fn most_of_words(&self, index: &Index<'_>, limits: &Limits) -> Option<u64> {
        match index {
            Index::Varying => limits.is_word.then_some(u32::MAX.into()),
            Index::Same(expr) => match &expr.kind {
                ExprKind::Local(local) => {
                    // Not what a guard or a reference stands for, which is in memory.
                    let is_variable = self.places[local.0].text == self.name(*local).into() && !self.function.local(*local).is_reference();
                    (is_variable && !self.analysis.signed_locals.has(expr)).then_some(u32::MAX.into())
                }
                ExprKind::Int(literal) => u32::try_from(literal.value).ok().map(u64::from),
                _ => None,
            },
            Index::Sum(left, right) => self.most_of_words(left, limits)?.checked_add(self.most_of_words(right, limits)?),
            Index::Product(left, right) => self.most_of_words(left, limits)?.checked_mul(self.most_of_words(right, limits)?),
            Index::Difference(..) => None,
        }
    }

    /// `operation` where a `usize` has 32 bits and `index` fits 64, else `checked`.
    fn operation_of_words(&self, index: &Index<'_>, limits: &Limits, checked: CText, operation: CText) -> CText {
        let fits = self.has_narrow_variant() && self.most_of_words(index, limits).is_some();
        if fits { width(checked, operation) } else { checked }
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
                let checked = c!["gr_most_sum(", left.clone(), ", ", right.clone(), ")"];
                let most = self.operation_of_words(index, limits, checked, c!["(", left, " + ", right, ")"]);
                [c!["(", least_left, " + ", least_right, ")"], most]
            }
            Index::Product(left, right) => {
                let ([least_left, left], [least_right, right]) = (self.extremes(left, limits), self.extremes(right, limits));
                self.need("most");
                let checked = c!["gr_most_product(", left.clone(), ", ", right.clone(), ")"];
                let most = self.operation_of_words(index, limits, checked, c![left, " * ", right]);
                [c!["(", least_left, ") * (", least_right, ")"], most]
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
