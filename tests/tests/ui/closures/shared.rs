//! Shared memory in a closure.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let first = || {
            let tile = shared::<[f32; 8]>();
            tile[0]
        };
        out[i] = first() + x[i];
    }
}

fn main() {}
