//! A view is looped over by its indices.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(a: View<f32, 2>, out: &mut [f32]) {
    for v in &a {
        out[0] += v;
    }
}

fn main() {}
