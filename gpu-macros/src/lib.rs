//! The attribute macros of `gpu-runtime`. Use them through that crate, which re-exports and documents them.

mod cfg_combinations;
mod check;
mod cuda_names;
mod device_type;
mod duplicates;
mod editor;
mod emit;
mod errors;
mod expand;
mod first_span;
#[cfg(test)]
mod fuzz;
mod gradient;
mod graph_data;
mod host_tool;
mod idents;
mod infer;
mod kernel_data;
mod lower;
mod members;
mod methods;
mod model;
mod operators;
mod pattern_parameters;
mod pipeline;
mod source_scope;
mod struct_parameters;
mod syntax;
mod traits;
mod unsupported_methods;
mod vec_map;

use proc_macro::TokenStream;

/// Turns a function into a GPU kernel: CUDA C for NVIDIA GPUs, native Rust for the CPU, and a typed launcher.
///
/// `kernel(arguments…)` creates a launch; `.launch(grid, block)` or `.forall(n)` runs it (Numba: `kernel[grid, block](…)`). Parameters are
/// numbers, `bool`, structs and tuples by value; `&[T]`, `&mut [T]` and slices of atomics such as `&[AtomicU32]`, which take device arrays
/// or parts of them; and arrays of one to four axes as `View<T, N>` and `ViewMut<T, N>`.
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
/// | `grad` | the module has a second kernel, `grad`, the gradient of this one: see the chapter "Gradients" of the book |
/// | `block = (16, 16)` | the kernel can only be launched with this block; one to three constant extents |
/// | `launch_bounds = (256, 2)` | blocks have at most 256 threads, and a multiprocessor should hold two of them or more; the second number may be left out (CUDA: `__launch_bounds__`) |
/// | `max_registers = 32` | the maximum number of registers of a thread, from 16 to 255 (Numba: `max_registers`) |
/// | `fmad = false` | no contraction of `a * b + c` into a fused multiply-add: floats have the same bits as on the CPU |
/// | `fast_math = true` | floats with less precision, denormals flushed to zero (Numba: `fastmath=True`) |
/// | `opt = 2` | the optimization level of the assembler: 0 to 3; the default is 3 |
/// | `lineinfo = true` | profilers and debuggers show the lines of Rust (Numba: `lineinfo=True`) |
/// | `suffix = "a"` | on GPUs from `sm_90` on, compile for their suffixed target, such as `sm_90a`, whose instructions only this architecture has; `"f"`: for `sm_100f` and other families |
/// | `unsafe(cuda = include_str!("k.cu"))` | the kernel is this CUDA C; the Rust body, if there is one, runs on the CPU |
/// | `unsafe(ptx = include_str!("k.ptx"))` | the kernel is this PTX; the Rust body, if there is one, runs on the CPU |
/// | `deny(bounds_checks)` | a bounds check that remains in the kernel's body, whatever the launch, is a compile error |
/// | `crate = ::name` | the name of the crate `gpu_runtime`, if it has another one; for another path, `unsafe(crate = path)` |
///
/// # Safety of a launch
///
/// If the attribute proves that no two threads access the same element of a `&mut` parameter, `launch` and `forall` are safe functions.
/// Otherwise they are `unsafe`, and the documentation of the kernel names the access that could not be proved.
///
/// # The module
///
/// The module with the kernel's name has the functions `cuda_source()`, in whose text a comment marks each check that a launch leaves out if
/// it shows that the check cannot fail, `prepare(&device)`, which compiles the kernel before its first launch, `report(&device)`, which
/// returns what it needs on that device and which checks remain, and `findings()`, the accesses that are not proved. `handle()` is the
/// kernel as a value, with the methods `ptx(arch)`, `cubin(arch)`, `unchecked_source()`, `attributes(&device)` and
/// `max_resident_blocks(&device, block)`. For a generic kernel, name the instance: `axpy::cuda_source::<f32>()`.
#[proc_macro_attribute]
pub fn gpu_kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand_kernel(arguments.into(), item.into()).into()
}

