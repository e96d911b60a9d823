//! The position of a thread in its warp.

use super::super::intrinsic;
use crate::backend::cpu;

/// The threads of a warp: 32.
///
/// CUDA: `warpSize`. Numba: `cuda.warpsize`.
pub const WARP_SIZE: usize = cpu::WARP_SIZE;

intrinsic! {
    /// The index of the thread in its warp, below 32.
    ///
    /// CUDA: `threadIdx.x % warpSize` in a one-dimensional block. Numba: `cuda.laneid`.
    ///
    /// The threads of a block are numbered with `x` running fastest, then `y`, then `z`; each 32 consecutive threads are a warp.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn lanes(out: &mut [u32]) {
    ///     let i = grid_1d();
    ///     if i < out.len() {
    ///         out[i] = lane_id() as u32;
    ///     }
    /// }
    ///
    /// let mut out = Device::cpu().zeros::<u32>(64)?;
    /// lanes(&mut out).launch(1, 64)?;
    /// assert_eq!(out.to_host()?[30..34], [30, 31, 0, 1]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn lane_id() -> usize;
    |thread| thread.number("lane_id") % WARP_SIZE
}

intrinsic! {
    /// The index of the thread's warp in its block, from 0.
    ///
    /// CUDA: `threadIdx.x / warpSize` in a one-dimensional block. All threads of a warp have the same value, so a warp function may be
    /// under a condition on it.
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn warp_id() -> usize;
    |thread| thread.number("warp_id") / WARP_SIZE
}

intrinsic! {
    /// The mask of the lanes below the thread's own.
    ///
    /// CUDA: the register `%lanemask_lt`. Numba: `cuda.lanemask_lt()`. See [`warp_ballot`](fn@super::warp_ballot) for its use.
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn lane_mask_lt() -> u32;
    |thread| (1 << (thread.number("lane_mask_lt") % WARP_SIZE)) - 1
}

intrinsic! {
    /// The mask of the threads of the warp that currently run this call together, including the calling thread.
    ///
    /// CUDA: `__activemask()`. Numba: `cuda.activemask()`.
    ///
    /// The mask is not guaranteed: threads that take the same path through a program may still run separately. On the CPU, each thread runs
    /// alone.
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn active_mask() -> u32;
    |thread| 1 << (thread.number("active_mask") % WARP_SIZE)
}
