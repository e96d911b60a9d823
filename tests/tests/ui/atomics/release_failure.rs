//! An exchange that fails has nothing to release.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_kernel]
fn kernel(counts: &[AtomicU32]) {
    let i = grid_1d();
    while counts[i].compare_exchange(0, 1, Ordering::AcqRel, Ordering::Release).is_err() {}
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>(8)?;
    kernel(&mut counts).launch(1, 8)
}
