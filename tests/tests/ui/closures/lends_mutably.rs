//! A closure that lends an array around it mutably.

use gpu_runtime::prelude::*;

#[gpu_device]
fn clear(x: &mut [f32]) {
    x[0] = 0.0;
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut local = [x[i]; 2];
        let mut reset = || clear(&mut local);
        reset();
        out[i] = local[1];
    }
}

fn main() {}
