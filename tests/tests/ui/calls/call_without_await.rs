//! A call of an `async` device function is awaited.

use gpu_runtime::block::block_sum;
use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    out[i] = block_sum(x[i]);
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
