//! The calls of an array function share nothing.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[guvectorize("(n)->()")]
fn count(counts: &[AtomicU32]) -> u32 {
    counts[0].fetch_add(1, Ordering::Relaxed)
}

fn main() {}
