//! One text for each function.

use gpu_runtime::prelude::*;

#[gpu_device(unsafe(cuda = include_str!("a.cu")), unsafe(cuda = include_str!("b.cu")))]
fn twice(x: f32) -> f32 {
    x * 2.0
}

fn main() {
    assert_eq!(twice(1.0), 2.0);
}
