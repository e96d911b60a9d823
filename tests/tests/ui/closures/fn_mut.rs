//! A function parameter that may change things.

use gpu_runtime::prelude::*;

#[gpu_device]
fn repeated(mut f: impl FnMut(f32) -> f32) -> f32 {
    f(0.0)
}

fn main() {}
