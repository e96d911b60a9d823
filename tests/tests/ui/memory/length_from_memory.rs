//! The launch does not read arrays.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], n: usize, out: &mut [u32]) {
    let tile = dynamic_shared::<u32>(x[0] as usize);
    let i = grid_1d();
    if i < out.len() && i < n {
        out[i] = tile.len() as u32;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    kernel(&x, 4, &mut out).launch(1, 8)
}
