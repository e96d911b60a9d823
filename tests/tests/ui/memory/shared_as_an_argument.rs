//! Shared memory has a name of its own.

use gpu_runtime::prelude::*;

#[gpu_device]
async fn sum(tile: &mut [f32], x: f32) -> f32 {
    let t = thread_idx().x;
    tile[t] = x;
    sync_threads();
    tile[0] + tile[t]
}

#[gpu_kernel(block = 256)]
fn kernel(out: &mut [f32]) {
    let i = grid_1d();
    out[i] = sum(shared::<[f32; 256]>(), 1.0).await;
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    kernel(&mut out).launch(1, 8)
}
