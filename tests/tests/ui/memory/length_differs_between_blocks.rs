//! A launch gives all blocks the same memory.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], n: usize, out: &mut [u32]) {
    let b = block_idx();
    let count = b.x * n;
    let tile = dynamic_shared::<u32>(count);
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + tile.len() as u32;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    kernel(&x, 4, &mut out).launch(1, 8)
}
