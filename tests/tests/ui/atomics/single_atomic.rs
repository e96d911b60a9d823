//! A parameter is a slice, even for one atomic.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_kernel]
fn kernel(count: &AtomicU32) {
    let i = grid_1d();
    if i == 0 {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>(8)?;
    kernel(&mut counts).launch(1, 8)
}
