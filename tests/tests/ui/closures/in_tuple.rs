//! A closure as an element.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let (square, _) = (|v: f32| v * v, 1);
        out[i] = square(x[i]);
    }
}

fn main() {}
