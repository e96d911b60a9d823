//! An atomic is not assigned.

use gpu_runtime::prelude::*;
use std::sync::atomic::AtomicU32;

#[gpu_kernel]
fn kernel(counts: &[AtomicU32]) {
    let i = grid_1d();
    counts[i] = 1;
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>(8)?;
    kernel(&mut counts).launch(1, 8)
}
