//! A kernel whose type parameter is a function.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<F: Fn(f32) -> f32>(f: F, out: &mut [f32]) {
    out[grid_1d()] = f(1.0);
}

fn main() {}
