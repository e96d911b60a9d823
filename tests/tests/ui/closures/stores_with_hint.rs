//! A closure that writes to a slice around it, past the caches.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    let mut store = |value: f32| out.store_streaming(i, value);
    store(x[i]);
}

fn main() {}
