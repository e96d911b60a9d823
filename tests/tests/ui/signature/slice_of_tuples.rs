//! Elements are numbers.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[(f32, f32)], out: &mut [f32]) {}

fn main() {}
