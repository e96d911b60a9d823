//! Complex numbers, floats of 16 bits, and vectors.

use gpu_runtime::prelude::*;
use half::f16;
use num_complex::Complex32;

/// A function of floats that complex numbers lack.
#[gpu_kernel]
fn function_of_floats(z: &mut [Complex32]) {
    let i = grid_1d();
    if i < z.len() {
        z[i] = z[i].tanh(); //~
    }
}

/// Complex numbers have no order.
#[gpu_kernel]
fn order_of_complex_numbers(z: &mut [Complex32], limit: Complex32) {
    let i = grid_1d();
    if i < z.len() && z[i] < limit { //~
        z[i] = limit;
    }
}

/// Complex numbers have no remainder.
#[gpu_kernel]
fn remainder_of_complex_numbers(z: &mut [Complex32], by: Complex32) {
    let i = grid_1d();
    if i < z.len() {
        z[i] = z[i] % by; //~
    }
}

/// They mix by conversions.
#[gpu_kernel]
fn beside_f32(x: &mut [f16], by: f32) {
    let i = grid_1d();
    if i < x.len() {
        x[i] = x[i] * by; //~
    }
}

/// `as` from `f16`.
mod cast_of_half {
    use half::bf16;
    use super::*;

    #[gpu_kernel]
    fn widen(x: &[bf16], out: &mut [f32], whole: &mut [i32]) {
        let i = grid_1d();
        if i < out.len() && i < whole.len() {
            out[i] = x[i] as f32; //~
            whole[i] = x[i] as i32; //~
        }
    }
}

/// `as` to `f16`.
#[gpu_kernel]
fn cast_to_half(x: &[f32], out: &mut [f16]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] as f16; //~
    }
}

/// A literal is an `f32` or an `f64`.
#[gpu_kernel]
fn literal_beside_half(out: &mut [f16]) {
    let i = grid_1d();
    if i < out.len() {
        let v: f16 = 1.0; //~
        out[i] = v;
    }
}

/// Truth values are counted.
fn sum_of_an_array() -> gpu_runtime::Result<()> {
    let x = Device::cpu().zeros::<bool>(1000)?;
    let total = lazy(&x).sum()?; //~
    println!("{total}");
    Ok(())
}

/// A real array is on the right of a complex one.
fn real_on_the_left() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let (x, z) = (device.ones::<f32>(4)?, device.zeros::<Complex32>(4)?);
    let product = &x * &z; //~
    let sum = &x + Complex32::new(1.0, 2.0); //~
    drop((product, sum));
    Ok(())
}

/// Numbers are seen as vectors of the same numbers.
mod elements_of_another_type {
    use gpu_runtime::vector::Float4;
    use super::*;

    fn caller() -> gpu_runtime::Result<()> {
        let x = Device::cpu().zeros::<f64>(8)?;
        x.as_vectors::<Float4>()?; //~
        Ok(())
    }
}

/// Vectors have no order.
mod order_of_vectors {
    use gpu_runtime::vector::Int2;
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &[Int2], out: &mut [bool]) {
        let i = grid_1d();
        if i < x.len() && i < out.len() {
            out[i] = x[i] < x[0]; //~
        }
    }
}

// Callers of what was refused compile.

fn callers() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f16>(8)?;
    literal_beside_half(&mut out).launch(1, 8)?;
    Ok(())
}

fn main() {}
