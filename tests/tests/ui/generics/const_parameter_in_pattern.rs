//! A const parameter as a pattern.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<const N: i32>(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    out[i] = match x[i] {
        N => 1,
        _ => 0,
    };
}

fn main() {}
