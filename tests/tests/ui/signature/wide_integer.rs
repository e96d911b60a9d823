//! A parameter has at most 64 bits.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(k: u128, out: &mut [f32]) {}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    kernel(1, &mut out).launch(1, 8)
}
