//! A barrier of the grid that not all blocks reach.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let i = grid_1d();
    if block_idx().x > 2 {
        sync_grid();
    }
    if i < out.len() {
        out[i] = 1.0;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    kernel(&mut out).launch(4, 8)
}
