//! A parameter is a number, `bool` or a slice.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(k: [f32; 3], out: &mut [f32]) {}

fn main() {}
