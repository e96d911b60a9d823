//! A const parameter as the number of axes.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<const N: usize>(_a: View<f32, N>, out: &mut [f32]) {
    let i = grid_1d();
    out[i] = 1.0;
}

fn main() {}
