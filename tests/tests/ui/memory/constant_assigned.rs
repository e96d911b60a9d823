//! A constant array is read.

use gpu_runtime::prelude::*;

const TABLE: [u32; 3] = [1, 2, 3];

#[gpu_kernel]
fn kernel(x: &[u32], n: usize, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < n {
        TABLE[i % 3] = x[i];
        out[i] = TABLE[i % 3];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    kernel(&x, 4, &mut out).launch(1, 8)
}
