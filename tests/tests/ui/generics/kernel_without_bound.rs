//! A kernel has no type parameters yet.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<T>(x: &[T], out: &mut [T]) {}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
