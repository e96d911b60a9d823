//! A type parameter without a bound.

use gpu_runtime::prelude::*;

#[gpu_device]
fn twice<T>(x: T) -> T {
    x + x
}

fn main() {}
