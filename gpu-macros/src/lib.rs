//! The attribute macros of `gpu-runtime`. Use them through that crate, which re-exports and documents them.

mod check;
mod device_type;
mod emit;
mod errors;
mod expand;
mod infer;
mod lower;
mod methods;
mod missing;
mod model;
mod traits;
mod words;

use proc_macro::TokenStream;

/// Turns a function into a GPU kernel: CUDA C for NVIDIA GPUs, native Rust for the CPU, and a typed launcher.
///
/// `kernel(arguments…)` builds a launch; `.launch(grid, block)` or `.forall(n)` runs it (Numba: `kernel[grid, block](…)`).
/// Parameters are numbers, `bool`, structs and tuples by value; `&[T]`, `&mut [T]` and slices of atomics such as `&[AtomicU32]`, which take
/// device arrays or parts of them; and arrays of one to four axes as `View<T, N>` and `ViewMut<T, N>`.
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
/// A kernel can be generic over types, with the bounds of [`gpu_device`](macro@gpu_device), and over constants of type `usize`, `u32`,
/// `i32` and `bool`. It has one launcher, and each instance is compiled at its first launch (CUDA C++: templates).
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel]
/// fn shifted<T: Num, const BY: usize>(x: &[T], out: &mut [T]) {
///     let i = grid_1d();
///     if i + BY < x.len() && i < out.len() {
///         out[i] = x[i + BY];
///     }
/// }
///
/// let device = Device::cpu();
/// let x = device.to_device(&[1.5, 2.5, 3.5])?;
/// let mut out = device.zeros::<f64>(2)?;
/// shifted::<_, 1>(&x, &mut out).forall(2)?;
/// assert_eq!(out.to_host()?, [2.5, 3.5]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Arguments
///
/// | argument | meaning |
/// |---|---|
/// | `block = (16, 16)` | the kernel is launched with this block and no other; one to three constant extents |
/// | `launch_bounds = (256, 2)` | blocks have at most 256 threads, and a multiprocessor should hold two of them or more; the second number may be left out (CUDA: `__launch_bounds__`) |
/// | `max_registers = 32` | a thread has at most so many registers, from 16 to 255 (Numba: `max_registers`) |
/// | `fmad = false` | no contraction of `a * b + c` into a fused multiply-add: floats have the CPU's bits |
/// | `fast_math = true` | floats with less precision, denormals flushed to zero (Numba: `fastmath=True`) |
/// | `opt = 2` | how hard the assembler optimises: 0 to 3; 3 if not given |
/// | `lineinfo = true` | profilers and debuggers show the lines of Rust (Numba: `lineinfo=True`) |
/// | `crate = path` | where `gpu_runtime` is found, if it is not `::gpu_runtime` |
///
/// # Safety of a launch
///
/// Where every access to a `&mut` parameter is shown to touch an element that no other thread touches, `launch` and `forall`
/// are safe functions. Otherwise they are `unsafe`, and the documentation of the kernel says which access is in doubt.
///
/// # The module
///
/// A module of the kernel's name has `cuda_source()`, `ptx(arch)`, `cubin(arch)` and `attributes(&device)`: what it is compiled to, and
/// how many registers and how much memory that needs. `max_resident_blocks(&device, block)` is how many blocks run at the same time. Of a generic kernel they are asked for an instance: `axpy::cuda_source::<f32>()`.
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
/// It can be generic over numbers, by the bounds `Num`, `Signed`, `Integer` and `Float` of the runtime, and over types with traits of your own.
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
/// It can have const parameters, `fn power<const N: usize>(x: f32) -> f32`, which a call names: `power::<3>(x)`. The length of an array
/// that it takes by value follows from the argument. And it can take functions, for which kernels pass closures and other device functions:
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_device]
/// fn slope(f: impl Fn(f64) -> f64, x: f64, h: f64) -> f64 {
///     (f(x + h) - f(x - h)) / (2.0 * h)
/// }
///
/// #[gpu_kernel]
/// fn slopes(x: &[f64], power: f64, out: &mut [f64]) {
///     let i = grid_1d();
///     if i < out.len() {
///         out[i] = slope(|t: f64| t.powf(power), x[i], 0.001);
///     }
/// }
///
/// assert_eq!(slope(|x| 3.0 * x, 1.0, 0.5), 3.0);
/// ```
///
/// On an `impl` block of a struct or an enum, it makes the methods device functions. On a trait and on its `impl`s, it does the same to
/// their functions, and makes the trait a bound of others. Which of them a call
/// means is decided when an instance is compiled (CUDA C++: a template; Numba: `@overload`).
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_device]
/// trait Shape {
///     fn area(self) -> f32;
/// }
///
/// #[derive(Clone, Copy, DeviceType)]
/// #[repr(C)]
/// struct Rectangle {
///     width: f32,
///     height: f32,
/// }
///
/// #[gpu_device]
/// impl Shape for Rectangle {
///     fn area(self) -> f32 {
///         self.width * self.height
///     }
/// }
///
/// #[gpu_kernel]
/// fn areas<S: Shape>(shapes: &[S], out: &mut [f32]) {
///     let i = grid_1d();
///     if i < out.len() {
///         out[i] = shapes[i].area();
///     }
/// }
///
/// # fn main() -> gpu_runtime::Result<()> {
/// let device = Device::best()?;
/// let shapes = device.to_device(&[Rectangle { width: 2.0, height: 3.0 }])?;
/// let mut out = device.zeros::<f32>(1)?;
/// areas(&shapes, &mut out).forall(1)?;
/// assert_eq!(out.to_host()?, [6.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Arguments
///
/// | argument | meaning |
/// |---|---|
/// | `unsafe(cuda = "…")` | the function's CUDA C, in place of what its body would become: also `include_str!("f.cu")` (Numba: `link=['f.cu']`) |
/// | `unsafe(ptx = "…")` | a module of PTX that has the function, which the driver links: also `include_str!("f.ptx")` (Numba: `link=['f.ptx']`) |
/// | `crate = path` | where `gpu_runtime` is found, if it is not `::gpu_runtime` |
#[proc_macro_attribute]
pub fn gpu_device(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand_device(arguments.into(), item.into()).into()
}

