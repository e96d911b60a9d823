//! An instance whose type the bound does not allow.
//! errors: 2

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<T: Float>(out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = T::PI;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let mut out = Device::cpu().zeros::<i32>(8)?;
    kernel(&mut out).launch(1, 8)
}
