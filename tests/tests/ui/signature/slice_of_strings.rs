//! Elements are numbers.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[String], out: &mut [f32]) {}

fn main() {}
