//! A literal whose type only a device function tells.

use gpu_runtime::prelude::*;

#[gpu_device]
fn helper(v: f32) -> f64 {
    v as f64
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let v = helper(x[i]) * 2.0;
        out[i] = v as f32;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
