//! Where all threads of a launch wait for each other.

use crate::backend::cpu::outside_kernel;

/// Waits until every thread of the grid has arrived here, and makes what they wrote before visible to all of them.
///
/// CUDA: `cooperative_groups::this_grid().sync()`. Numba: `cuda.cg.this_grid().sync()`.
///
/// A kernel with it, or with a device function that has it, is launched so that all blocks of its grid are resident at the same time.
/// That limits the grid: `kernel::max_resident_blocks(&device, block)` says to how many blocks, and a larger one is refused with
/// [`Error::GridNotResident`](crate::Error::GridNotResident). So such a kernel takes its share of the elements with
/// [`grid_stride`](crate::intrinsics::grid_stride()) where there may be more elements than threads.
///
/// All threads of the grid must call it at the same place and equally often; those that have returned from the kernel do not count,
/// nor do blocks of which all have. Where blocks wait at different places, they report it as
/// [`FailureCause::DivergentGridBarrier`](crate::FailureCause::DivergentGridBarrier), with both places. After a failed check, the
/// threads that come here end, and the failure is reported.
///
/// What a thread reads after it from a `&mut` array may be another thread's: that is what it is for, and what no proof follows, so the
/// launch is `unsafe`.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// /// Heat spreads along a rod, whose ends keep theirs, in `steps` steps.
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
/// // SAFETY: between two barriers, no thread reads what another writes.
/// unsafe { spread(&mut heat, &mut next, 2).launch(2, 4)? };
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
    use crate::backend::cpu::{Barrier, Thread};
    use crate::source::Site;

    #[inline(always)]
    pub fn __intrinsic(thread: &Thread<'_>, site: &'static Site) -> Barrier {
        thread.barrier(site)
    }
}
