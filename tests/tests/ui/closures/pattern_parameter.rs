//! A parameter that is taken apart.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let sum = |(a, b): (f32, f32)| a + b;
        out[i] = sum((x[i], 1.0));
    }
}

fn main() {}
