//! A `View` is not written.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(a: View<f32, 2>, x: &[f32]) {
    let (j, i) = grid_2d();
    a[[i, j]] = x[0];
}

fn main() {}
