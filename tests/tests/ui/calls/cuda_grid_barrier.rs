//! The grid's barrier by its name in CUDA C++ and Numba.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
    this_grid().sync();
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    kernel(&mut out).launch(1, 8)
}
