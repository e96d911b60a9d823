//! A constant array is indexed where it is used.

use gpu_runtime::prelude::*;

const TABLE: [u32; 2] = [1, 2];

#[gpu_kernel]
fn kernel(x: &[u32], n: usize, out: &mut [u32]) {
    let table = TABLE;
    let i = grid_1d();
    if i < out.len() && i < n {
        out[i] = x[i] + table[i % 2];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    kernel(&x, 4, &mut out).launch(1, 8)
}
