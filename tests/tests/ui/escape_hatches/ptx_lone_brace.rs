//! PTX's own braces are doubled.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        out[i] = unsafe { ptx!("{ mov.u32 {0}, 1; }", out(u32), else { 1 }) };
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.to_device(&[1; 8])?;
    let mut out = device.zeros(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
