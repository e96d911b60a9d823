//! A function that returns nothing.

use gpu_runtime::prelude::*;

#[gpu_device]
fn call(f: impl Fn(f32)) -> f32 {
    f(1.0);
    2.0
}

fn main() {}
