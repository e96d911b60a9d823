//! A closure that writes to a view around it.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    let mut store = |value: f32| out[[i, j]] = value;
    store(x[i]);
}

fn main() {}
