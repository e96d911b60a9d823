//! Parameters of `async` device functions on which barriers depend.
//!
//! If a barrier is under a condition, all threads of a block must agree on it. Where the condition depends on a parameter, the callers must
//! pass the same value in all threads: such a function has a constant with a bit for each such parameter, and each call asserts that the
//! values are known to be the same.

/// Implemented for what is true.
#[diagnostic::on_unimplemented(
    message = "a barrier in this function depends on an argument that can differ between threads of a block",
    label = "not the same for all threads of the block",
    note = "pass a constant, a parameter of the kernel, or what depends on `block_idx()` alone, and compute what differs before the call"
)]
pub trait SameInBlock {}

/// Whether something holds.
#[derive(Debug)]
pub struct Whether<const HOLDS: bool>;

// rustc would propose it.
#[diagnostic::do_not_recommend]
impl SameInBlock for Whether<true> {}

/// Stands in front of a call.
#[inline(always)]
pub fn pass<const IS_SAME: bool>()
where
    Whether<IS_SAME>: SameInBlock,
{
}
