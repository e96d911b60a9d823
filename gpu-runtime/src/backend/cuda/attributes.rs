//! The resources that a kernel needs.

/// The resources that the machine code of a kernel needs on one GPU: `cudaFuncGetAttributes`, Numba's `kernel.get_regs_per_thread()` and
/// others. Returned by `kernel::handle().attributes(&device)`.
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
///     assert!(scale::handle().attributes(&device)?.registers <= 32);
/// }
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelAttributes {
    /// 32-bit registers of each thread.
    pub registers: u32,
    /// Bytes of shared memory of each block, without dynamic shared memory.
    pub shared_bytes: u32,
    /// Bytes of local memory of each thread: arrays that are indexed at run time, and spilled registers.
    pub local_bytes: u32,
    /// Bytes of constant memory.
    pub constant_bytes: u32,
    /// The maximum number of threads of a block.
    pub max_threads: u32,
}
