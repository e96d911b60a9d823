//! One variant is 0.

use gpu_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
enum Kind {
    Red = 1,
    Green,
}

#[gpu_kernel]
fn kernel(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = Kind::Green as u32 + x[i];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
