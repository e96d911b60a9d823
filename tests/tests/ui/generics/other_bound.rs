//! A bound that is no trait of numbers.

use gpu_runtime::prelude::*;

#[gpu_device]
fn same<T: Copy>(x: T) -> T {
    x
}

fn main() {}
