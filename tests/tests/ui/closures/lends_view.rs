//! A closure that lends a view around it to a function that writes to it.

use gpu_runtime::prelude::*;

#[gpu_device]
fn fill(out: ViewMut<f32, 1>, value: f32) -> f32 {
    out[[0]] = value;
    value
}

#[gpu_kernel]
fn kernel(x: &[f32], out: ViewMut<f32, 1>) {
    let store = |value: f32| fill(out, value);
    store(x[0]);
}

fn main() {}
