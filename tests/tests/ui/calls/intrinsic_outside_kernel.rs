//! The half of an intrinsic that a kernel uses is found by its path only.

use gpu_runtime::intrinsics::grid_1d as position;
use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let i = position();
    if i < out.len() {
        out[i] = 1.0;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    kernel(&mut out).launch(1, 8)
}
