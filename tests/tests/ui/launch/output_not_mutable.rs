//! An array that is written is declared `mut`.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn add(x: &[f32], k: f32, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + k;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let fixed = device.zeros::<f32>(8)?;
    add(&x, 1.0, &mut fixed).launch(1, 8)
}
