//! An adapter with a closure.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    for v in x.iter().map(|v| v * 2.0) {
        out[0] += v;
    }
}

fn main() {}
