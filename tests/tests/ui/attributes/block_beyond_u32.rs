//! A block's extent is kept as written, not cut off to 32 bits.
use gpu_runtime::prelude::*;

const N: usize = (1 << 32) + 16;

#[gpu_kernel(block = N)]
fn k(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

fn main() {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(4).unwrap();
    k(&mut out).launch(1, 16).unwrap();
}
