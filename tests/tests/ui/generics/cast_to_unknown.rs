//! A cast whose target is not written.

use gpu_runtime::prelude::*;

#[gpu_device]
fn square(x: f32) -> f32 {
    x * x
}

#[gpu_kernel]
fn kernel(x: &[i32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = square(x[i].cast());
    }
}

fn main() {}
