//! The extent of an axis that only the launch knows.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(a: View<f32, 2>, out: ViewMut<f32, 2>, axis: usize) {
    let (j, i) = grid_2d();
    if i < out.shape()[axis] {
        out[[i, j]] = 1.0;
    }
}

fn main() {}
