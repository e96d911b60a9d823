//! Parts of slices are no elements.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    for pair in x.windows(2) {
        out[0] += pair[1] - pair[0];
    }
}

fn main() {}
