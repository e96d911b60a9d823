//! Counting the memory of a device that arrays have.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes of arrays at present, the most that there have been, and the most that there may be.
#[derive(Debug)]
pub(crate) struct Meter {
    live: AtomicUsize,
    peak: AtomicUsize,
    limit: AtomicUsize,
}

impl Meter {
    pub(crate) const fn new() -> Self {
        Self { live: AtomicUsize::new(0), peak: AtomicUsize::new(0), limit: AtomicUsize::new(usize::MAX) }
    }

    /// Counts an array, unless that is more than there may be: whether it is counted.
    pub(super) fn add(&self, bytes: usize) -> bool {
        let live = self.live.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if live > self.limit.load(Ordering::Relaxed) {
            self.remove(bytes);
            return false;
        }
        self.peak.fetch_max(live, Ordering::Relaxed);
        true
    }

    pub(super) fn set_limit(&self, limit: Option<usize>) {
        self.limit.store(limit.unwrap_or(usize::MAX), Ordering::Relaxed);
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
