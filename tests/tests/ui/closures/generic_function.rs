//! A generic function whose types are not named.
//! errors: 1

use gpu_runtime::prelude::*;

#[gpu_device]
fn square<T: Num>(x: T) -> T {
    x * x
}

#[gpu_device]
fn at_two(f: impl Fn(f32) -> f32) -> f32 {
    f(2.0)
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = at_two(square) + x[i];
    }
}

fn main() {}
