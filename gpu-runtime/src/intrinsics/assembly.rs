//! Instructions of the GPU.

/// GPU instructions inside a kernel or device function, with an alternative for the CPU: CUDA C's `asm`.
///
/// `ptx!("text", out(type)…, in(value)…, options(pure), else { alternative })` needs `unsafe`, because PTX is not checked. `{}` in the text
/// is the next operand, outputs first, and `{0}` an operand by its number; double PTX's own braces. The value is the output, a tuple of
/// several outputs, or `()`. Operands are numbers of 16, 32 or 64 bits. With `options(pure)`, equal inputs must give equal outputs, without
/// side effects.
///
/// Outside of kernels and device functions it panics.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_device]
/// fn reversed(x: u32) -> u32 {
///     unsafe { ptx!("brev.b32 {}, {};", out(u32), in(x), options(pure), else { x.reverse_bits() }) }
/// }
///
/// assert_eq!(reversed(1), 1 << 31);
/// ```
#[macro_export]
macro_rules! ptx {
    ($($instructions:tt)*) => {
        ::core::panic!("`ptx!` belongs in a kernel or a device function")
    };
}
