//! A kernel is not `const`.

use gpu_runtime::prelude::*;

#[gpu_kernel]
const fn kernel(out: &mut [f32]) {}

fn main() {}
