//! Threads share atomics, so the reference is a shared one.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_kernel]
fn kernel(counts: &mut [AtomicU32]) {
    let i = grid_1d();
    counts[i].fetch_add(1, Ordering::Relaxed);
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>(8)?;
    kernel(&mut counts).launch(1, 8)
}
