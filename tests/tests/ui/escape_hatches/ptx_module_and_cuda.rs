//! There is one definition for GPUs.

use gpu_runtime::prelude::*;

#[gpu_device(unsafe(cuda = "__device__ float norm(float x) { return x; }"), unsafe(ptx = "norm"))]
fn norm(x: f32) -> f32 {
    x
}

fn main() {}
