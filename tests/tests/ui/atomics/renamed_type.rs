//! An atomic type is known by its name, so it is not another one.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicI32 as AtomicU32, Ordering};

#[gpu_kernel]
fn kernel(counts: &[AtomicU32]) {
    let i = grid_1d();
    counts[i].fetch_max(1, Ordering::Relaxed);
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<i32>(8)?;
    kernel(&mut counts).launch(1, 8)
}
