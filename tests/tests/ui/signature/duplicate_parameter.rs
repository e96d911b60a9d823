//! Every parameter has its own name.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], x: &mut [f32]) {}

fn main() {}
