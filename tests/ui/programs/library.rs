//! Functions for the bits, for caches, clocks and printing.

use gpu_runtime::prelude::*;

/// A Bessel function of an order that is no integer.
#[gpu_kernel]
fn bessel_of_float_order(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].bessel_jn(0.5); //~
    }
}

/// An operation on the bytes of a `u32`, on a `u64`.
#[gpu_kernel]
fn bytes_of_long_integer(x: &[u64], out: &mut [u64]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].byte_permute(x[i], 0x3210); //~
    }
}

/// An argument where a clock takes none.
#[gpu_kernel]
fn clock_arguments(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = clock_cycles(i) as f32; //~
    }
}

/// A function of floats on a type parameter that may be an integer.
mod error_function_of_numbers {
    use super::*;

    #[gpu_device]
    fn tail<T: Num>(x: T) -> T {
        x.erfc() //~
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = tail(x[i]);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A store with a cache hint, without its value.
#[gpu_kernel]
fn hint_arguments(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out.store_through(i); //~
    }
}

/// An assignment to a load.
#[gpu_kernel]
fn hint_as_place(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out.load_streaming(i) = x[i]; //~
    }
}

/// A load with a cache hint where the slice may be in shared memory.
mod hint_in_device_function {
    use super::*;

    #[gpu_device]
    fn first(x: &[f32]) -> f32 {
        x.load_global(0) //~
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = first(x);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A load with a cache hint from an array of the thread's own.
#[gpu_kernel]
fn hint_on_array(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let local = [x[i]; 4];
        out[i] = local.load_streaming(1); //~
    }
}

/// An array is printed.
#[gpu_kernel]
fn print_array(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let pair = [x[i]; 2];
        println!("{}", pair); //~
        out[i] = x[i];
    }
}

/// A float is printed in hexadecimal.
#[gpu_kernel]
fn print_bits_of_float(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        println!("{:x}", x[i]); //~
        out[i] = x[i];
    }
}

/// An array function prints.
#[vectorize]
fn print_in_array_function(x: f32) -> f32 {
    println!("{x}"); //~
    x
}

/// More placeholders than values.
#[gpu_kernel]
fn print_missing_argument(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        println!("{} {}", i); //~
        out[i] = x[i];
    }
}

/// A line for standard error.
#[gpu_kernel]
fn print_to_standard_error(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        eprintln!("{}", i); //~
        out[i] = x[i];
    }
}

/// A tuple is printed.
#[gpu_kernel]
fn print_tuple(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let pair = (x[i], i);
        println!("{:?}", pair); //~
        out[i] = x[i];
    }
}

/// A brace without the other.
#[gpu_kernel]
fn print_unbalanced(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        println!("{ {i}", x[i]); //~
        out[i] = x[i];
    }
}

/// A value without a placeholder.
#[gpu_kernel]
fn print_unused_argument(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        println!("{}", x[i], i); //~
        out[i] = x[i];
    }
}

/// A text that is no literal.
#[gpu_kernel]
fn print_variable_text(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        println!(i); //~
        out[i] = x[i];
    }
}

/// A width that is an argument.
#[gpu_kernel]
fn print_width_argument(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        println!("{:1$}", x[i], 8); //~
        out[i] = x[i];
    }
}

/// Waiting in an array function.
mod sleep_in_array_function {
    use super::*;

    #[vectorize]
    fn slow(x: f32) -> f32 {
        nanosleep(100); //~
        x
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = slow(x[i]);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A store with a cache hint through a `&[T]`.
#[gpu_kernel]
fn store_behind_shared_reference(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        x.store_streaming(i, 1.0); //~
    }
}

// Callers of what was refused compile.

fn callers_1() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    bessel_of_float_order(&x, &mut out).launch(1, 8)?;
    clock_arguments(&x, &mut out).launch(1, 8)?;
    hint_arguments(&x, &mut out).launch(1, 8)?;
    hint_as_place(&x, &mut out).launch(1, 8)?;
    hint_on_array(&x, &mut out).launch(1, 8)?;
    print_array(&x, &mut out).launch(1, 8)?;
    print_bits_of_float(&x, &mut out).launch(1, 8)?;
    print_missing_argument(&x, &mut out).launch(1, 8)?;
    print_to_standard_error(&x, &mut out).launch(1, 8)?;
    print_tuple(&x, &mut out).launch(1, 8)?;
    print_unbalanced(&x, &mut out).launch(1, 8)?;
    print_unused_argument(&x, &mut out).launch(1, 8)?;
    print_variable_text(&x, &mut out).launch(1, 8)?;
    print_width_argument(&x, &mut out).launch(1, 8)?;
    store_behind_shared_reference(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_2() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u64>(8)?;
    let mut out = device.zeros::<u64>(8)?;
    bytes_of_long_integer(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_3() -> gpu_runtime::Result<()> {
    print_in_array_function::map(&[1.0f32]).to_host()?;
    Ok(())
}

fn main() {}
