//! The launch would have to follow what the kernel does.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], n: usize, out: &mut [u32]) {
    let mut count = n;
    if x.len() > 4 {
        count += 1;
    }
    let tile = dynamic_shared::<u32>(count);
    let i = grid_1d();
    if i < out.len() {
        out[i] = tile.len() as u32;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    kernel(&x, 4, &mut out).launch(1, 8)
}
