//! A pattern for the shape of another rank.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let [rows] = out.shape();
    let (j, i) = grid_2d();
    if i < rows {
        out[[i, j]] = 1.0;
    }
}

fn main() {}
