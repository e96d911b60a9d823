//! An argument of another type.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let square = |v: f32| v * v;
        out[i] = square(i);
    }
}

fn main() {}
