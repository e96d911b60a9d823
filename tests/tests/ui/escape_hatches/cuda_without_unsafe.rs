//! Nobody checks CUDA C.

use gpu_runtime::prelude::*;

#[gpu_device(cuda = "__device__ float twice(float x) { return 2 * x; }")]
fn twice(x: f32) -> f32 {
    x * 2.0
}

fn main() {
    assert_eq!(twice(1.0), 2.0);
}
