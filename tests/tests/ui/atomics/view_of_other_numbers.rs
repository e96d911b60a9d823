//! A launch takes an array of the numbers that the atomics are of, and takes it to write.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_kernel]
fn kernel(counts: View<AtomicU32, 2>) {
    let i = grid_1d();
    counts[[i, i]].fetch_add(1, Ordering::Relaxed);
}

fn main() -> gpu_runtime::Result<()> {
    let counts = Device::cpu().zeros::<u32>([8, 8])?;
    kernel(&counts).launch(1, 8)
}
