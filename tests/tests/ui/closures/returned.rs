//! A device function that returns a closure.

use gpu_runtime::prelude::*;

#[gpu_device]
fn scale_by(factor: f32) -> impl Fn(f32) -> f32 {
    move |x: f32| x * factor
}

fn main() {}
