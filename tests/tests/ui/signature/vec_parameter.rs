//! A kernel takes slices, not `Vec`.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: Vec<f32>, out: &mut [f32]) {}

fn main() {}
