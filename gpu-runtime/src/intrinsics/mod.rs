//! The functions that kernels call: thread positions, shared memory, barriers.
//!
//! Each becomes CUDA's own construct on the GPU and runs as ordinary Rust on the CPU. Outside a kernel, they panic.
//!
//! | here | CUDA C | Numba |
//! |---|---|---|
//! | [`grid_1d`], [`grid_2d`], [`grid_3d`] | `blockIdx.x * blockDim.x + threadIdx.x`, … | `cuda.grid(1)`, … |
//! | [`grid_stride`] | a loop with step `gridDim.x * blockDim.x` | `range(cuda.grid(1), n, cuda.gridsize(1))` |
//! | [`thread_idx`], [`block_idx`] | `threadIdx`, `blockIdx` | `cuda.threadIdx`, `cuda.blockIdx` |
//! | [`block_dim`], [`grid_dim`] | `blockDim`, `gridDim` | `cuda.blockDim`, `cuda.gridDim` |
//! | [`shared`] | `__shared__ T tile[N]` | `cuda.shared.array(N, T)` |
//! | [`dynamic_shared`] | `extern __shared__ T tile[]` | `cuda.shared.array(0, T)` |
//! | [`sync_threads`] | `__syncthreads()` | `cuda.syncthreads()` |
//! | [`sync_threads_count`], [`sync_threads_and`], [`sync_threads_or`] | `__syncthreads_count(p)`, … | `cuda.syncthreads_count(p)`, … |
//! | [`sync_grid`] | `cooperative_groups::this_grid().sync()` | `cuda.cg.this_grid().sync()` |
//! | [`lane_id`], [`warp_id`], [`WARP_SIZE`] | `threadIdx.x % 32`, `threadIdx.x / 32`, `warpSize` | `cuda.laneid`, –, `cuda.warpsize` |
//! | [`lane_mask_lt`], [`active_mask`] | `%lanemask_lt`, `__activemask()` | `cuda.lanemask_lt()`, `cuda.activemask()` |
//! | [`sync_warp`] | `__syncwarp()` | `cuda.syncwarp()` |
//! | [`warp_shuffle`], [`warp_shuffle_up`], [`warp_shuffle_down`], [`warp_shuffle_xor`] | `__shfl_sync(m, x, lane)`, … | `cuda.shfl_sync(m, x, lane)`, … |
//! | [`warp_all`], [`warp_any`], [`warp_equal`], [`warp_ballot`] | `__all_sync(m, p)`, … | `cuda.all_sync(m, p)`, …, `cuda.eq_sync(m, p)`, … |
//! | [`warp_match_any`], [`warp_match_all`] | `__match_any_sync(m, x)`, … | `cuda.match_any_sync(m, x)`, … |
//! | [`warp_sum`], [`warp_min`], [`warp_max`], [`warp_and`], [`warp_or`], [`warp_xor`] | `__reduce_add_sync(m, x)`, … | – |
//! | [`nanosleep`], [`clock_cycles`] | `__nanosleep(ns)`, `clock64()` | `cuda.nanosleep(ns)` |
//! | [`CacheHints`] | `__ldcs(&x[i])`, `__stcs(&x[i], v)`, … | |
//! | [`thread_fence`], [`thread_fence_block`], [`thread_fence_system`] | `__threadfence()`, … | `cuda.threadfence()`, … |
//!
//! # How a twin reaches them
//!
//! An intrinsic needs to know the thread that calls it. So each function has a module of the same name with a second function,
//! `__intrinsic`, which takes the thread. A name means the function in a call and the module in a path, so one `use` imports both, and a
//! kernel may qualify the name like that of any function.

mod assembly;
mod block;
mod cache;
mod clock;
mod cooperative;
mod coordinates;
mod dynamic;
mod fence;
mod grid;
mod warp;

