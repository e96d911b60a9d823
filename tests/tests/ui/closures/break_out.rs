//! A jump out of a closure.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        for _ in 0..3 {
            let stop = || {
                break;
            };
            stop();
        }
        out[i] = x[i];
    }
}

fn main() {}
