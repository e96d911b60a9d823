//! A view without axes.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: View<f32, 0>, out: &mut [f32]) {
    out[grid_1d()] = x[[]];
}

fn main() {}
