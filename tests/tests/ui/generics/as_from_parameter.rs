//! `as` from a type parameter.

use gpu_runtime::prelude::*;

#[gpu_device]
fn wide<T: Num>(x: T) -> f64 {
    x as f64
}

fn main() {}
