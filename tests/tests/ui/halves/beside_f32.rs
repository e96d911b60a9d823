//! They mix by conversions.

use gpu_runtime::prelude::*;
use half::f16;

#[gpu_kernel]
fn scale(x: &mut [f16], by: f32) {
    let i = grid_1d();
    if i < x.len() {
        x[i] = x[i] * by;
    }
}

fn main() {}
