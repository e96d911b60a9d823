//! A parameter has no named lifetime.
//! errors: 2

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<'a>(x: &'a [f32], out: &mut [f32]) {}

fn main() {}
