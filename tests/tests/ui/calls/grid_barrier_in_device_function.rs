//! The barrier of the grid in a device function that is not `async`.

use gpu_runtime::prelude::*;

#[gpu_device]
fn helper(v: f32) -> f32 {
    sync_grid();
    v
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
