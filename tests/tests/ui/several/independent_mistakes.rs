//! Several mistakes give as many errors in one build.
//! errors: 4

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    let name = "kernel";
    let squares = (|v: f32| v * v, 1);
    eprintln!("{}", i);
    out[i] = x.iter().sum();
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
