//! Only the kernel itself gives way to other threads.

use gpu_runtime::prelude::*;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_device]
fn lock(locks: &[AtomicU32]) {
    while locks[0].swap(1, Ordering::Acquire) == 1 {
        spin_loop();
    }
}

fn main() {}
