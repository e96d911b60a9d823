//! Barriers wait by themselves.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let i = grid_1d();
    sync_threads().await;
    out[i] = 1.0;
}

fn main() -> gpu_runtime::Result<()> {
    let mut out = Device::cpu().zeros::<f32>(8)?;
    kernel(&mut out).launch(1, 8)
}
