//! Type parameters and const parameters.

use gpu_runtime::prelude::*;

#[gpu_device]
fn lerp<T: Float>(a: T, b: T, t: T) -> T {
    a + (b - a) * t
}

/// Arguments of two types for one type parameter.
#[gpu_kernel]
fn arguments_differ(x: &[f32], n: &[i32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = lerp(x[i], 1.0f64, 0.5); //~
    }
}

/// `as` from a type parameter.
#[gpu_device]
fn as_from_parameter<T: Num>(x: T) -> f64 {
    x as f64 //~
}

/// `as` to a type parameter.
#[gpu_device]
fn as_to_parameter<T: Num>(x: f64) -> T {
    x as T //~
}

/// An integer for a float, which is said of each backend.
///
#[gpu_kernel]
fn bound_not_satisfied(x: &[f32], n: &[i32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = lerp(n[i], n[i], n[i]) as f32; //~ 2
    }
}

/// A bound on something else than a type parameter.
#[gpu_device]
fn bound_on_type<T: Num>(x: T) -> T
where
    f32: Float, //~
{
    x + x
}

/// A cast whose target is not written.
mod cast_to_unknown {
    use super::*;

    #[gpu_device]
    fn square(x: f32) -> f32 {
        x * x
    }

    #[gpu_kernel]
    fn kernel(x: &[i32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = square(x[i].cast()); //~
        }
    }
}

/// A call that does not name the const parameter of its callee.
mod const_not_named {
    use super::*;

    #[gpu_device]
    fn times<const N: i32>(x: i32) -> i32 {
        x * N
    }

    #[gpu_kernel]
    fn kernel(out: &mut [i32]) {
        out[grid_1d()] = times(3); //~ 2
    }
}

/// A const parameter of a type that the GPU has no constants of.
#[gpu_device]
fn const_parameter<const NAME: &'static str>(x: i32) -> i32 { //~ 2
    x
}

/// A const parameter as a pattern.
#[gpu_kernel]
fn const_parameter_in_pattern<const N: i32>(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    out[i] = match x[i] {
        N => 1, //~
        _ => 0,
    };
}

/// An array function cannot have const parameters.
#[vectorize]
fn const_parameter_of_array_function<const N: i32>(x: i32) -> i32 { //~
    x * N
}

/// A const parameter of a function written in CUDA C.
mod const_parameter_of_cuda {
    use super::*;

    #[gpu_device(unsafe(cuda = "__device__ int plus(int x) { return x + 1; }"))]
    fn plus<const N: i32>(x: i32) -> i32 { //~
        x + N
    }
}

/// A const parameter of a kernel, of a type that is not supported.
#[gpu_kernel]
fn const_parameter_of_kernel<const N: u8>(out: &mut [u8]) { //~
    out[grid_1d()] = N;
}

/// A constant that the bound does not promise.
#[gpu_device]
fn constant_of_narrower_bound<T: Num>(radius: T) -> T {
    radius * T::PI //~
}

/// An explicit type that is no number.
#[gpu_kernel]
fn explicit_array(x: &[f32], n: &[i32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = lerp::<[f32; 2]>(x[i], 1.0, 0.5); //~
    }
}

/// More type parameters than there can be.
#[gpu_device]
fn nine_parameters<A: Num, B: Num, C: Num, D: Num, E: Num, F: Num, G: Num, H: Num, I: Num>(a: A, i: I) -> A { //~
    a
}

/// An instance whose type the bound does not allow.
mod kernel_bound_not_satisfied {
    use super::*;

    #[gpu_kernel]
    fn kernel<T: Float>(out: &mut [T]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = T::PI;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let mut out = Device::cpu().zeros::<i32>(8)?;
        kernel(&mut out).launch(1, 8) //~ 2
    }
}

/// Arguments that disagree on the type.
mod kernel_two_types {
    use super::*;

    #[gpu_kernel]
    fn axpy<T: Float>(a: T, x: &[T], y: &mut [T]) {
        let i = grid_1d();
        if i < y.len() {
            y[i] += a * x[i];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let x = Device::cpu().zeros::<f32>(8)?;
        let mut y = Device::cpu().zeros::<f64>(8)?;
        axpy(1.0, &x, &mut y).forall(8) //~
    }
}

/// No argument tells what the type parameter is.
mod kernel_type_not_determined {
    use super::*;

    #[gpu_kernel]
    fn kernel<T: Float>(out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = T::PI.cast::<f32>();
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let mut out = Device::cpu().zeros::<f32>(8)?;
        kernel(&mut out).launch(1, 8) //~
    }
}

/// A kernel has at most four parameters of its own.
#[gpu_kernel]
fn kernel_with_nine_parameters<T: Num, const A: u32, const B: u32, const C: u32, const D: u32, const E: u32, const F: u32, const G: u32, const H: u32>(out: &mut [T]) { //~
    out[0] = T::ZERO;
}

/// A kernel cannot have lifetime parameters.
#[gpu_kernel]
fn kernel_with_lifetime<'x, T: Float>(x: &'x [T], out: &mut [T]) { //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
    }
}

/// A bound that is not one of the runtime's.
#[gpu_kernel]
fn kernel_with_other_bound<T: std::fmt::Debug>(x: &[T], out: &mut [T]) { //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
    }
}

/// A kernel has no type parameters yet.
#[gpu_kernel]
fn kernel_without_bound<T>(x: &[T], out: &mut [T]) {} //~

/// A lifetime of a device function.
#[gpu_device]
fn lifetime<'a, T: Num>(x: &'a [T]) -> T { //~
    x[0]
}

/// A literal where a value of the type parameter is meant.
#[gpu_device]
fn literal<T: Float>(x: T) -> T {
    x * 0.5 //~
}

/// A literal where a value of the type parameter is meant.
#[gpu_kernel]
fn literal_in_kernel<T: Float>(out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 0.5; //~
    }
}

/// A method that the bound does not promise.
#[gpu_device]
fn method_of_narrower_bound<T: Num>(x: T) -> T {
    x.sqrt() //~
}

/// A method whose result has no name in terms of the type parameter.
#[gpu_device]
fn method_of_other_result<T: Integer>(x: T, y: T) -> u32 {
    x.abs_diff(y).cast::<u32>() //~
}

/// A type parameter without a bound.
#[gpu_device]
fn no_bound<T>(x: T) -> T { //~
    x + x
}

/// An operator that the bound does not promise.
#[gpu_device]
fn operator_of_narrower_bound<T: Num>(x: T) -> T {
    -x //~
}

/// A bound that is no trait of numbers.
#[gpu_device]
fn other_bound<T: std::fmt::Debug>(x: T) -> T { //~
    x
}

/// A range of a type parameter.
mod range {
    use super::*;

    #[gpu_device]
    fn sum<T: Num>(n: T) -> T {
        let mut sum = T::ZERO;
        for i in T::ZERO..n { //~
            sum += i;
        }
        sum
    }
}

/// A const parameter as the number of axes.
#[gpu_kernel]
fn rank_of_view<const N: usize>(_a: View<f32, N>, out: &mut [f32]) { //~
    let i = grid_1d();
    out[i] = 1.0;
}

/// More than one bound.
#[gpu_device]
fn two_bounds<T: Num + Float>(x: T) -> T { //~
    x + x
}

/// A call whose types follow from literals alone. rustc takes them for `f64`; no type is guessed.
#[gpu_kernel]
fn types_unknown(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = lerp(0.0, 1.0, 0.5) as f32; //~
    }
}

// Callers of what was refused compile.

fn callers() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel_without_bound(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn main() {}
