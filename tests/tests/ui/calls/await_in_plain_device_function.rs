//! A device function that waits says so.

use gpu_runtime::prelude::*;

#[gpu_device]
fn mean(value: f32) -> f32 {
    gpu_runtime::block::block_sum(value).await / 8.0
}

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let i = grid_1d();
    out[i] = mean(1.0);
}

fn main() -> gpu_runtime::Result<()> {
    let mut out = Device::cpu().zeros::<f32>(8)?;
    kernel(&mut out).launch(1, 8)
}
