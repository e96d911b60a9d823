//! A function of something else than numbers.

use gpu_runtime::prelude::*;

#[gpu_device]
fn at_two(f: impl Fn(&[f32]) -> f32, x: &[f32]) -> f32 {
    f(x)
}

fn main() {}
