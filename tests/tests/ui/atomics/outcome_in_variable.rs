//! The outcome of an exchange is tested where it is made.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_kernel]
fn kernel(counts: &[AtomicU32]) {
    let i = grid_1d();
    let outcome = counts[i].compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed);
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>(8)?;
    kernel(&mut counts).launch(1, 8)
}
