//! A parameter is a number, `bool` or a slice.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(k: [f32; 3], out: &mut [f32]) {}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    kernel([0.0; 3], &mut out).launch(1, 8)
}
