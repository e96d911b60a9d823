//! `#[unroll]` on a loop.

/// How often the body of a loop is to stand in the machine code. C++ calls it `#pragma unroll`; it changes no result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Unroll {
    /// `#[unroll]`: once for each round, where their number is known.
    Fully,
    /// `#[unroll(4)]`, a constant expression. `#[unroll(1)]` leaves the loop rolled.
    Times(super::Length),
}

impl Unroll {
    /// The largest factor: more copies than that are more code than any instruction cache holds.
    pub(crate) const MOST_COPIES: u64 = 1024;
}