/// Turns a function of numbers into one of arrays too: an *array function*, NumPy's ufunc and Numba's `@vectorize`.
///
/// It stays what [`gpu_device`](macro@gpu_device) makes of it: an ordinary function on the host, which kernels and other such
/// functions can call. The module of its name maps arrays through it, lazily: `f::map(&x)` computes nothing until it is asked, and
/// goes where an array goes, so that a whole expression becomes one kernel, which reads each array once.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[vectorize]
/// fn trig(x: f32) -> f32 {
///     x.cos().powi(2) + x.sin().powi(2)
/// }
///
/// #[vectorize]
/// fn scaled<T: Num>(x: T, by: T) -> T {
///     x * by
/// }
///
/// fn main() -> gpu_runtime::Result<()> {
///     let device = Device::best()?;
///     let x = device.to_device(&[0.0f32, 0.5, 1.0])?;
///     let ones = trig::map(&x).collect()?; // an array on the device
///     assert!(ones.to_host()?.iter().all(|one| (one - 1.0).abs() < 1e-6));
///
///     let nested = scaled::map(&x, scaled::map(&x, 4.0)); // one kernel, for any element type
///     assert_eq!(nested.to_vec()?, [0.0, 1.0, 4.0]);
///     assert_eq!(scaled::map(&[1, 2, 3], 10).to_vec()?, [10, 20, 30]); // arrays of the host
///     assert_eq!(scaled(3u8, 5), 15); // one element
///     Ok(())
/// }
/// ```
///
/// # The function
///
/// It takes 1 to 8 numbers or `bool`s by value and returns one, or a tuple of 2 to 4, each of which becomes an array. It can be
/// generic over numbers. What it does may depend on its arguments only: the index of an element is an argument too, for which
/// `iota(n)` is passed. A function that sees several elements at once is a
/// [`guvectorize`](macro@guvectorize) function or a kernel. Where it fails, by `assert!` or a division by zero, the error names it
/// and its line.
///
/// # Arguments
///
/// | argument | meaning |
/// |---|---|
/// | `fmad = false` | no contraction of `a * b + c` into a fused multiply-add: floats have the CPU's bits. It holds for every expression with the function, but not in kernels and functions that call it, which decide for themselves |
/// | `crate = path` | where `gpu_runtime` is found, if it is not `::gpu_runtime` |
///
/// # The module
///
/// | in the module of the function's name | for | NumPy |
/// |---|---|---|
/// | `map(arrays…)` | any function: a lazy array, of the shape to which those of the arguments broadcast | `f(x, y)` |
/// | `outer(x, y)` | two parameters: a lazy array of all pairs, whose shape is that of `x`, then that of `y` | `f.outer(x, y)` |
/// | `at(&mut target, indices, values)` | `fn(T, T) -> T`: makes `target[i]` the function of itself and a value, for each index | `f.at(…)` |
///
/// An argument is a device array, its slice or view, an array, slice or `Vec` of the host, a number, or a lazy array.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[vectorize]
/// fn add(a: i32, b: i32) -> i32 {
///     a + b
/// }
///
/// let device = Device::cpu();
/// let sums = add::outer(&[10, 20], &[1, 2, 3]).on(&device).collect()?;
/// assert_eq!(sums.shape().extents(), [2, 3]);
/// assert_eq!(sums.to_host()?, [11, 12, 13, 21, 22, 23]);
///
/// let mut counts = device.zeros(3)?;
/// add::at(&mut counts, &[0usize, 2, 2], 1)?;
/// assert_eq!(counts.to_host()?, [1, 0, 2]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[proc_macro_attribute]
pub fn vectorize(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand_vectorize(arguments.into(), item.into()).into()
}

