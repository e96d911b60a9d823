//! The lifetime of a view has no name.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(a: View<'a, f32, 2>, out: &mut [f32]) {
    out[grid_1d()] = a[[0, 0]];
}

fn main() {}
