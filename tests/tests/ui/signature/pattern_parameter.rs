//! A parameter is a plain name.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel((a, b): (f32, f32), out: &mut [f32]) {}

fn main() {}
