//! A bound that is not one of the runtime's.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<T: Copy>(x: &[T], out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
    }
}

fn main() {}
