//! An operation on the bytes of a `u32`, on a `u64`.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u64], out: &mut [u64]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].byte_permute(x[i], 0x3210);
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u64>(8)?;
    let mut out = device.zeros::<u64>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
