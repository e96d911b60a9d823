//! A reference to an array is refused.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32; 4], out: &mut [f32]) {}

fn main() {}
