//! An ordering is written out, because a GPU's instruction has it built in.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_kernel]
fn kernel(counts: &[AtomicU32]) {
    let i = grid_1d();
    let order = Ordering::Relaxed;
    counts[i].fetch_add(1, order);
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>(8)?;
    kernel(&mut counts).launch(1, 8)
}
