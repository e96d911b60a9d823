//! Numbers are not awaited.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let i = grid_1d();
    let x = 1.0f32;
    out[i] = x.await;
}

fn main() -> gpu_runtime::Result<()> {
    let mut out = Device::cpu().zeros::<f32>(8)?;
    kernel(&mut out).launch(1, 8)
}
