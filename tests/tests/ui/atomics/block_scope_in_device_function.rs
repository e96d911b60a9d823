//! A device function knows nothing of the blocks that share an array.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[gpu_device]
fn count(counts: &[AtomicU32], i: usize) {
    counts[i].block_scope().fetch_add(1, Ordering::Relaxed);
}

fn main() {}
