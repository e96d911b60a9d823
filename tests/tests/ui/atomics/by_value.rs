//! An atomic is not passed by value.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_kernel]
fn kernel(count: AtomicU32) {
    let i = grid_1d();
    if i == 0 {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

fn main() -> gpu_runtime::Result<()> {
    Ok(())
}
