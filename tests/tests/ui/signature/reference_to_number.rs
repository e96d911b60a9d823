//! A number is taken by value.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(k: &f32, out: &mut [f32]) {}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    kernel(&1.0, &mut out).launch(1, 8)
}
