//! A `match` names every variant.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
enum Kind {
    Red,
    Green,
    Blue,
}

#[gpu_kernel]
fn kernel(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let kind = if x[i] > 1 { Kind::Red } else if x[i] > 0 { Kind::Blue } else { Kind::Green };
        out[i] = match kind {
            Kind::Red => 1,
            Kind::Blue => 2,
        };
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
