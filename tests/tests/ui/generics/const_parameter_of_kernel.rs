//! A const parameter of a kernel, of a type that is not supported.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<const N: u8>(out: &mut [u8]) {
    out[grid_1d()] = N;
}

fn main() {}
