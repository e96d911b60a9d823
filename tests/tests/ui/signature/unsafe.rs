//! A kernel cannot be declared `unsafe`.

use gpu_runtime::prelude::*;

#[gpu_kernel]
unsafe fn kernel(out: &mut [f32]) {}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    kernel(&mut out).launch(1, 8)
}
