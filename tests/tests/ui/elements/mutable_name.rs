//! A `mut` name for a reference would change only where it points.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    for mut v in x {
        out[0] += v;
    }
}

fn main() {}
