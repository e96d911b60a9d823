//! Shared memory has a name of its own.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let i = grid_1d();
    let both = (shared::<[f32; 4]>(), 1);
    out[i] = both.1 as f32;
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    kernel(&mut out).launch(1, 8)
}
