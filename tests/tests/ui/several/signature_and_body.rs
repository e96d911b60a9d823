//! A mistake in a parameter and one in the body.
//! errors: 2

use gpu_runtime::prelude::*;

#[gpu_kernel(blocks = 32)]
fn kernel(x: &[f32], k: u128, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
    }
}

fn main() {}