/// Turns a function into a device function, which kernels and other device functions can call, by any path that Rust resolves.
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
/// It can be generic over numbers, with the bounds `Num`, `Signed`, `Integer` and `Float` of the runtime, and over types with your own
/// traits. It is then compiled for each type that kernels call it with.
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
/// that it takes by value is inferred from the argument. A device function can also take functions; kernels pass closures and other device
/// functions:
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
/// On an `impl` block of a struct or an enum, the attribute makes the methods device functions. On a trait and on its `impl`s, it makes
/// their functions device functions, and the trait can be a bound in kernels and device functions. rustc resolves a call when an instance
/// is compiled (CUDA C++: a template; Numba: `@overload`).
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
/// | `unsafe(cuda = "…")` | the function's CUDA C, instead of CUDA C generated from the body: also `include_str!("f.cu")` (Numba: `link=['f.cu']`) |
/// | `unsafe(ptx = "…")` | a PTX module that contains the function, which the driver links: also `include_str!("f.ptx")` (Numba: `link=['f.ptx']`) |
/// | `crate = ::name` | the name of the crate `gpu_runtime`, if it has another one; for another path, `unsafe(crate = path)` |
#[proc_macro_attribute]
pub fn gpu_device(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand_device(arguments.into(), item.into()).into()
}

/// Turns a function of numbers into an *array function*: NumPy's ufunc and Numba's `@vectorize`.
///
/// It is also a [device function](macro@gpu_device): an ordinary function on the host, which kernels and other array functions can call.
/// The module with its name applies it to arrays, lazily: `f::map(&x)` computes nothing until it is collected or reduced, and can be an
/// argument of other array functions, so that a whole expression becomes one kernel, which reads each array once.
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
///     assert_eq!(nested.to_host()?, [0.0, 1.0, 4.0]);
///     assert_eq!(scaled::map(&[1, 2, 3], 10).to_host()?, [10, 20, 30]); // arrays of the host
///     assert_eq!(scaled(3u8, 5), 15); // one element
///     Ok(())
/// }
/// ```
///
/// # The function
///
/// It takes 1 to 8 numbers or `bool`s by value and returns one, or a tuple of 2 to 4, each of which becomes an array. It can be generic
/// over numbers. Its result may depend on its arguments only: to use the index of an element, take it as a parameter and pass `iota(n)`. To
/// use several elements at once, write a [`guvectorize`](macro@guvectorize) function or a kernel. If it fails, by `assert!` or a division
/// by zero, the error names the function and the line.
///
/// # Arguments
///
/// | argument | meaning |
/// |---|---|
/// | `fmad = false` | no contraction of `a * b + c` into a fused multiply-add: floats have the same bits as on the CPU. The option applies to every expression with the function, but not to kernels and functions that call it, which have their own option |
/// | `crate = ::name` | the name of the crate `gpu_runtime`, if it has another one; for another path, `unsafe(crate = path)` |
///
/// # The module
///
/// | in the module of the function's name | for | NumPy |
/// |---|---|---|
/// | `map(arrays…)` | any function: a lazy array, with the broadcast shape of the arguments | `f(x, y)` |
/// | `outer(x, y)` | two parameters: a lazy array of all pairs, whose shape is the shape of `x` followed by the shape of `y` | `f.outer(x, y)` |
/// | `at(&mut target, indices, values)` | `fn(T, T) -> T`: sets `target[i]` to `f(target[i], value)`, for each index and its value | `f.at(…)` |
///
/// An argument is a device array, a slice or view of one, a host array, slice or `Vec`, a number, or a lazy array.
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

