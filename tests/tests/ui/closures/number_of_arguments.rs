//! A call with too few arguments.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let sum = |a: f32, b: f32| a + b;
        out[i] = sum(x[i]);
    }
}

fn main() {}
