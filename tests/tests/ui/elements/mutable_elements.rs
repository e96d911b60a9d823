//! A loop gives no mutable references.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    for v in out.iter_mut() {
        *v += 1.0;
    }
}

fn main() {}