/// Makes a struct or an enum a device type, which kernels, device functions and arrays on a device can use.
///
/// A struct must have `#[repr(C)]` and be `Copy`. Its fields are numbers, `bool`, arrays `[T; N]` and tuples of such types, and other
/// structs and enums with this derive; it may have type and const parameters. Its definition in CUDA C has the layout that rustc chose,
/// field by field, with assertions of its size, its alignment and every offset (Numba: a record `dtype`).
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
/// An enum without data must have an integer `repr` instead of `C`, derive `PartialEq` too, and have a variant with the value 0. In CUDA C,
/// it is that integer:
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
/// An enum whose variants have fields must have `#[repr(C)]`, an integer `repr`, or both, and needs no `PartialEq`. In CUDA C, it is a tag
/// and a union, with the layout that Rust defines for that `repr`.
///
/// `#[device_type(crate = ::name)]` is the name of the crate `gpu_runtime`, if it has another one; for another path, write
/// `#[device_type(unsafe(crate = path))]`.
#[proc_macro_derive(DeviceType, attributes(device_type))]
pub fn derive_device_type(item: TokenStream) -> TokenStream {
    device_type::expand_device_type(item.into()).into()
}

/// Makes references to a struct arguments of graphs: the struct implements the trait `GraphData`. Its fields are device arrays, numbers, `bool`s,
/// lists of these, and other structs with this derive; it may have type parameters.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[derive(GraphData)]
/// struct Layer {
///     weights: DeviceArray<f32>,
///     bias: DeviceArray<f32>,
/// }
///
/// fn main() -> gpu_runtime::Result<()> {
///     let device = Device::best()?;
///     let layer = Layer { weights: device.eye(2)?, bias: device.ones(2)? };
///     let (x, mut y) = (device.ones::<f32>([1, 2])?, device.zeros::<f32>([1, 2])?);
///     let mut step = Graph::record(&device, (&layer, &x, &mut y), |(layer, x, y)| {
///         (matmul(x, &layer.weights) + &layer.bias).collect_into(y)
///     })?;
///     step.launch((&layer, &x, &mut y))?;
///     assert_eq!(y.to_host()?, [2.0, 2.0]);
///     Ok(())
/// }
/// ```
///
/// `#[graph_data(crate = ::name)]` is the name of the crate `gpu_runtime`, if it has another one.
#[proc_macro_derive(GraphData, attributes(graph_data))]
pub fn derive_graph_data(item: TokenStream) -> TokenStream {
    graph_data::expand_graph_data(item.into()).into()
}

/// Makes references to a struct of arrays parameters of kernels. The kernel's body uses the fields, and its launch takes the struct.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[derive(KernelData)]
/// struct Bodies { x: DeviceArray<f32>, mass: f32 }
/// #[gpu_kernel]
/// fn step(b: &mut Bodies, impulse: f32) {
///     let i = grid_1d();
///     if i < b.x.len() {
///         b.x[i] += impulse / b.mass;
///     }
/// }
/// let mut bodies = Bodies { x: Device::best()?.zeros(3)?, mass: 2.0 };
/// step(&mut bodies, 1.0).forall(3)?;
/// assert_eq!(bodies.x.to_host()?, [0.5; 3]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// The kernel must be in the crate of the struct.
#[proc_macro_derive(KernelData)]
pub fn derive_kernel_data(item: TokenStream) -> TokenStream {
    kernel_data::expand_kernel_data(item.into()).into()
}

