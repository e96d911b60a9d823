//! A slice is not taken apart.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        match x {
            [] => out[i] = 0,
            [..] => out[i] = 1,
        }
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<i32>(8)?;
    let mut out = device.zeros::<i32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
