//! A number has no elements.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(n: usize, out: &mut [f32]) {
    for i in n {
        out[i] = 1.0;
    }
}

fn main() {}
