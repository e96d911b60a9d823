//! A flag is not added to.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

#[gpu_kernel]
fn kernel(counts: &[AtomicBool]) {
    let i = grid_1d();
    counts[i].fetch_add(true, Ordering::Relaxed);
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<bool>(8)?;
    kernel(&mut counts).launch(1, 8)
}
