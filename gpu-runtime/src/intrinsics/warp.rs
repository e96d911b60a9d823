//! Warps: the groups of 32 threads that a GPU runs together.

use super::intrinsic;

/// The threads of a warp.
pub(crate) const WARP_SIZE: u32 = 32;

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
    |thread| {
        let at = thread.launch("lane_id");
        let [x, y, z] = at.thread_idx;
        let [width, height, _] = at.block_dim;
        ((x + width * (y + height * z)) % WARP_SIZE) as usize
    }
}
