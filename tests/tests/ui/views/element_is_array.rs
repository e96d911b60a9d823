//! Elements that would be an axis of their own.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: View<[f32; 2], 2>, out: &mut [f32]) {
    out[grid_1d()] = x[[0, 0]][0];
}

fn main() {}
