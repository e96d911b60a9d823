//! Where a thread is in its warp.

use super::super::intrinsic;
use crate::backend::cpu;

/// The threads of a warp: 32.
///
/// CUDA: `warpSize`. Numba: `cuda.warpsize`.
pub const WARP_SIZE: usize = cpu::WARP_SIZE;

intrinsic! {
    /// The thread's number in its warp, below 32.
    ///
    /// CUDA: `threadIdx.x % warpSize` in a one-dimensional block. Numba: `cuda.laneid`.
    ///
    /// A block's threads are numbered with `x` running fastest, then `y`, then `z`; each 32 of them are a warp.
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
    /// The number of the thread's warp in its block, from 0.
    ///
    /// CUDA: `threadIdx.x / warpSize` in a one-dimensional block. All threads of a warp have the same one, so they may call functions
    /// of the warp where it decides.
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
    /// The mask of the threads of the warp that happen to run this call together, the calling one among them.
    ///
    /// CUDA: `__activemask()`. Numba: `cuda.activemask()`.
    ///
    /// Which these are is nobody's promise: threads that take the same way through a program may run apart. On the CPU a thread runs
    /// alone.
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn active_mask() -> u32;
    |thread| 1 << (thread.number("active_mask") % WARP_SIZE)
}
