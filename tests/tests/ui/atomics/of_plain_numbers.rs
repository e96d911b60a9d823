//! Only atomics have these methods.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(counts: &mut [u32]) {
    let i = grid_1d();
    counts[i].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>(8)?;
    kernel(&mut counts).launch(1, 8)
}
