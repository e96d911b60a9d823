//! Python's `range` is no function.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(n: usize, out: &mut [f32]) {
    for i in range(n) {
        out[i] = 1.0;
    }
}

fn main() {}