/// Makes a struct or an enum a type that arrays on a device, kernels and device functions can hold.
///
/// A struct has `#[repr(C)]` and is `Copy`. Its fields are numbers, `bool`, arrays `[T; N]` and tuples of such types, and other structs
/// and enums with this derive; it may have type and const parameters. CUDA C gets the layout that rustc gave it, field by field, and assertions of
/// its size, its alignment and every offset (Numba: a record `dtype`).
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
/// #[repr(C)]
/// struct Particle {
///     position: [f32; 3],
///     mass: f32,
/// }
///
/// #[gpu_kernel]
/// fn fall(particles: &mut [Particle], seconds: f32) {
///     let i = grid_1d();
///     if i < particles.len() {
///         particles[i].position[2] -= 9.81 * seconds;
///     }
/// }
///
/// fn main() -> gpu_runtime::Result<()> {
///     let device = Device::best()?;
///     let mut particles = device.to_device(&[Particle { position: [0.0, 0.0, 100.0], mass: 1.0 }; 8])?;
///     fall(&mut particles, 2.0).launch(1, 8)?;
///     assert_eq!(particles.to_host()?[7].position, [0.0, 0.0, 100.0 - 9.81f32 * 2.0]);
///     Ok(())
/// }
/// ```
///
/// An enum without data has a `repr` of integers in place of `C`, derives `PartialEq` too, and one of its variants is 0. In CUDA C it
/// is that integer:
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
/// #[repr(u8)]
/// enum Sign {
///     Zero,
///     Plus,
///     Minus,
/// }
///
/// #[gpu_kernel]
/// fn signs(x: &[i32], out: &mut [Sign]) {
///     let i = grid_1d();
///     if i < x.len() && i < out.len() {
///         out[i] = match x[i] {
///             0 => Sign::Zero,
///             1.. => Sign::Plus,
///             _ => Sign::Minus,
///         };
///     }
/// }
///
/// fn main() -> gpu_runtime::Result<()> {
///     let device = Device::cpu();
///     let x = device.to_device(&[5, 0, -1])?;
///     let mut out = device.to_device(&[Sign::Zero; 3])?;
///     signs(&x, &mut out).forall(3)?;
///     assert_eq!(out.to_host()?, [Sign::Plus, Sign::Zero, Sign::Minus]);
///     Ok(())
/// }
/// ```
///
/// An enum whose variants have fields has `#[repr(C)]`, a type of integers, or both, and needs no `PartialEq`. In CUDA C it is a tag and a
/// union, in the layout that Rust defines for that `repr`.
///
/// `#[device_type(crate = path)]` says where `gpu_runtime` is found, if it is not `::gpu_runtime`.
#[proc_macro_derive(DeviceType, attributes(device_type))]
pub fn derive_device_type(item: TokenStream) -> TokenStream {
    device_type::expand_device_type(item.into()).into()
}

