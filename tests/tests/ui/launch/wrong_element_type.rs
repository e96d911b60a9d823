//! An array of another element type.

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
    let mut out = device.zeros::<f32>(8)?;
    let y = device.zeros::<i32>(8)?;
    add(&y, 1.0, &mut out).launch(1, 8)
}
