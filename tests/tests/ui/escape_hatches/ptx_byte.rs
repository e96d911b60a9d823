//! PTX has no registers for bytes.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        let byte = x[i] as u8;
        out[i] = unsafe { ptx!("cvt.u32.u8 {}, {};", out(u32), in(byte), else { byte as u32 }) };
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.to_device(&[1; 8])?;
    let mut out = device.zeros(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
