//! A tuple in a slice consists of what memory can hold.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[(f32, Option<u32>)], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].0;
    }
}

fn main() {}
