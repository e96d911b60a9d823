//! Counting the memory of a device that arrays have.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes of arrays at present, and the most that there have been.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    live: AtomicUsize,
    peak: AtomicUsize,
}

impl Meter {
    pub(crate) const fn new() -> Self {
        Self { live: AtomicUsize::new(0), peak: AtomicUsize::new(0) }
    }

    pub(super) fn add(&self, bytes: usize) {
        let live = self.live.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(live, Ordering::Relaxed);
    }

    pub(super) fn remove(&self, bytes: usize) {
        self.live.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(super) fn live(&self) -> usize {
        self.live.load(Ordering::Relaxed)
    }

    pub(super) fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }
}
