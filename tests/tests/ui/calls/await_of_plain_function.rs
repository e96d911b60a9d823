//! Only `async` device functions are awaited.

use gpu_runtime::prelude::*;

#[gpu_device]
fn double(x: f32) -> f32 {
    x * 2.0
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    out[i] = double(x[i]).await;
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
