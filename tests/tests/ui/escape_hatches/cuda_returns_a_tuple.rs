//! CUDA C has no tuples.

use gpu_runtime::prelude::*;

#[gpu_device(unsafe(cuda = "__device__ float both(float x) { return x; }"))]
fn both(x: f32) -> (f32, f32) {
    (x, x)
}

fn main() {
    assert_eq!(both(1.0), (1.0, 1.0));
}
