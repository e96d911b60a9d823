//! What a loop over a slice names is a reference, as in Rust.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    for v in x {
        out[0] = v;
    }
}

fn main() {}
