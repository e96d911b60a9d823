//! A number beside a vector has the type of its lanes.

use gpu_runtime::prelude::*;
use gpu_runtime::vector::Float4;

#[gpu_kernel]
fn kernel(x: &mut [Float4], by: f64) {
    let i = grid_1d();
    if i < x.len() {
        x[i] = x[i] * by;
    }
}

fn main() {}
