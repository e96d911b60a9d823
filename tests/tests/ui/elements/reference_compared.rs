//! A reference is compared with references.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    for v in x.iter() {
        if v < 2.0 {
            out[0] = 1.0;
        }
    }
}

fn main() {}
