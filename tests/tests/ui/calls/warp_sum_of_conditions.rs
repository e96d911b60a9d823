//! Conditions are counted, not added.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [bool]) {
    let i = grid_1d();
    out[i] = warp_sum(x[i] > 0.0);
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<bool>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
