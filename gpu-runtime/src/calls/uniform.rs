//! Parameters and results of `async` device functions on which barriers depend.
//!
//! If a barrier is under a condition, all threads of a block must agree on it. Where the condition depends on a parameter, the callers must
//! pass the same value in all threads: such a function has a constant with a bit for each such parameter, and each call asserts that the
//! values are known to be the same. Where the condition depends on what a function returns, that must be the same in all threads: a constant of
//! each function says when it is.

use std::marker::PhantomData;

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

/// When all threads of a block get the same result from the function whose module has `F`.
///
/// It names the function, so that no other can have its constant.
pub struct UniformResult<F> {
    /// The parameters that must be the same, as bits.
    parameters: Option<u32>,
    function: PhantomData<fn() -> F>,
}

impl<F> UniformResult<F> {
    /// They may get different results.
    pub const UNKNOWN: Self = UniformResult { parameters: None, function: PhantomData };

    /// They get the same result if they pass the same for these parameters.
    ///
    /// # Safety
    ///
    /// It must be so: barriers depend on it.
    #[must_use]
    pub const unsafe fn if_uniform(parameters: u32) -> Self {
        UniformResult { parameters: Some(parameters), function: PhantomData }
    }

    /// Whether they get the same result although these arguments may differ.
    #[must_use]
    pub const fn holds_for(&self, divergent: u32) -> bool {
        matches!(self.parameters, Some(parameters) if parameters & divergent == 0)
    }
}

impl<F> std::fmt::Debug for UniformResult<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("UniformResult").field(&self.parameters).finish()
    }
}

/// Implemented for what is true.
#[diagnostic::on_unimplemented(
    message = "a barrier in this function depends on the result of this call, which can differ between threads of a block",
    label = "not the same for all threads of the block",
    note = "decide by `sync_threads_or(…)` or `sync_threads_and(…)`, which return the same to all threads of the block"
)]
pub trait SameResultInBlock {}

#[diagnostic::do_not_recommend]
impl SameResultInBlock for Whether<true> {}

/// Stands in front of a call.
#[inline(always)]
pub fn decide<const IS_SAME: bool>()
where
    Whether<IS_SAME>: SameResultInBlock,
{
}
