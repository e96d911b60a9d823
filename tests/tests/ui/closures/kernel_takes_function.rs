//! A kernel that takes a function.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(f: impl Fn(f32) -> f32, out: &mut [f32]) {
    out[grid_1d()] = f(1.0);
}

fn main() {}
