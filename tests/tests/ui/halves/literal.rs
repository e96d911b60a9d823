//! A literal is an `f32` or an `f64`.

use gpu_runtime::prelude::*;
use half::f16;

#[gpu_kernel]
fn kernel(out: &mut [f16]) {
    let i = grid_1d();
    if i < out.len() {
        let v: f16 = 1.0;
        out[i] = v;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f16>(8)?;
    kernel(&mut out).launch(1, 8)
}
