//! Blocks may share an element that each takes for its own.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_kernel]
fn count(counts: &[AtomicU32]) {
    counts[block_idx().x].block_scope().fetch_add(1, Ordering::Relaxed);
}

#[gpu_kernel]
fn count_in_block(counts: &mut [u32]) {
    let bins = shared::<[AtomicU32; 8]>();
    bins[thread_idx().x % 8].block_scope().store(1, Ordering::Relaxed);
    sync_threads();
    let i = grid_1d();
    if i < counts.len() {
        counts[i] = bins[0].load(Ordering::Relaxed);
    }
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>(8)?;
    count_in_block(&mut counts).launch(1, 8)?;
    count(&mut counts).launch(1, 8)
}
