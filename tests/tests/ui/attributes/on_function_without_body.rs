//! A kernel has a body.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]);

fn main() {}
