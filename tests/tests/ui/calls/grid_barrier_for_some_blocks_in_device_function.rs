//! All blocks of a grid reach its barriers in a device function: nobody could vouch for it in a caller.

use gpu_runtime::prelude::*;

#[gpu_device]
async fn helper(v: f32) -> f32 {
    if block_idx().x > 0 {
        sync_grid();
    }
    v
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    out[i] = helper(x[i]).await;
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
