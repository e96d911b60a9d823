//! A kernel has no type parameters yet.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<T>(x: &[f32], out: &mut [f32]) {}

fn main() {}
