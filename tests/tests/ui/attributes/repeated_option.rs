//! An option that is given twice.

use gpu_runtime::prelude::*;

#[gpu_kernel(opt = 1, opt = 2)]
fn kernel(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    kernel(&mut out).launch(1, 8)
}
