//! A literal where a value of the type parameter is meant.

use gpu_runtime::prelude::*;

#[gpu_device]
fn half<T: Float>(x: T) -> T {
    x * 0.5
}

fn main() {}
