//! A literal where a value of the type parameter is meant.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<T: Float>(out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 0.5;
    }
}

fn main() {}
