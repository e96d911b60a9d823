//! The attribute macros of `gpu-runtime`. Use them through that crate, which re-exports and documents them.

mod check;
mod emit;
mod errors;
mod expand;
mod infer;
mod lower;
mod model;

use proc_macro::TokenStream;

/// Turns a function into a GPU kernel: CUDA C for NVIDIA GPUs, native Rust for the CPU, and a typed launcher.
///
/// `kernel(arguments…)` builds a launch; `.launch(grid, block)` or `.forall(n)` runs it (Numba: `kernel[grid, block](…)`).
/// Parameters are numbers, `bool`, `&[T]` and `&mut [T]`; slices take device arrays or parts of them.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel]
/// fn add_kernel(x: &[i32], y: &[i32], out: &mut [i32]) {
///     let i = grid_1d();
///     if i < out.len() {
///         out[i] = x[i] + y[i];
///     }
/// }
///
/// fn main() -> gpu_runtime::Result<()> {
///     let device = Device::best()?;
///     let x = device.to_device(&[1, 2, 3])?;
///     let y = device.to_device(&[10, 20, 30])?;
///     let mut out = device.zeros::<i32>(3)?;
///     add_kernel(&x, &y, &mut out).launch(1, 128)?;
///     assert_eq!(out.to_host()?, [11, 22, 33]);
///     Ok(())
/// }
/// ```
///
/// # Arguments
///
/// | argument | meaning |
/// |---|---|
/// | `block = (16, 16)` | the kernel is launched with this block and no other; one to three constant extents |
/// | `fmad = false` | no contraction of `a * b + c` into a fused multiply-add: floats have the CPU's bits |
/// | `crate = path` | where `gpu_runtime` is found, if it is not `::gpu_runtime` |
///
/// # Safety of a launch
///
/// Where every access to a `&mut` parameter is shown to touch an element that no other thread touches, `launch` and `forall`
/// are safe functions. Otherwise they are `unsafe`, and the documentation of the kernel says which access is in doubt.
///
/// # The module
///
/// A module of the kernel's name has `cuda_source()`, `ptx(arch)` and `cubin(arch)`.
#[proc_macro_attribute]
pub fn gpu_kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand_kernel(arguments.into(), item.into()).into()
}

/// Turns a function into one that kernels and other device functions can call, by any path that Rust resolves.
///
/// It stays an ordinary Rust function on the host (Numba: `@cuda.jit(device=True)`).
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_device]
/// fn square(x: f32) -> f32 {
///     x * x
/// }
///
/// #[gpu_kernel]
/// fn squares(x: &[f32], out: &mut [f32]) {
///     let i = grid_1d();
///     if i < out.len() {
///         out[i] = square(x[i]);
///     }
/// }
///
/// assert_eq!(square(3.0), 9.0);
/// ```
///
/// It can be generic over numbers, with one bound for each type parameter: `Num`, `Signed`, `Integer` or `Float` of the runtime.
/// Then it is compiled for each type that kernels call it with.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_device]
/// fn lerp<T: Float>(a: T, b: T, t: T) -> T {
///     a + (b - a) * t
/// }
///
/// assert_eq!((lerp(1.0f32, 3.0, 0.5), lerp(1.0f64, 3.0, 0.25)), (2.0, 1.5));
/// ```
///
/// The only argument is `crate = path`, as for [`gpu_kernel`](macro@gpu_kernel).
#[proc_macro_attribute]
pub fn gpu_device(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand_device(arguments.into(), item.into()).into()
}

#[proc_macro_attribute]
pub fn vectorize(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand_vectorize(arguments.into(), item.into()).into()
}

#[proc_macro_attribute]
pub fn reduce(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand_reduce(arguments.into(), item.into()).into()
}
