//! A result goes into a slice.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(sum: &mut f64, out: &mut [f32]) {}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    kernel(&mut 0.0, &mut out).launch(1, 8)
}
