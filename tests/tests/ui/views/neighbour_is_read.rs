//! A thread reads what its neighbour writes: the launch is `unsafe`.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: ViewMut<f32, 2>) {
    let i = grid_1d();
    if i + 1 < out.shape()[0] {
        out[[i, 0]] = out[[i + 1, 0]];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>([2, 2])?;
    kernel(&mut out).launch(1, 2)
}
