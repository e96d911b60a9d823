//! Nor does one over a mutable slice.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    for v in out {
        *v += 1.0;
    }
}

fn main() {}
