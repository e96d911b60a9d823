//! How many elements `..` stands for is known.

use gpu_runtime::prelude::*;

#[gpu_device]
fn pair(x: i32) -> (i32, i32) {
    (x, 1)
}

#[gpu_kernel]
fn kernel(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let (first, ..) = pair(x[i]);
        out[i] = first;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<i32>(8)?;
    let mut out = device.zeros::<i32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
