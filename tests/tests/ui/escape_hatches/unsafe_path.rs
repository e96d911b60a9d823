//! A path needs no `unsafe`.

use gpu_runtime::prelude::*;

#[gpu_device(unsafe(crate = ::gpu_runtime))]
fn twice(x: f32) -> f32 {
    x * 2.0
}

fn main() {
    assert_eq!(twice(1.0), 2.0);
}
