//! Atomics need the array for themselves.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_kernel]
fn kernel(counts: &[AtomicU32]) {
    let i = grid_1d();
    counts[i].fetch_add(1, Ordering::Relaxed);
}

fn main() -> gpu_runtime::Result<()> {
    let counts = Device::cpu().zeros::<u32>(8)?;
    kernel(&counts).launch(1, 8)
}
