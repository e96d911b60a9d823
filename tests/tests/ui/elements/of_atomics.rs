//! Atomics are not copied.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(counts: &[std::sync::atomic::AtomicU32], out: &mut [u32]) {
    for count in counts {
        out[0] += count.load(std::sync::atomic::Ordering::Relaxed);
    }
}

fn main() {}
