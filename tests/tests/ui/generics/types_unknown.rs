//! A call whose types follow from literals alone. rustc takes them for `f64`; no type is guessed.

use gpu_runtime::prelude::*;

#[gpu_device]
fn lerp<T: Float>(a: T, b: T, t: T) -> T {
    a + (b - a) * t
}

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = lerp(0.0, 1.0, 0.5) as f32;
    }
}

fn main() {}
