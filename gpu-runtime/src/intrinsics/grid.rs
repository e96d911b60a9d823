//! The position of a thread in the whole grid.

use std::iter::StepBy;
use std::ops::Range;

use super::intrinsic;
use crate::backend::cpu::Coordinates;

intrinsic! {
    /// The index of this thread in a one-dimensional grid.
    ///
    /// CUDA: `blockIdx.x * blockDim.x + threadIdx.x`. Numba: `cuda.grid(1)`.
    ///
    /// Grids consist of whole blocks, so there are often more threads than elements: compare the index with the length.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn double(x: &mut [f32]) {
    ///     let i = grid_1d();
    ///     if i < x.len() {
    ///         x[i] = x[i] * 2.0;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = device.to_device(&[1.0, 2.0, 3.0])?;
    /// double(&mut x).launch(1, 32)?;
    /// assert_eq!(x.to_host()?, [2.0, 4.0, 6.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn grid_1d() -> usize;
    |thread| position(thread.launch("grid_1d"), 0)
}

intrinsic! {
    /// The position of this thread in a two-dimensional grid: x, then y.
    ///
    /// CUDA: `blockIdx.x * blockDim.x + threadIdx.x` and the same for `y`. Numba: `cuda.grid(2)`.
    ///
    /// Threads that are neighbours in x run together, so use x for the axis whose elements are contiguous in memory: the column of a
    /// row-major matrix.
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn grid_2d() -> (usize, usize);
    |thread| {
        let launch = thread.launch("grid_2d");
        (position(launch, 0), position(launch, 1))
    }
}

intrinsic! {
    /// The position of this thread in a three-dimensional grid: x, y, z.
    ///
    /// CUDA: `blockIdx.x * blockDim.x + threadIdx.x` and the same for `y` and `z`. Numba: `cuda.grid(3)`.
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn grid_3d() -> (usize, usize, usize);
    |thread| {
        let launch = thread.launch("grid_3d");
        (position(launch, 0), position(launch, 1), position(launch, 2))
    }
}

/// The indices of this thread in `0..n`: its index in a one-dimensional grid, then steps of the number of threads in the grid.
///
/// CUDA: `for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)`.
/// Numba: `for i in range(cuda.grid(1), n, cuda.gridsize(1))`.
///
/// So a grid of any size covers all elements.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel]
/// fn double(x: &mut [i32]) {
///     for i in grid_stride(x.len()) {
///         x[i] = x[i] * 2;
///     }
/// }
///
/// let device = Device::cpu();
/// let mut x = device.to_device(&[1, 2, 3, 4, 5])?;
/// double(&mut x).launch(1, 2)?;
/// assert_eq!(x.to_host()?, [2, 4, 6, 8, 10]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Panics
///
/// If called outside a kernel.
#[track_caller]
pub fn grid_stride(n: usize) -> impl Iterator<Item = usize> {
    grid_stride::refuse(n)
}

#[doc(hidden)]
pub mod grid_stride {
    use super::{Range, StepBy, position};
    use crate::backend::cpu::{Thread, outside_kernel};

    crate::intrinsics::meant!();

    #[inline]
    pub fn __intrinsic(thread: &Thread<'_>, n: usize) -> StepBy<Range<usize>> {
        let launch = thread.launch("grid_stride");
        (position(launch, 0)..n).step_by(launch.grid_dim[0] as usize * launch.block_dim[0] as usize)
    }

    #[track_caller]
    pub(super) fn refuse(_: usize) -> StepBy<Range<usize>> {
        outside_kernel("grid_stride")
    }
}

/// The position of a thread along one axis of the grid.
#[inline]
fn position(launch: Coordinates, axis: usize) -> usize {
    launch.block_idx[axis] as usize * launch.block_dim[axis] as usize + launch.thread_idx[axis] as usize
}
