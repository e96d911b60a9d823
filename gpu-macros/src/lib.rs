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

/// Turns a function of small arrays into one of larger arrays, which calls it for every index of their leading axes: NumPy's
/// generalized ufuncs, Numba's `@guvectorize`, JAX's `vmap`.
///
/// The string says which *core* axes, the last ones, each input and output of one call has. Axes before those are *loop* axes:
/// they broadcast, and every index of them is a call, on a GPU in a thread of its own.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// /// A matrix times a vector.
/// #[guvectorize("(m,n),(n)->(m)")]
/// fn matvec(a: &[f32], x: &[f32], out: &mut [f32], n: usize) {
///     for i in 0..out.len() {
///         let mut sum = 0.0;
///         for k in 0..n {
///             sum += a[i * n + k] * x[k];
///         }
///         out[i] = sum;
///     }
/// }
///
/// /// The inner product.
/// #[guvectorize("(n),(n)->()")]
/// fn dot(x: &[f32], y: &[f32]) -> f32 {
///     let mut sum = 0.0;
///     for k in 0..x.len() {
///         sum += x[k] * y[k];
///     }
///     sum
/// }
///
/// fn main() -> gpu_runtime::Result<()> {
///     let device = Device::best()?;
///     let a = device.to_device(&[1.0, 2.0, 3.0, 4.0])?.reshape([2, 2])?;
///     let x = device.to_device(&[1.0, 0.0, 0.0, 1.0, 1.0, 1.0])?.reshape([3, 2])?;
///     let y = matvec::map(&a, &x).collect()?; // one matrix, three vectors
///     assert_eq!(y.shape().extents(), [3, 2]);
///     assert_eq!(y.to_host()?, [1.0, 3.0, 2.0, 4.0, 3.0, 7.0]);
///     assert_eq!(dot::map(&x, &x).to_vec()?, [1.0, 1.0, 2.0]);
///     assert_eq!(dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0); // an ordinary function, here and in kernels
///     Ok(())
/// }
/// ```
///
/// # The signature
///
/// The inputs, `->` and the outputs, each the names of its core axes in parentheses. One name is one extent everywhere; a number
/// is an extent that is fixed, as in `"(3),(3)->(3)"`. What stands in the signature says how the function has it:
///
/// | in the signature | in the function |
/// |---|---|
/// | an input `(m,n)` | a parameter `&[T]` of m·n elements, in C order |
/// | an input `()` | a parameter `T` |
/// | an output `(m)` | a parameter `&mut [T]`, with any contents until it is written |
/// | an output `()` | the return value; if there are several, a tuple of them |
/// | `m` | a parameter `m: usize` behind all of these, if the function needs the extent |
///
/// A function has at most 4 outputs. Every name in an output is one in an input too. `T` is any number or `bool`.
///
/// # Arguments
///
/// After the signature:
///
/// | argument | meaning |
/// |---|---|
/// | `fmad = false` | no contraction of `a * b + c` into a fused multiply-add: floats have the CPU's bits |
/// | `crate = path` | where `gpu_runtime` is found, if it is not `::gpu_runtime` |
///
/// # The module
///
/// In the module of the function's name, `map(inputs…)` takes device arrays, their views, slices of the host, numbers and lazy
/// arrays. It gives a `Batch`, which computes nothing until it is asked: `collect()` for new arrays on the device, `to_vec()`,
/// `collect_into(&mut out)`. An argument whose core axes are not in C order in memory is copied first, and so are lazy arrays, and
/// slices of the host where the device is a GPU.
#[proc_macro_attribute]
pub fn guvectorize(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand_generalized(arguments.into(), item.into()).into()
}
