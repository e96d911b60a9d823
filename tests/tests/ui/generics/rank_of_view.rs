//! A const parameter as the number of axes.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<const N: usize>(a: View<f32, N>, out: &mut [f32]) {
    let i = grid_1d();
    out[i] = a.shape()[0] as f32;
}

fn main() {}
