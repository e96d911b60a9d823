//! 128-bit literals are refused.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [u64]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1u128 as u64;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<u64>(8)?;
    kernel(&mut out).launch(1, 8)
}
