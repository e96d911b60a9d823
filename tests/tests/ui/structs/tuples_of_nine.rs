//! A tuple of more elements than kernels have names for.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[(u8, u8, u8, u8, u8, u8, u8, u8, u8)], out: &mut [u8]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].8;
    }
}

fn main() {}
