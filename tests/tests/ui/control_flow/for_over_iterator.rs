//! An iterator is no value.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0.0;
        let elements = x.iter();
        for v in elements {
            sum += v;
        }
        out[i] = sum;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
