//! Elements that no kernel has.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: View<String, 2>, out: &mut [f32]) {
    out[grid_1d()] = x.len() as f32;
}

fn main() {}
