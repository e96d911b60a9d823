//! What a kernel needs to run.

/// What the machine code of a kernel needs on one GPU: `cudaFuncGetAttributes`, Numba's `kernel.get_regs_per_thread()` and its
/// like. From `kernel::attributes(&device)`.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel(max_registers = 32)]
/// fn scale(x: &mut [f32], by: f32) {
///     let i = grid_1d();
///     if i < x.len() {
///         x[i] *= by;
///     }
/// }
///
/// let device = Device::best()?;
/// if device.is_gpu() {
///     assert!(scale::attributes(&device)?.registers <= 32);
/// }
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelAttributes {
    /// 32-bit registers of each thread.
    pub registers: u32,
    /// Bytes of shared memory of each block, without what a launch adds.
    pub shared_bytes: u32,
    /// Bytes of memory of each thread: arrays that are indexed at run time, and registers that were spilled.
    pub local_bytes: u32,
    /// Bytes of constant memory.
    pub constant_bytes: u32,
    /// The most threads of a block.
    pub max_threads: u32,
}
