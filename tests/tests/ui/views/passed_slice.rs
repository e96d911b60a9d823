//! A device function expects a view, and gets a slice.

use gpu_runtime::prelude::*;

#[gpu_device]
fn first(a: View<f32, 1>) -> f32 {
    a[0]
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    out[grid_1d()] = first(x);
}

fn main() {}