/// Turns an associative function of two numbers into one that folds arrays: Numba's `@cuda.reduce`, and all that
/// [`vectorize`](macro@vectorize) makes of it.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[reduce(identity = f64::NEG_INFINITY)]
/// fn larger(a: f64, b: f64) -> f64 {
///     a.max(b)
/// }
///
/// fn main() -> gpu_runtime::Result<()> {
///     let device = Device::best()?;
///     let x = device.to_device(&[3.0, 1.0, 4.0, 1.0, 5.0])?;
///     assert_eq!(larger::reduce(&x)?, 5.0);
///     assert_eq!(larger::accumulate(&x)?.to_host()?, [3.0, 3.0, 4.0, 4.0, 5.0]);
///     assert_eq!(larger::map(&x, 2.0).to_vec()?, [3.0, 2.0, 4.0, 2.0, 5.0]);
///     Ok(())
/// }
/// ```
///
/// # The function
///
/// `fn(T, T) -> T`, where `T` is a number, `bool`, or a type parameter. It must be associative, and for `reduce` commutative, as far
/// as its user cares: elements are not combined one after the other. That is the same way in every run on a device, so that sums of
/// floats keep their last bits, but another one on another device.
///
/// A function of pairs has the type `fn(A, B, A, B) -> (A, B)`, and likewise for three and four components: the first half of its
/// parameters is one item, the second half another. It folds a tuple of arrays, or a lazy array of tuples.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// /// The element furthest from 0, and where it is.
/// #[reduce]
/// fn furthest(x: f64, i: usize, y: f64, j: usize) -> (f64, usize) {
///     if x.abs() < y.abs() { (y, j) } else { (x, i) }
/// }
///
/// let x = Device::cpu().to_device(&[1.0, -2.0, 0.5])?;
/// assert_eq!(furthest::reduce((&x, iota(3)))?, (-2.0, 1));
/// let (values, places) = furthest::accumulate((&x, iota(3)))?;
/// assert_eq!((values.to_host()?, places.to_host()?), (vec![1.0, -2.0, -2.0], vec![0, 1, 1]));
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Arguments
///
/// | argument | meaning |
/// |---|---|
/// | `identity = 0.0` | what folds nothing, a constant of the type that the function returns; without it, that is an error |
/// | `fmad = false` | no contraction of `a * b + c` into a fused multiply-add: floats have the CPU's bits. It holds for every expression with the function, but not in kernels and functions that call it, which decide for themselves |
/// | `crate = path` | where `gpu_runtime` is found, if it is not `::gpu_runtime` |
///
/// # The module
///
/// | beside the functions of `#[vectorize]` | gives | NumPy |
/// |---|---|---|
/// | `reduce(x)` | the fold of all elements | `f.reduce(x, None)` |
/// | `reduce_axis(x, axis)` | the fold along an axis: an array without it | `f.reduce(x, axis)` |
/// | `accumulate(x)` | the fold of all elements up to each, its own included, along the last axis | `f.accumulate(x, -1)` |
/// | `accumulate_axis(x, axis)` | the same along another axis | `f.accumulate(x, axis)` |
/// | `accumulate_exclusive(x, axis)` | the fold of those before each element; the identity for the first | |
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
/// | `fmad = false` | no contraction of `a * b + c` into a fused multiply-add: floats have the CPU's bits. It holds for every expression with the function, but not in kernels and functions that call it, which decide for themselves |
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
