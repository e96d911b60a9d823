//! A method of numbers by its name.

use gpu_runtime::prelude::*;

#[gpu_device]
fn at_two(f: impl Fn(f32) -> f32) -> f32 {
    f(2.0)
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = at_two(f32::sqrt) + x[i];
    }
}

fn main() {}
