//! An integer for a float, which is said of each backend.
//!
//! errors: 2

use gpu_runtime::prelude::*;

#[gpu_device]
fn lerp<T: Float>(a: T, b: T, t: T) -> T {
    a + (b - a) * t
}

#[gpu_kernel]
fn kernel(x: &[f32], n: &[i32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = lerp(n[i], n[i], n[i]) as f32;
    }
}

fn main() {}
