//! A const parameter of a type that the GPU has no constants of.
//! errors: 2

use gpu_runtime::prelude::*;

#[gpu_device]
fn times<const NAME: &'static str>(x: i32) -> i32 {
    x
}

fn main() {}
