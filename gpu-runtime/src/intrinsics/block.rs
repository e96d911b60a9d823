//! What the threads of a block share: memory and barriers.

use crate::backend::cpu::{Shared, SharedArray, outside_kernel};

/// An array in the block's shared memory, the same for every thread of the block.
///
/// CUDA: `__shared__ float tile[256]`. Numba: `cuda.shared.array(256, float32)`.
///
/// `A` is an array of numbers or `bool`s whose length is constant, or an array of such arrays: `shared::<[f32; 256]>()`,
/// `shared::<[[f32; 16]; 16]>()`. Its contents are undefined until a thread writes them; the CPU backend fills an array with
/// conspicuous values (`NaN` for floats) when its block begins. Call [`sync_threads`] between one thread's write and
/// another's read.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// /// Reverses each run of four elements.
/// #[gpu_kernel]
/// fn reverse_blocks(x: &[i32], out: &mut [i32]) {
///     let mut tile = shared::<[i32; 4]>();
///     let t = thread_idx().x;
///     let i = grid_1d();
///     tile[t] = x[i];
///     sync_threads();
///     out[i] = tile[3 - t];
/// }
///
/// let device = Device::cpu();
/// let x = device.to_device(&[1, 2, 3, 4, 5, 6, 7, 8])?;
/// let mut out = device.zeros::<i32>(8)?;
/// reverse_blocks(&x, &mut out).launch(2, 4)?;
/// assert_eq!(out.to_host()?, [4, 3, 2, 1, 8, 7, 6, 5]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Panics
///
/// If called outside a kernel.
#[track_caller]
pub fn shared<A: SharedArray>() -> Shared<'static, A> {
    outside_kernel("shared")
}

#[doc(hidden)]
pub mod shared {
    use crate::backend::cpu::{Shared, SharedArray, Thread};

    #[inline(always)]
    pub fn __intrinsic<'b, A: SharedArray>(thread: &Thread<'b>, slot: usize) -> Shared<'b, A> {
        thread.launch("shared");
        thread.shared(slot)
    }
}

/// Waits until every thread of the block has arrived here, and makes what they wrote before visible to all of them.
///
/// CUDA: `__syncthreads()`. Numba: `cuda.syncthreads()`.
///
/// All threads of the block must call it at the same place and equally often; those that have returned from the kernel do not
/// count. On the GPU anything else is undefined. The CPU backend reports it as
/// [`FailureCause::DivergentBarrier`](crate::FailureCause::DivergentBarrier), with both places.
///
/// See [`shared`] for an example.
///
/// # Panics
///
/// If called outside a kernel.
#[track_caller]
pub fn sync_threads() {
    outside_kernel("sync_threads")
}

#[doc(hidden)]
pub mod sync_threads {
    use crate::backend::cpu::{Barrier, Thread};
    use crate::kernel::Site;

    #[inline(always)]
    pub fn __intrinsic(thread: &Thread<'_>, site: &'static Site) -> Barrier {
        thread.barrier(site)
    }
}
