//! Another type of that name.

use gpu_runtime::prelude::*;

#[allow(dead_code)]
struct View<'a, T, const N: usize>(&'a [T; N]);

#[gpu_kernel]
fn kernel(a: View<f32, 2>, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a[[0, i]];
    }
}

fn main() {}
