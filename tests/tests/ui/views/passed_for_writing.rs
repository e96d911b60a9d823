//! A device function writes what is only read.

use gpu_runtime::prelude::*;

#[gpu_device]
fn clear(a: ViewMut<f32, 2>) {
    a[[0, 0]] = 0.0;
}

#[gpu_kernel]
fn kernel(a: View<f32, 2>, out: &mut [f32]) {
    clear(a);
    out[grid_1d()] = 1.0;
}

fn main() {}
