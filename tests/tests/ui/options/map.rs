//! Closures are written out.

use gpu_runtime::prelude::*;

fn double(x: i32) -> i32 {
    x * 2
}

#[gpu_kernel]
fn kernel(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].checked_add(1).map_or(0, double);
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<i32>(8)?;
    let mut out = device.zeros::<i32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
