//! The message of `expect` is plain.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].checked_add(1).expect("{i}");
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<i32>(8)?;
    let mut out = device.zeros::<i32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
