//! A function without `#[gpu_device]` cannot be called.

use gpu_runtime::prelude::*;

fn square(v: f32) -> f32 {
    v * v
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = square(x[i]);
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    assert_eq!(square(2.0), 4.0);
    kernel(&x, &mut out).launch(1, 8)
}
