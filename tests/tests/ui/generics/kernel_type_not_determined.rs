//! No argument tells what the type parameter is.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<T: Float>(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = T::PI.cast::<f32>();
    }
}

fn main() -> gpu_runtime::Result<()> {
    let mut out = Device::cpu().zeros::<f32>(8)?;
    kernel(&mut out).launch(1, 8)
}
