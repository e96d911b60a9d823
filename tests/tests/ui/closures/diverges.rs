//! A closure that returns nothing, for one that returns a number.

use gpu_runtime::prelude::*;

#[gpu_device]
fn at_two(f: impl Fn(f32) -> f32) -> f32 {
    f(2.0)
}

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    out[grid_1d()] = at_two(|_x: f32| panic!("never"));
}

fn main() {}
