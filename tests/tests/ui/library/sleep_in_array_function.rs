//! Waiting in an array function.

use gpu_runtime::prelude::*;

#[vectorize]
fn slow(x: f32) -> f32 {
    nanosleep(100);
    x
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = slow(x[i]);
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
