//! A `where` clause has nothing to say about.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32])
where
    f32: Copy,
{
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
    }
}

fn main() {}
