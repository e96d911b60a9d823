//! Operands of one type.
//! errors: 2

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], k: f64, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + k;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, 1.0, &mut out).launch(1, 8)
}
