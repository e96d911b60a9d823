//! Constant arrays are not indexed yet.

use gpu_runtime::prelude::*;

const WEIGHTS: [f32; 2] = [0.5, 1.5];

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] * WEIGHTS[i % 2];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    assert_eq!(WEIGHTS.len(), 2);
    kernel(&x, &mut out).launch(1, 8)
}
