//! A function of a warp in a closure.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    let sum = |value: u32| warp_sum(value);
    out[i] = sum(x[i]);
}

fn main() {}
