//! Attributes on parameters are refused.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(#[allow(unused)] x: &[f32], out: &mut [f32]) {}

fn main() {}
