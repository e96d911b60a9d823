//! CUDA's four built-in coordinates.

use super::intrinsic;

/// Three coordinates or extents.
///
/// Fields are `usize`, as Rust's indices are; CUDA's are 32 bits wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Dim3 {
    /// Along the axis on which consecutive threads are neighbours in memory.
    pub x: usize,
    /// Along the second axis; 0 or 1 where it is not used.
    pub y: usize,
    /// Along the third axis; 0 or 1 where it is not used.
    pub z: usize,
}

impl From<[u32; 3]> for Dim3 {
    #[inline]
    fn from([x, y, z]: [u32; 3]) -> Self {
        Self { x: x as usize, y: y as usize, z: z as usize }
    }
}

intrinsic! {
    /// The coordinates of this thread in its block.
    ///
    /// CUDA: `threadIdx`. Numba: `cuda.threadIdx`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn position_in_block(out: &mut [u32]) {
    ///     let i = grid_1d();
    ///     if i < out.len() {
    ///         out[i] = thread_idx().x as u32;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut out = device.zeros::<u32>(5)?;
    /// position_in_block(&mut out).launch(2, 3)?;
    /// assert_eq!(out.to_host()?, [0, 1, 2, 0, 1]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn thread_idx() -> Dim3;
    |thread| thread.launch("thread_idx").thread_idx.into()
}

intrinsic! {
    /// The coordinates of this thread's block in the grid.
    ///
    /// CUDA: `blockIdx`. Numba: `cuda.blockIdx`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn my_block(out: &mut [u32]) {
    ///     let i = grid_1d();
    ///     if i < out.len() {
    ///         out[i] = block_idx().x as u32;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut out = device.zeros::<u32>(5)?;
    /// my_block(&mut out).launch(2, 3)?;
    /// assert_eq!(out.to_host()?, [0, 0, 0, 1, 1]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn block_idx() -> Dim3;
    |thread| thread.launch("block_idx").block_idx.into()
}

intrinsic! {
    /// How many threads a block has along each axis: the second argument of `launch`.
    ///
    /// CUDA: `blockDim`. Numba: `cuda.blockDim`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn threads_per_block(out: &mut [u32]) {
    ///     let i = grid_1d();
    ///     if i < out.len() {
    ///         out[i] = block_dim().x as u32;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut out = device.zeros::<u32>(5)?;
    /// threads_per_block(&mut out).launch(2, 3)?;
    /// assert_eq!(out.to_host()?, [3; 5]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn block_dim() -> Dim3;
    |thread| thread.launch("block_dim").block_dim.into()
}

intrinsic! {
    /// How many blocks the grid has along each axis: the first argument of `launch`.
    ///
    /// CUDA: `gridDim`. Numba: `cuda.gridDim`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn blocks_in_grid(out: &mut [u32]) {
    ///     let i = grid_1d();
    ///     if i < out.len() {
    ///         out[i] = grid_dim().x as u32;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut out = device.zeros::<u32>(5)?;
    /// blocks_in_grid(&mut out).launch(2, 3)?;
    /// assert_eq!(out.to_host()?, [2; 5]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If called outside a kernel.
    pub fn grid_dim() -> Dim3;
    |thread| thread.launch("grid_dim").grid_dim.into()
}
