use gpu_runtime::prelude::*;
use half::f16;

#[gpu_kernel]
fn narrow(x: &[f32], out: &mut [f16]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] as f16;
    }
}

fn main() {}
