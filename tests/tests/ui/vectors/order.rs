//! Vectors have no order.

use gpu_runtime::prelude::*;
use gpu_runtime::vector::Int2;

#[gpu_kernel]
fn kernel(x: &[Int2], out: &mut [bool]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        out[i] = x[i] < x[0];
    }
}

fn main() {}
