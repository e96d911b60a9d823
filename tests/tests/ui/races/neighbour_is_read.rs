//! A thread reads what its neighbour writes: the launch is `unsafe`.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let i = grid_1d();
    if i + 1 < out.len() {
        out[i] = out[i + 1];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    kernel(&mut out).launch(1, 8)
}
