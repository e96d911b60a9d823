//! A function pointer as a parameter.

use gpu_runtime::prelude::*;

#[gpu_device]
fn at_two(f: fn(f32) -> f32) -> f32 {
    f(2.0)
}

fn main() {}
