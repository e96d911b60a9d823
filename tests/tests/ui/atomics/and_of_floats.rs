//! Floats have no bit operations.

use gpu_runtime::prelude::*;
use std::sync::atomic::Ordering;

#[gpu_kernel]
fn kernel(counts: &[AtomicF32]) {
    let i = grid_1d();
    counts[i].fetch_and(1.0, Ordering::Relaxed);
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<f32>(8)?;
    kernel(&mut counts).launch(1, 8)
}
