//! An enum has a size of its own.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
enum Kind {
    Red,
    Green,
}

#[gpu_kernel]
fn kernel(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
