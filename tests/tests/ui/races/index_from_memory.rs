//! An index from memory: the launch is `unsafe`.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(index: &[u32], out: &mut [f32]) {
    let i = grid_1d();
    if i < index.len() {
        out[index[i] as usize] = 1.0;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let index = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&index, &mut out).launch(1, 8)
}
