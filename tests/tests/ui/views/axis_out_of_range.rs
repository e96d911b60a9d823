//! An axis that the view has not.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[2] {
        out[[i, j]] = 1.0;
    }
}

fn main() {}
