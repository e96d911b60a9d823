//! Operations of CUDA's atomics that std lacks.

use std::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};

use super::{AtomicF32, AtomicF64};
use crate::source::Element;

/// An atomic type: std's, [`AtomicF32`] and [`AtomicF64`]; with the feature `half`, also `AtomicF16` and `AtomicBf16`.
///
/// # Safety
///
/// It has the size, the alignment and the valid bit patterns of its [`Value`](Self::Value).
pub unsafe trait Atomic: AtomicOf<<Self as Atomic>::Value> + sealed::Sealed + Send + Sync + Sized + 'static {
    /// The type of its value.
    type Value: Element;

    /// Replaces the value by `new` if its bits are those of `current`, and returns the previous value. CUDA: `atomicCAS`. Numba:
    /// `cuda.atomic.cas`.
    ///
    /// The same as std's `compare_exchange`, without a `Result`: the exchange succeeded if the returned value is `current`. If it fails,
    /// only the load part of `order` applies.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// let a = AtomicU32::new(5);
    /// assert_eq!(a.fetch_compare_exchange(5, 6, Ordering::Relaxed), 5);
    /// assert_eq!(a.fetch_compare_exchange(5, 7, Ordering::Relaxed), 6);
    /// assert_eq!(a.into_inner(), 6);
    /// ```
    fn fetch_compare_exchange(&self, current: Self::Value, new: Self::Value, order: Ordering) -> Self::Value;

    /// The same atomic, for operations with block scope: `counts[i].block_scope().fetch_add(…)`. Only threads of the block see them in
    /// order. CUDA: `atomicAdd_block`, `cuda::thread_scope_block`.
    ///
    /// On a GPU, this is cheaper. Other blocks must not use the element at the same time, so the launch of the kernel is `unsafe`. On the
    /// CPU, it makes no difference. An array in shared memory has this scope already.
    #[inline(always)]
    fn block_scope(&self) -> &Self {
        self
    }

    /// The same atomic, for operations with system scope: `flag[0].system_scope().store(…)`. The CPU and other GPUs see them in order too.
    /// CUDA: `atomicAdd_system`, `cuda::thread_scope_system`.
    ///
    /// Without it, the scope is the threads of one GPU. On the CPU, it makes no difference.
    #[inline(always)]
    fn system_scope(&self) -> &Self {
        self
    }
}

/// An atomic type whose values are of type `T`, so that an array of these is an array of atomics.
///
/// # Safety
///
/// `T` is the [`Value`](Atomic::Value) of the type.
#[diagnostic::on_unimplemented(
    message = "a kernel parameter with elements of type `{Self}` does not take an array of `{T}`",
    label = "an array of `{T}`",
    note = "make the array with the type of the atomic's values, such as `device.zeros::<u32>(n)?` for `&[AtomicU32]`",
    note = "or declare the parameter with the atomic type for `{T}`"
)]
#[doc(hidden)]
pub unsafe trait AtomicOf<T> {}

/// An atomic unsigned integer with counters that wrap at a limit.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no counters that wrap at a limit",
    label = "use an atomic of unsigned integers, such as `AtomicU32`"
)]
pub trait AtomicCounter: Atomic {
    /// Adds 1; if the value is `limit` or more, it becomes 0. Returns the previous value. CUDA: `atomicInc`. Numba: `cuda.atomic.inc`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// let a = AtomicU32::new(0);
    /// assert_eq!([0; 5].map(|_| a.fetch_inc_wrapping(2, Ordering::Relaxed)), [0, 1, 2, 0, 1]);
    /// ```
    fn fetch_inc_wrapping(&self, limit: Self::Value, order: Ordering) -> Self::Value;

    /// Subtracts 1; if the value is 0 or more than `limit`, it becomes `limit`. Returns the previous value. CUDA: `atomicDec`. Numba:
    /// `cuda.atomic.dec`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// let a = AtomicU32::new(1);
    /// assert_eq!([0; 5].map(|_| a.fetch_dec_wrapping(2, Ordering::Relaxed)), [1, 0, 2, 1, 0]);
    /// ```
    fn fetch_dec_wrapping(&self, limit: Self::Value, order: Ordering) -> Self::Value;
}

mod sealed {
    pub trait Sealed {}
}

/// The ordering of the load in an exchange that fails.
pub(super) fn failure_ordering(order: Ordering) -> Ordering {
    match order {
        Ordering::Release => Ordering::Relaxed,
        Ordering::AcqRel => Ordering::Acquire,
        other => other,
    }
}

macro_rules! atomics {
    ($($Atomic:ty: $Value:ty;)*) => {
        $(
            impl sealed::Sealed for $Atomic {}

            // SAFETY: it is its `Value`.
            unsafe impl AtomicOf<$Value> for $Atomic {}

            // SAFETY: std promises the size and the bit patterns, and with 64-bit addresses the alignment. The runtime's own are
            // `repr(transparent)` over an atomic integer of the float's size and alignment.
            unsafe impl Atomic for $Atomic {
                type Value = $Value;

                #[inline(always)]
                fn fetch_compare_exchange(&self, current: $Value, new: $Value, order: Ordering) -> $Value {
                    match self.compare_exchange(current, new, order, failure_ordering(order)) {
                        Ok(old) | Err(old) => old,
                    }
                }
            }

            const _: () = assert!(size_of::<$Atomic>() == size_of::<$Value>() && align_of::<$Atomic>() == align_of::<$Value>());
        )*
    };
}

atomics! {
    AtomicI8: i8;
    AtomicI16: i16;
    AtomicI32: i32;
    AtomicI64: i64;
    AtomicIsize: isize;
    AtomicU8: u8;
    AtomicU16: u16;
    AtomicU32: u32;
    AtomicU64: u64;
    AtomicUsize: usize;
    AtomicBool: bool;
    AtomicF32: f32;
    AtomicF64: f64;
}

#[cfg(feature = "half")]
atomics! {
    super::AtomicF16: half::f16;
    super::AtomicBf16: half::bf16;
}

macro_rules! counters {
    ($($Atomic:ty)*) => {
        $(
            impl AtomicCounter for $Atomic {
                #[inline(always)]
                fn fetch_inc_wrapping(&self, limit: Self::Value, order: Ordering) -> Self::Value {
                    let next = |old| Some(if old >= limit { 0 } else { old + 1 });
                    match self.fetch_update(order, failure_ordering(order), next) {
                        Ok(old) | Err(old) => old,
                    }
                }

                #[inline(always)]
                fn fetch_dec_wrapping(&self, limit: Self::Value, order: Ordering) -> Self::Value {
                    let next = |old| Some(if old == 0 || old > limit { limit } else { old - 1 });
                    match self.fetch_update(order, failure_ordering(order), next) {
                        Ok(old) | Err(old) => old,
                    }
                }
            }
        )*
    };
}

counters!(AtomicU8 AtomicU16 AtomicU32 AtomicU64 AtomicUsize);
