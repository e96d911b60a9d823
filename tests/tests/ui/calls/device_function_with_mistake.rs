//! A refused construct in a device function is the only error, the callers are fine.

use gpu_runtime::prelude::*;

#[gpu_device]
fn helper(v: f32) -> f32 {
    eprintln!("{}", v);
    v * 2.0
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = helper(x[i]);
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
