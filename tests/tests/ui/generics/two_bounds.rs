//! More than one bound.

use gpu_runtime::prelude::*;

#[gpu_device]
fn twice<T: Num + Float>(x: T) -> T {
    x + x
}

fn main() {}
