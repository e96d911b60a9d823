//! Warps: the groups of 32 threads that a GPU runs together, and functions with which they cooperate without shared memory or barriers.
//!
//! The threads of a block are numbered with `x` running fastest, then `y`, then `z`; each 32 consecutive threads are a warp, and the index
//! of a thread in its warp is its *lane*. The functions here exchange values between registers: one instruction, where a block needs an
//! array, two barriers and two accesses.
//!
//! Most functions have two forms. `warp_sum(x)` is for the whole warp: every thread of the warp that has not returned must call it, at the
//! same place. `warp_sum_in(x, lanes)` is for the threads whose bits are set in the mask `lanes`, which each of them passes. It cannot be
//! proved at compile time that the right threads call it, so the launch of its kernel is `unsafe`.

mod lanes;
mod reduce;
mod shuffle;
mod value;
mod vote;

pub use lanes::{WARP_SIZE, active_mask, lane_id, lane_mask_lt, warp_id};
pub use reduce::{
    warp_and, warp_and_in, warp_max, warp_max_in, warp_min, warp_min_in, warp_or, warp_or_in, warp_sum, warp_sum_in, warp_xor, warp_xor_in,
};
pub use shuffle::{
    warp_shuffle, warp_shuffle_down, warp_shuffle_down_in, warp_shuffle_in, warp_shuffle_up, warp_shuffle_up_in, warp_shuffle_xor,
    warp_shuffle_xor_in,
};
pub use value::WarpValue;
pub use vote::{
    sync_warp, sync_warp_in, warp_all, warp_all_in, warp_any, warp_any_in, warp_ballot, warp_ballot_in, warp_equal, warp_equal_in,
    warp_match_all, warp_match_all_in, warp_match_any, warp_match_any_in,
};

/// Defines a function of the whole warp and its form for some of the lanes: each the documented function, which panics, and the module with
/// the function that the twin calls. The first argument is the value that the thread contributes.
macro_rules! warp_functions {
    (
        $(#[$attribute:meta])*
        pub fn $name:ident, $of_lanes:ident $([$T:ident: $bound:path])? ($($value:ident: $type:ty)? $(; $argument:ident: $argument_type:ty)?) -> $result:ty;
        |$warp:ident| $body:expr
    ) => {
        $(#[$attribute])*
        ///
        /// # Panics
        ///
        /// If called outside a kernel.
        #[track_caller]
        pub fn $name$(<$T: $bound>)?($($value: $type,)? $($argument: $argument_type)?) -> $result {
            $(let _ = $value;)?
            $(let _ = $argument;)?
            $crate::backend::cpu::outside_kernel(stringify!($name))
        }

        #[doc(hidden)]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;

            $crate::intrinsics::meant!();

            // Not an `async fn`: a state machine in that of the kernel costs as much as the rest.
            #[inline]
            pub fn __intrinsic$(<$T: $bound>)?(
                thread: &$crate::backend::cpu::Thread<'_>,
                $($value: $type,)?
                $($argument: $argument_type,)?
                site: u32,
            ) -> impl Future<Output = $result> {
                let brought = ($($value,)? false,).0;
                thread.arrive(brought, $crate::backend::cpu::ALL_LANES, site, move |$warp| $body)
            }
        }

        #[doc = concat!("[`", stringify!($name), "`](fn@", stringify!($name), ") for the threads of the warp whose bits are set in `lanes`.")]
        ///
        /// Each of them that has not returned must call it at the same place with the same `lanes`, and no other thread may. Otherwise, the
        /// behaviour on a GPU is undefined; the CPU backend reports [`FailureCause::WarpMask`](crate::FailureCause::WarpMask) or
        /// [`FailureCause::DivergentWarp`](crate::FailureCause::DivergentWarp). The launch of a kernel that calls it is `unsafe`, unless
        /// `lanes` is the constant `0xffff_ffff`.
        ///
        /// # Panics
        ///
        /// If called outside a kernel.
        #[track_caller]
        pub fn $of_lanes$(<$T: $bound>)?($($value: $type,)? $($argument: $argument_type,)? lanes: u32) -> $result {
            $(let _ = $value;)?
            $(let _ = $argument;)?
            let _ = lanes;
            $crate::backend::cpu::outside_kernel(stringify!($of_lanes))
        }

        #[doc(hidden)]
        pub mod $of_lanes {
            #[allow(unused_imports)]
            use super::*;

            $crate::intrinsics::meant!();

            // Not an `async fn`: a state machine in that of the kernel costs as much as the rest.
            #[inline]
            pub fn __intrinsic$(<$T: $bound>)?(
                thread: &$crate::backend::cpu::Thread<'_>,
                $($value: $type,)?
                $($argument: $argument_type,)?
                lanes: u32,
                site: u32,
            ) -> impl Future<Output = $result> {
                let brought = ($($value,)? false,).0;
                thread.arrive(brought, lanes, site, move |$warp| $body)
            }
        }
    };
}
use warp_functions;
