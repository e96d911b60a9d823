use gpu_runtime::prelude::*;
use half::f16;

#[gpu_kernel]
fn bytes(x: &[f16], out: &mut [u8]) {
    let i = grid_1d();
    if i < out.len() {
        let pair = x[i].to_le_bytes();
        out[i] = pair[0];
    }
}

fn main() {}
