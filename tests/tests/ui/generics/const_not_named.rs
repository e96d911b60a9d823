//! A call that does not name the const parameter of its callee.
//! errors: 2

use gpu_runtime::prelude::*;

#[gpu_device]
fn times<const N: i32>(x: i32) -> i32 {
    x * N
}

#[gpu_kernel]
fn kernel(out: &mut [i32]) {
    out[grid_1d()] = times(3);
}

fn main() {}
