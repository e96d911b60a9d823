//! A method whose result has no name in terms of the type parameter.

use gpu_runtime::prelude::*;

#[gpu_device]
fn gap<T: Integer>(x: T, y: T) -> u32 {
    x.abs_diff(y).cast::<u32>()
}

fn main() {}
