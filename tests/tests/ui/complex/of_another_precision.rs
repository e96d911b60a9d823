//! A complex number has arithmetic with floats of its own precision.

use gpu_runtime::prelude::*;
use num_complex::Complex32;

#[gpu_kernel]
fn scale(x: &[Complex32], factor: f64, out: &mut [Complex32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] * factor;
    }
}

fn main() {}
