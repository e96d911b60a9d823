//! errors: 2

use gpu_runtime::prelude::*;
use half::bf16;

#[gpu_kernel]
fn widen(x: &[bf16], out: &mut [f32], whole: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() && i < whole.len() {
        out[i] = x[i] as f32;
        whole[i] = x[i] as i32;
    }
}

fn main() {}
