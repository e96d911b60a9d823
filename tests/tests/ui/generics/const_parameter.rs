//! A const parameter of a device function.

use gpu_runtime::prelude::*;

#[gpu_device]
fn times<const N: i32>(x: i32) -> i32 {
    x
}

fn main() {}
