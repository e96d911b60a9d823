//! A slice has no options.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[Option<f32>], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].unwrap_or(0.0);
    }
}

fn main() {}
