//! An element is not assigned through a shared reference.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let a = [1.0, 2.0];
    for v in a.iter() {
        *v = out[0];
    }
}

fn main() {}
