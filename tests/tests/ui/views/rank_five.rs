//! More axes than a view can have.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: View<f32, 5>, out: &mut [f32]) {
    out[grid_1d()] = x[[0, 0, 0, 0, 0]];
}

fn main() {}
