//! CUDA C is text.

use gpu_runtime::prelude::*;

#[gpu_device(unsafe(cuda = 2))]
fn twice(x: f32) -> f32 {
    x * 2.0
}

fn main() {
    assert_eq!(twice(1.0), 2.0);
}
