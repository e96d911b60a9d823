//! A closure without a name.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = (|v: f32| v * v)(x[i]);
    }
}

fn main() {}
