//! `thread_idx().x` is the same in every block: the launch is `unsafe`.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let t = thread_idx().x;
    if t < out.len() {
        out[t] = block_idx().x as f32;
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    kernel(&mut out).launch(1, 8)
}
