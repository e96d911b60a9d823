//! Mistakes in two functions are reported together, and their callers are fine.
//! errors: 2

use gpu_runtime::prelude::*;

#[gpu_device]
fn clip(v: f32) -> f32 {
    v.gamma()
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let limit: u128 = 1;
        out[i] = clip(x[i]);
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, &mut out).launch(1, 8)?;
    assert!(kernel::cuda_source().contains("clip"));
    Ok(())
}
