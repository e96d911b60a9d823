//! A kernel is not `async`.

use gpu_runtime::prelude::*;

#[gpu_kernel]
async fn kernel(out: &mut [f32]) {}

fn main() {}
