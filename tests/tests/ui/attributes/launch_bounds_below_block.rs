//! The declared block exceeds the launch bounds.

use gpu_runtime::prelude::*;

#[gpu_kernel(block = 256, launch_bounds = 128)]
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
