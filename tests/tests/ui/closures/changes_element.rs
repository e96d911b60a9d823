//! A closure that writes to an array around it.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut store = |k: usize| out[k] = x[k];
        store(i);
    }
}

fn main() {}
