//! A literal fits its type.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [u8]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 300;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<u8>(8)?;
    kernel(&mut out).launch(1, 8)
}
