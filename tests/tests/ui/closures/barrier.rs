//! A barrier in a closure.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let wait = || sync_threads();
        wait();
        out[i] = x[i];
    }
}

fn main() {}
