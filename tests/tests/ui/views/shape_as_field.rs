//! A shape is a method.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape[0] {
        out[[i, j]] = 1.0;
    }
}

fn main() {}
