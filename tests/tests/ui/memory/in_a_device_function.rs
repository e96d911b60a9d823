//! Only a launch knows how much there is.

use gpu_runtime::prelude::*;

#[gpu_device]
fn count(n: usize) -> u32 {
    let tile = dynamic_shared::<u32>(n);
    tile.len() as u32
}

#[gpu_kernel]
fn kernel(x: &[u32], n: usize, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + count(n);
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    kernel(&x, 4, &mut out).launch(1, 8)
}
