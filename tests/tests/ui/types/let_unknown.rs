//! Types of other crates are refused.

use gpu_runtime::prelude::*;

struct Complex(f32, f32);

const ZERO: Complex = Complex(0.0, 0.0);

#[gpu_kernel]
fn kernel(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let v: Complex = ZERO;
        out[i] = x[i];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    assert_eq!(ZERO.0, ZERO.1);
    kernel(&x, &mut out).launch(1, 8)
}
