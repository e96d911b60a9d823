//! Index and element have names of their own.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    for pair in x.iter().enumerate() {
        out[pair.0] = *pair.1;
    }
}

fn main() {}
