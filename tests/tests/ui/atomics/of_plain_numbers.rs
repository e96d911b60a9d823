//! Only atomics have these methods.

use gpu_runtime::prelude::*;
use std::sync::atomic::{Ordering};

#[gpu_kernel]
fn kernel(counts: &mut [u32]) {
    let i = grid_1d();
    counts[i].fetch_add(1, Ordering::Relaxed);
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>(8)?;
    kernel(&mut counts).launch(1, 8)
}
