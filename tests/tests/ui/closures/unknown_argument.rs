//! An argument that does not exist.

use gpu_runtime::prelude::*;

#[gpu_device]
fn square(x: f32) -> f32 {
    x * x
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = square(missing) + x[i];
    }
}

fn main() {}
