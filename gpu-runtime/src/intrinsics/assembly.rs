//! Instructions of the GPU.

/// Instructions of the GPU inside a kernel or device function, and what a CPU does instead: CUDA C's `asm`.
///
/// `ptx!("text", out(type)…, in(value)…, options(pure), else { alternative })` stands in `unsafe`, for nobody checks it. `{}` in the
/// text is the next operand, outputs first, and `{0}` one by number; PTX's own braces are doubled. The value is the output, a tuple of
/// several, or `()`. Operands are numbers of 16, 32 or 64 bits. With `options(pure)`, equal inputs give equal outputs, and nothing
/// else happens.
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
