//! Intrinsics keep their names: a renamed one is looked for among the device functions.

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
    // SAFETY: it does not compile.
    unsafe { kernel(&mut out).launch(1, 8) }
}
