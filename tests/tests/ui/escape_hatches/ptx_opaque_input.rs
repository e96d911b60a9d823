//! An input whose type only rustc knows.

use gpu_runtime::prelude::*;

const MASK: u32 = 3;

#[gpu_kernel]
fn kernel(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        out[i] = unsafe { ptx!("brev.b32 {}, {};", out(u32), in(MASK), else { MASK.reverse_bits() }) };
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.to_device(&[1; 8])?;
    let mut out = device.zeros(8)?;
    kernel(&x, &mut out).launch(1, 8)
}
