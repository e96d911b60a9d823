//! A kernel has no ABI.

use gpu_runtime::prelude::*;

#[gpu_kernel]
extern "C" fn kernel(out: &mut [f32]) {}

fn main() {}
