//! A kernel cannot be called from a kernel.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn other(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    other(out);
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    // SAFETY: it does not compile.
    unsafe { kernel(&mut out).launch(1, 8) }
}
