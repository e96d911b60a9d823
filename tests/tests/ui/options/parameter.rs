//! A kernel takes no option.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(limit: Option<i32>, out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = limit.unwrap_or(0);
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<i32>(8)?;
    kernel(Some(1), &mut out).launch(1, 8)
}
