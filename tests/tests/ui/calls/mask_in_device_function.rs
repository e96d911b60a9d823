//! Which threads a mask names is for the kernel to know, whose launch is unsafe then.

use gpu_runtime::prelude::*;

#[gpu_device]
async fn lower_half(v: f32) -> f32 {
    warp_sum_in(v, 0xffff)
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    out[i] = lower_half(x[i]).await;
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(16)?;
    let mut out = device.zeros::<f32>(16)?;
    kernel(&x, &mut out).launch(1, 16)
}
