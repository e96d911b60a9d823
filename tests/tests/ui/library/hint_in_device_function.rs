//! A load with a cache hint where the slice may be in shared memory.

use gpu_runtime::prelude::*;

#[gpu_device]
fn first(x: &[f32]) -> f32 {
    x.load_global(0)
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = first(x);
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
