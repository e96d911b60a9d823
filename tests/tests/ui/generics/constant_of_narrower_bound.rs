//! A constant that the bound does not promise.

use gpu_runtime::prelude::*;

#[gpu_device]
fn circumference<T: Num>(radius: T) -> T {
    radius * T::PI
}

fn main() {}