/// Turns an associative function of two numbers into a reduction of arrays: Numba's `@cuda.reduce`. It is also an [array
/// function](macro@vectorize).
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
///     assert_eq!(larger::map(&x, 2.0).to_host()?, [3.0, 2.0, 4.0, 2.0, 5.0]);
///     Ok(())
/// }
/// ```
///
/// # The function
///
/// `fn(T, T) -> T`, where `T` is a number, `bool`, or a type parameter. It must be associative, and for `reduce` also commutative, to the
/// precision that you need: elements are not combined one after the other. The order is the same in every run on a device, so the last bits
/// of float sums do not change, but it differs between devices.
///
/// A function of pairs has the type `fn(A, B, A, B) -> (A, B)`, and similarly for three and four components: the first half of its
/// parameters is one item, the second half another. It reduces a tuple of arrays, or a lazy array of tuples.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// /// The element furthest from 0, and its index.
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
/// | `identity = 0.0` | the result for no elements, a constant of the type that the function returns; without it, a reduction of no elements is an error |
/// | `fmad = false` | no contraction of `a * b + c` into a fused multiply-add: floats have the same bits as on the CPU. The option applies to every expression with the function, but not to kernels and functions that call it, which have their own option |
/// | `crate = ::name` | the name of the crate `gpu_runtime`, if it has another one; for another path, `unsafe(crate = path)` |
///
/// # The module
///
/// | in addition to the functions of `#[vectorize]` | result | NumPy |
/// |---|---|---|
/// | `reduce(x)` | the reduction of all elements | `f.reduce(x, None)` |
/// | `reduce_axis(x, axis)` | the reduction along an axis or several: an array without them | `f.reduce(x, axis)` |
/// | `accumulate(x)` | for each element, the reduction of all elements up to and including it, along the last axis | `f.accumulate(x, -1)` |
/// | `accumulate_axis(x, axis)` | the same along another axis | `f.accumulate(x, axis)` |
/// | `accumulate_exclusive(x, axis)` | for each element, the reduction of the elements before it; the identity for the first | |
/// | `reduce_by(x, keys, n)` | the reduction of each of `n` groups of elements, whose numbers are `keys`; not for functions of pairs | |
#[proc_macro_attribute]
pub fn reduce(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand_reduce(arguments.into(), item.into()).into()
}

/// Turns a function of small arrays into a function of larger arrays, which calls it for every index of their leading axes: NumPy's
/// generalized ufuncs, Numba's `@guvectorize`, JAX's `vmap`.
///
/// The string declares the *core* axes of each input and output: the last axes, which one call uses. The axes before the core axes are
/// *loop* axes: they are broadcast, and every index of them is one call, on a GPU in a separate thread.
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
///     assert_eq!(dot::map(&x, &x).to_host()?, [1.0, 1.0, 2.0]);
///     assert_eq!(dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0); // an ordinary function, here and in kernels
///     Ok(())
/// }
/// ```
///
/// # The signature
///
/// The signature lists the inputs, `->`, and the outputs, each with the names of its core axes in parentheses. A name has the same extent
/// everywhere; a number is a fixed extent, as in `"(3),(3)->(3)"`. The signature determines the function's parameters and result:
///
/// | in the signature | in the function |
/// |---|---|
/// | an input `(m,n)` | a parameter `&[T]` of m·n elements, in C order |
/// | an input `()` | a parameter `T` |
/// | an output `(m)` | a parameter `&mut [T]`, with undefined contents until it is written |
/// | an output `()` | the return value; if there are several, a tuple of them |
/// | `m` | a parameter `m: usize` after all of these, if the function needs the extent |
///
/// A function has at most 4 outputs. Every name in an output must also be in an input. `T` is any number or `bool`.
///
/// # Arguments
///
/// After the signature:
///
/// | argument | meaning |
/// |---|---|
/// | `fmad = false` | no contraction of `a * b + c` into a fused multiply-add: floats have the same bits as on the CPU. The option applies to every expression with the function, but not to kernels and functions that call it, which have their own option |
/// | `crate = ::name` | the name of the crate `gpu_runtime`, if it has another one; for another path, `unsafe(crate = path)` |
///
/// # The module
///
/// In the module with the function's name, `map(inputs…)` takes device arrays, their views, host slices, numbers and lazy arrays. It
/// returns a `Batch`, which computes nothing until one of these calls: `collect()` for new arrays on the device, `to_host()`,
/// `collect_into(&mut out)`. An argument whose core axes are not contiguous in C order is copied first. Lazy arrays are copied too, and
/// host slices if the device is a GPU.
#[proc_macro_attribute]
pub fn guvectorize(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand_generalized(arguments.into(), item.into()).into()
}
