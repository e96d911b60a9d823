//! A kernel returns nothing.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32]) -> f32 {
    x[0]
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    kernel(&x).launch(1, 8)
}
