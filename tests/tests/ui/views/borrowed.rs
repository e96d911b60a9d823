//! A view is passed by value.

use gpu_runtime::prelude::*;

#[gpu_device]
fn first(a: View<f32, 2>) -> f32 {
    a[[0, 0]]
}

#[gpu_kernel]
fn kernel(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = first(&a);
    }
}

fn main() {}
