//! Calls of what is no device function, or with the wrong arguments.

use gpu_runtime::prelude::*;

/// Kernels cannot allocate.
#[gpu_kernel]
fn allocation(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let text = String::new(); //~
        out[i] = x[i];
    }
}

/// CUDA's atomics have no counterpart.
#[gpu_kernel]
fn cuda_atomic(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        atomicAdd(&mut out[0], x[i]); //~
    }
}

/// A refused construct in a device function is the only error, the callers are fine.
mod device_function_with_mistake {
    use super::*;

    #[gpu_device]
    fn helper(v: f32) -> f32 {
        eprintln!("{}", v); //~
        v * 2.0
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = helper(x[i]);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// `get` of a range is refused.
#[gpu_kernel]
fn get(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let first = x.get(0..i); //~
        out[i] = 1.0;
    }
}

/// What a refused value has in it follows from the mistake.
#[gpu_kernel]
fn last_mut(x: &[f32], out: &mut [f32]) {
    if let Some(last) = out.last_mut() { //~
        *last = x[0];
    }
}

/// A variable of the whole program.
#[gpu_kernel]
fn static_variable(x: &[f32], out: &mut [f32]) {
    static mut COUNT: u32 = 0; //~
    let i = grid_1d();
    if i < out.len() {
        unsafe {
            COUNT += 1;
        }
        out[i] = x[i];
    }
}

/// Conversions that can fail are those of integers.
#[gpu_kernel]
fn try_into(x: &[f32], out: &mut [f32]) {
    let i: usize = x[0].try_into().unwrap_or(0); //~
    out[i] = x[0];
}

/// The same by the type's path.
#[gpu_kernel]
fn try_from(x: &[f32], out: &mut [f32]) {
    let i = usize::try_from(x[0]).unwrap_or(0); //~
    out[i] = x[0];
}

/// A copy that needs an allocator.
#[gpu_kernel]
fn to_vec(x: &[f32], out: &mut [f32]) {
    let row = x.to_vec(); //~
    out[grid_1d()] = row[0];
}

/// `get_unchecked` is refused.
#[gpu_kernel]
fn get_unchecked(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x.get_unchecked(i); //~
    }
}

/// `grid_1d` takes no arguments.
#[gpu_kernel]
fn intrinsic_arguments(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let t = grid_1d(1); //~
        out[i] = x[i];
    }
}

/// Kernels cannot collect.
#[gpu_kernel]
fn iterator_method(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let all: Vec<f32> = x.iter().copied().collect(); //~
    }
}

/// A variable is no function.
#[gpu_kernel]
fn local_as_function(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = i(x[i]); //~
    }
}

/// Too few arguments of a method.
#[gpu_kernel]
fn method_arguments(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].powf(); //~
    }
}

/// A method of floats on an integer.
#[gpu_kernel]
fn method_of_other_type(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].sqrt(); //~
    }
}

/// A function without `#[gpu_device]` cannot be called.
mod plain_function {
    use super::*;

    fn square(v: f32) -> f32 {
        v * v
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = square(x[i]); //~
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        assert_eq!(square(2.0), 4.0);
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A `&` only reads.
#[gpu_device]
fn assigns_behind_shared_reference(sum: &f32, by: f32) {
    *sum = by; //~
}

/// A reference is not the value.
#[gpu_device]
fn reference_without_star(sum: &mut f32, by: f32) {
    sum = by; //~
}

/// A parameter that is a reference always refers to the same value.
#[gpu_device]
fn mutable_reference(mut sum: &f32) -> f32 { //~
    *sum
}

/// Only whole arrays are passed by reference.
mod reference_to_expression {
    use super::*;

    #[gpu_device]
    fn helper(v: &[f32]) -> f32 {
        v[0]
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = helper(&[x[i], 2.0]); //~
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// Functions of std cannot be called.
#[gpu_kernel]
fn std_function(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let a = std::mem::size_of::<f32>(); //~
        out[i] = x[i];
    }
}

/// A device function gets as many arguments as it takes.
mod too_many_arguments {
    use super::*;

    #[gpu_device]
    fn helper(v: f32) -> f32 {
        v * 2.0
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = helper(x[i], 1.0); //~
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// Generic methods are refused.
#[gpu_kernel]
fn turbofish(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].max::<f32>(1.0); //~
    }
}

/// Methods that kernels do not have.
#[gpu_kernel]
fn unknown_method(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].gamma(); //~
    }
}

/// A device function gets arguments of its types.
mod wrong_argument_type {
    use super::*;

    #[gpu_device]
    fn helper(v: f32) -> f32 {
        v * 2.0
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = helper(i); //~
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// The result of a device function has its type.
mod wrong_result_type {
    use super::*;

    #[gpu_device]
    fn helper(v: f32) -> f64 {
        v as f64
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = helper(x[i]); //~
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

// Callers of what was refused compile.

fn callers_1() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    allocation(&x, &mut out).launch(1, 8)?;
    cuda_atomic(&x, &mut out).launch(1, 8)?;
    get(&x, &mut out).launch(1, 8)?;
    last_mut(&x, &mut out).launch(1, 8)?;
    get_unchecked(&x, &mut out).launch(1, 8)?;
    intrinsic_arguments(&x, &mut out).launch(1, 8)?;
    iterator_method(&x, &mut out).launch(1, 8)?;
    local_as_function(&x, &mut out).launch(1, 8)?;
    method_arguments(&x, &mut out).launch(1, 8)?;
    std_function(&x, &mut out).launch(1, 8)?;
    turbofish(&x, &mut out).launch(1, 8)?;
    unknown_method(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_2() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<i32>(8)?;
    let mut out = device.zeros::<i32>(8)?;
    method_of_other_type(&x, &mut out).launch(1, 8)?;
    Ok(())
}

/// A reference as the result.
mod returned_reference {
    use super::*;

    #[gpu_device]
    fn first(x: &[f32]) -> &f32 { //~
        &x[0]
    }
}

fn main() {}
