//! A kernel returns nothing.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32]) -> f32 {
    x[0]
}

fn main() {}
