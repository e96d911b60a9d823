//! An explicit type that is no number.

use gpu_runtime::prelude::*;

#[gpu_device]
fn lerp<T: Float>(a: T, b: T, t: T) -> T {
    a + (b - a) * t
}

#[gpu_kernel]
fn kernel(x: &[f32], n: &[i32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = lerp::<[f32; 2]>(x[i], 1.0, 0.5);
    }
}

fn main() {}
