//! The rank is a constant.

use gpu_runtime::prelude::*;

const AXES: usize = 2;

#[gpu_kernel]
fn kernel(x: View<f32, AXES>, out: &mut [f32]) {
    out[grid_1d()] = x[[0, 0]];
}

fn main() {}