pub use block::{shared, sync_threads, sync_threads_and, sync_threads_count, sync_threads_or};
pub use cache::CacheHints;
pub use clock::{clock_cycles, global_timer_ns, nanosleep};
pub use cooperative::sync_grid;
pub use coordinates::{Dim3, block_dim, block_idx, grid_dim, thread_idx};
pub use dynamic::dynamic_shared;
pub use fence::{thread_fence, thread_fence_block, thread_fence_system};
pub use grid::{grid_1d, grid_2d, grid_3d, grid_stride};
pub use warp::{
    WARP_SIZE, WarpValue, active_mask, lane_id, lane_mask_lt, sync_warp, sync_warp_in, warp_all, warp_all_in, warp_and, warp_and_in,
    warp_any, warp_any_in, warp_ballot, warp_ballot_in, warp_equal, warp_equal_in, warp_id, warp_match_all, warp_match_all_in,
    warp_match_any, warp_match_any_in, warp_max, warp_max_in, warp_min, warp_min_in, warp_or, warp_or_in, warp_shuffle, warp_shuffle_down,
    warp_shuffle_down_in, warp_shuffle_in, warp_shuffle_up, warp_shuffle_up_in, warp_shuffle_xor, warp_shuffle_xor_in, warp_sum,
    warp_sum_in, warp_xor, warp_xor_in,
};

pub use crate::backend::cpu::{Shared, SharedArray, SharedElement, SliceMut};

/// The function of the runtime to which a name leads. It must be the one with that name.
#[diagnostic::on_unimplemented(
    message = "this name means another function of `gpu_runtime`: it is imported by `use … as …`",
    label = "in kernels, this name must mean the function of `gpu_runtime` with that name",
    note = "import the function under its own name, without `as`"
)]
#[doc(hidden)]
pub trait IntrinsicName<Intrinsic> {}

/// Called with what a path of the user's leads to and with the function that it is taken for: each function has a type of its own, of size
/// zero. (A pointer to a function has not, and the other function would become one too.)
///
/// ```compile_fail,E0080
/// const max: fn(u32, u32) -> u32 = |a, b| a / b;
/// gpu_runtime::calls::same_function(max, std::cmp::max);
/// ```
#[doc(hidden)]
#[inline(always)]
pub const fn same_function<F: Copy>(_written: F, _meant: F) {
    const { assert!(size_of::<F>() == 0, "this name means a pointer to a function, and not the function of `std` with that name") }
}

/// What the module of a function has in place of it, if its type is not known where it is called: both names of a comparison.
#[doc(hidden)]
pub mod unknown_function {
    pub const fn __meant() {}
    pub use super::same_function as __same;
    pub use __meant as __written;
}

/// Declares, in the module of an intrinsic, what tells it from the others: a path that generated code takes for one must lead to it.
macro_rules! meant {
    () => {
        #[derive(Debug)]
        pub struct Meant;

        // A renamed intrinsic is taken for a device function.
        pub use $crate::intrinsics::unknown_function as itself;

        impl $crate::intrinsics::IntrinsicName<Meant> for Meant {}

        #[inline]
        pub const fn __meant() -> Meant {
            Meant
        }
    };
}
pub(crate) use meant;

/// Defines an intrinsic: the documented function, which panics, and the module with the function that the twin calls.
macro_rules! intrinsic {
    (
        $(#[$attribute:meta])*
        pub fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;
        |$thread:ident| $body:expr
    ) => {
        $(#[$attribute])*
        #[track_caller]
        pub fn $name($($argument: $type),*) -> $result {
            $(let _ = $argument;)*
            $crate::backend::cpu::outside_kernel(stringify!($name))
        }

        #[doc(hidden)]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;

            $crate::intrinsics::meant!();

            #[inline]
            pub fn __intrinsic($thread: &$crate::backend::cpu::Thread<'_>, $($argument: $type),*) -> $result {
                $body
            }
        }
    };
}
use intrinsic;
