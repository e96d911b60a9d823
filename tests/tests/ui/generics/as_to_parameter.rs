//! `as` to a type parameter.

use gpu_runtime::prelude::*;

#[gpu_device]
fn narrow<T: Num>(x: f64) -> T {
    x as T
}

fn main() {}
