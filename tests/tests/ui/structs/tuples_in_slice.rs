//! Tuples in a slice.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(points: &[(f32, i32)], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = points[i].0;
    }
}

fn main() {}
