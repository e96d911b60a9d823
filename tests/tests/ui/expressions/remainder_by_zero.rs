//! The remainder of a division by the literal zero is an error, as in Rust.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] %= 0;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<u32>(8)?;
    kernel(&mut out).launch(1, 8)
}
