//! A kernel is not declared `unsafe`.

use gpu_runtime::prelude::*;

#[gpu_kernel]
unsafe fn kernel(out: &mut [f32]) {}

fn main() {}
