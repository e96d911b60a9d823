//! An array function cannot have const parameters.

use gpu_runtime::prelude::*;

#[vectorize]
fn scaled<const N: i32>(x: i32) -> i32 {
    x * N
}

fn main() {}
