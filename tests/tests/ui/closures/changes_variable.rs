//! A closure that captures by `&mut`.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0.0f32;
        let mut add = |v: f32| sum += v;
        add(x[i]);
        out[i] = sum;
    }
}

fn main() {}
