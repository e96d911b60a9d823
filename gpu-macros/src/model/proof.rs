//! What `check` finds out: when a bounds check is redundant, and whether a kernel is free of data races.
//!
//! A bound is a polynomial over quantities that the host knows when it launches (scalar parameters, lengths, constants,
//! grid and block extents). The host evaluates the inequalities once per launch and picks the variant of the kernel
//! without the checks they make redundant, so a check that is not needed costs the GPU nothing.

use super::{Axis, LocalId, Passed};
use crate::idents::text_of;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::cmp::Ordering;
use std::rc::Rc;

/// When the check at an index is redundant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Bound {
    /// Never shown: always checked.
    Unknown,
    /// Redundant on every launch that satisfies these (none: always redundant).
    Below(Vec<Inequality>),
}

/// `most < length`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Inequality {
    pub(crate) most: Polynomial,
    pub(crate) length: Polynomial,
    /// What suffices instead, if it is not empty: that all of these hold.
    pub(crate) or: Vec<Inequality>,
}

/// A sum of terms; no terms is zero.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Polynomial {
    pub(crate) terms: Vec<Term>,
}

/// `coefficient` times the product of `factors` (sorted), which the terms of many polynomials share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Term {
    pub(crate) coefficient: i128,
    pub(crate) factors: Rc<[Atom]>,
}

/// A quantity that the host knows at launch, and that is not negative.
#[derive(Debug, Clone)]
pub(crate) enum Atom {
    /// A value that the launch passes, an integer: of a signed one, its two's complement of 64 bits.
    Param(Passed),
    /// The length of the slice parameter with this index.
    Len(usize),
    /// The extent of an axis (the second) of the view parameter with the first index.
    Extent(usize, usize),
    GridDim(Axis),
    BlockDim(Axis),
    Constant(ConstantExpr),
    /// 1 if the atomics of the parameter with this index may be used by others during the launch, else 0.
    Shared(usize),
    /// 1 if the offsets of the view parameter with this index need more than 31 bits, or its last axis has a stride, else 0.
    Scattered(usize),
    /// The first, or 0 where that is larger, divided by the second and rounded down.
    Quotient(Box<[Polynomial; 2]>),
    /// The word that the device computes: the sum modulo 2^64.
    Word(Box<Polynomial>),
    /// How many trailing zeros that word has: 64 if it is 0.
    TrailingZeros(Box<Polynomial>),
}

/// A constant expression of an integer type, as Rust tokens. Two are equal where their tokens have the same text: that text is made once.
#[derive(Debug, Clone)]
pub(crate) struct ConstantExpr(Rc<(TokenStream, String)>);

impl ConstantExpr {
    pub(crate) fn text(&self) -> &str {
        &self.0.1
    }
}

impl From<TokenStream> for ConstantExpr {
    fn from(tokens: TokenStream) -> Self {
        let text = text_of(&tokens);
        ConstantExpr(Rc::new((tokens, text)))
    }
}

impl ToTokens for ConstantExpr {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.0.to_tokens(tokens);
    }
}

impl Atom {
    pub(crate) fn constant(tokens: TokenStream) -> Atom {
        Atom::Constant(tokens.into())
    }

    /// Whether it, or something that it consists of, is as asked.
    pub(crate) fn any(&self, asked: &dyn Fn(&Atom) -> bool) -> bool {
        let is_asked_of_parts = || match self {
            Atom::Quotient(parts) => parts.iter().any(|part| part.any(asked)),
            Atom::Word(sum) | Atom::TrailingZeros(sum) => sum.any(asked),
            _ => false,
        };
        asked(self) || is_asked_of_parts()
    }

    /// Orders the kinds, and the atoms within all kinds but values, constants and those that have parts.
    fn rank(&self) -> (u8, usize, usize) {
        match self {
            Atom::Param(passed) => (0, passed.param, 0),
            Atom::Len(index) => (1, *index, 0),
            Atom::GridDim(axis) => (2, *axis as usize, 0),
            Atom::BlockDim(axis) => (3, *axis as usize, 0),
            Atom::Constant(_) => (4, 0, 0),
            Atom::Extent(index, axis) => (5, *index, *axis),
            Atom::Quotient(_) => (6, 0, 0),
            Atom::Shared(index) => (7, *index, 0),
            Atom::Word(_) => (8, 0, 0),
            Atom::Scattered(index) => (9, *index, 0),
            Atom::TrailingZeros(_) => (10, 0, 0),
        }
    }
}

impl Ord for Atom {
    fn cmp(&self, other: &Atom) -> Ordering {
        match (self, other) {
            (Atom::Param(a), Atom::Param(b)) => a.cmp(b),
            (Atom::Constant(a), Atom::Constant(b)) => a.text().cmp(b.text()),
            (Atom::Quotient(a), Atom::Quotient(b)) => a.cmp(b),
            (Atom::Word(a), Atom::Word(b)) | (Atom::TrailingZeros(a), Atom::TrailingZeros(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Atom {
    fn partial_cmp(&self, other: &Atom) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Atom {
    fn eq(&self, other: &Atom) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Atom {}

/// The result of the race check.
#[derive(Debug, Clone)]
pub(crate) enum RaceFreedom {
    /// No two threads touch the same element of a `&mut` parameter when the grid and the block have at most this many axes
    /// with an extent above 1, and when every one of `conditions` holds (mostly none; they exclude sizes so
    /// large that an index would wrap around, and blocks wider than the constant that the index assumes).
    Proved { grid_axes: u8, block_axes: u8, conditions: Vec<Condition> },
    /// These accesses (or barriers) could not be shown safe.
    Unproved(Vec<UnprovedAccess>),
}

impl RaceFreedom {
    /// Of a kernel that was refused: no message asks for an `unsafe` launch of it.
    pub(crate) const UNKNOWN: RaceFreedom = RaceFreedom::Proved { grid_axes: 3, block_axes: 3, conditions: Vec::new() };
}

/// What the race proof assumes. rustc decides it where it is about constants alone, else the launch does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Condition {
    pub(crate) inequality: Inequality,
    /// The inequality as its user would write it: `block_dim().x <= w`.
    pub(crate) text: String,
    /// The access that needs it, such as ``line 12: `out[y * w + x]` ``.
    pub(crate) access: String,
}

#[derive(Debug, Clone)]
pub(crate) struct UnprovedAccess {
    /// What is not shown, such as ``line 12: `out[i]`: the index `i` is not proved to differ between threads``.
    pub(crate) what: String,
    /// What would prove it, or do without the proof.
    pub(crate) help: String,
    pub(crate) span: Span,
    /// The array that it is about, if it is about one.
    pub(crate) array: Option<LocalId>,
}

/// Two accesses to a shared array that different threads may make at the same time.
#[derive(Debug, Clone)]
pub(crate) struct SharedRace {
    pub(crate) array: LocalId,
    pub(crate) finding: UnprovedAccess,
}
