//! A kernel has no const parameters yet.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<const N: usize>(out: &mut [f32]) {}

fn main() {}
