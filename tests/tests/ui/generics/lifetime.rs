//! A lifetime of a device function.

use gpu_runtime::prelude::*;

#[gpu_device]
fn first<'a, T: Num>(x: &'a [T]) -> T {
    x[0]
}

fn main() {}
