//! The grid barrier.

use crate::backend::cpu::outside_kernel;

/// Synchronizes the threads of the grid: waits until all of them reach this call, and makes their earlier writes visible to all of them.
///
/// CUDA: `cooperative_groups::this_grid().sync()`. Numba: `cuda.cg.this_grid().sync()`.
///
/// A kernel that calls it, directly or in a device function, is launched so that all blocks of its grid are resident at the same time. This
/// limits the grid: `kernel::handle().max_resident_blocks(&device, block)` returns the maximum number of blocks, and the launch of a larger grid
/// returns [`Error::GridNotResident`](crate::Error::GridNotResident). If there may be more elements than threads, loop over them with
/// [`grid_stride`](crate::intrinsics::grid_stride()).
///
/// All threads of the grid must call it at the same place and equally often, except for threads that have returned from the kernel. If
/// blocks wait at different places, every device reports [`FailureCause::DivergentGridBarrier`](crate::FailureCause::DivergentGridBarrier),
/// with both places. After a failed check, all threads that reach this call end, and the failure is reported.
///
/// After the barrier, a thread may read elements of a `&mut` array that another thread wrote. The race proof does not take the barrier into
/// account, so the launch of such a kernel is `unsafe`.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// /// Heat spreads along a rod, whose ends keep their temperature, in `steps` steps.
/// #[gpu_kernel]
/// fn spread(heat: &mut [f32], next: &mut [f32], steps: usize) {
///     let i = grid_1d();
///     let inner = i > 0 && i + 1 < heat.len();
///     for _ in 0..steps {
///         if inner {
///             next[i] = heat[i] + 0.25 * (heat[i - 1] - 2.0 * heat[i] + heat[i + 1]);
///         }
///         sync_grid();
///         if inner {
///             heat[i] = next[i];
///         }
///         sync_grid();
///     }
/// }
///
/// let device = Device::cpu();
/// let mut heat = device.to_device(&[0.0, 0.0, 16.0, 0.0, 0.0])?;
/// let mut next = device.zeros::<f32>(5)?;
/// // SAFETY: between two barriers, no thread reads an element that another writes.
/// unsafe { spread(&mut heat, &mut next, 2).launch_unchecked(2, 4)? };
/// assert_eq!(heat.to_host()?, [0.0, 4.0, 6.0, 4.0, 0.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Panics
///
/// If called outside a kernel.
#[track_caller]
pub fn sync_grid() {
    outside_kernel("sync_grid")
}

#[doc(hidden)]
pub mod sync_grid {
    use crate::backend::cpu::{Pause, Thread};

    crate::intrinsics::meant!();

    #[inline]
    pub fn __intrinsic(thread: &Thread<'_>, site: u32) -> Pause {
        thread.barrier(site)
    }
}
