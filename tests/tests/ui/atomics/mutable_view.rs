//! Threads share atomics, so a view of them is one to read.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_kernel]
fn kernel(counts: ViewMut<AtomicU32, 2>) {
    let i = grid_1d();
    counts[[i, i]].fetch_add(1, Ordering::Relaxed);
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>([8, 8])?;
    kernel(&mut counts).launch(1, 8)
}
