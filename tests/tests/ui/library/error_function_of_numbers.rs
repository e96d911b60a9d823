//! A function of floats on a type parameter that may be an integer.

use gpu_runtime::prelude::*;

#[gpu_device]
fn tail<T: Num>(x: T) -> T {
    x.erfc()
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = tail(x[i]);
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
