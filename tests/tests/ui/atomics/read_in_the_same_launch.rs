//! One launch does not have an array both as atomics and as plain numbers.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_kernel]
fn kernel(counts: &[AtomicU32], x: &[u32]) {
    let i = grid_1d();
    counts[i].fetch_add(x[i], Ordering::Relaxed);
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>(8)?;
    kernel(&mut counts, &counts).launch(1, 8)
}
