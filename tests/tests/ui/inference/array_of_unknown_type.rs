//! An array from a device function.

use gpu_runtime::prelude::*;

#[gpu_device]
fn both(v: f32) -> [f32; 2] {
    [v, v]
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let pair = both(x[i]);
        out[i] = pair[0];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
