//! Only unsigned integers count in circles.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicI32, Ordering};

#[gpu_kernel]
fn kernel(counts: &[AtomicI32]) {
    let i = grid_1d();
    counts[i].fetch_inc_wrapping(7, Ordering::Relaxed);
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<i32>(8)?;
    kernel(&mut counts).launch(1, 8)
}
