//! A barrier makes what others wrote visible; that nobody writes meanwhile is not followed.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &mut [f32], out: &mut [f32]) {
    let i = grid_1d();
    x[i] = i as f32;
    sync_grid();
    if i > 0 {
        out[i] = x[i - 1];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let (mut x, mut out) = (device.zeros::<f32>(8)?, device.zeros::<f32>(8)?);
    kernel(&mut x, &mut out).launch(4, 2)
}
