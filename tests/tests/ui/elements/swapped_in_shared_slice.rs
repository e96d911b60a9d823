//! A swap is an assignment.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    x.swap(0, 1);
    out[0] = x[0];
}

fn main() {}
