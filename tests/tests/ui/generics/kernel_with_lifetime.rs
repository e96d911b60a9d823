//! A kernel cannot have lifetime parameters.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<'x, T: Float>(x: &'x [T], out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
    }
}

fn main() {}
