//! A number is taken by value.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(k: &f32, out: &mut [f32]) {}

fn main() {}
