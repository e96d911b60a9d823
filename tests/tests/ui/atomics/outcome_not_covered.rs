//! An exchange succeeds or fails, and a `match` says what happens then.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_kernel]
fn kernel(counts: &[AtomicU32], out: &mut [u32]) {
    let i = grid_1d();
    out[i] = match counts[i].compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(old) => old,
        Err(5..) => 7,
    };
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let (mut counts, mut out) = (device.zeros::<u32>(8)?, device.zeros::<u32>(8)?);
    kernel(&mut counts, &mut out).launch(1, 8)
}
