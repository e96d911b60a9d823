//! An `impl` that is no function.

use gpu_runtime::prelude::*;

#[gpu_device]
fn total(values: impl Iterator<Item = f32>) -> f32 {
    0.0
}

fn main() {}
