//! Runs over the elements of an array, for array functions: no grid, no blocks, only ranges dealt to rayon's workers.
//!
//! Each worker starts with its own share of the ranges, the same at every call: the data of the previous call may still be in its caches. A
//! worker that has finished its share helps with the next share.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::thread::{Block, Stop, Thread, Worker};
use crate::failure::{KernelFailure, Work};
use crate::fork;
use crate::observe::{self, Activity};

/// What is done with a range. Ranges are long, and what distributes them is compiled once.
pub(crate) type Run<'r> = dyn Fn(&Thread<'_>, Range<usize>) -> Result<(), Stop> + Sync + 'r;

/// Calls `run` for consecutive ranges that cover `0..len`, each at most `grain` long, in parallel where there are several.
///
/// # Errors
///
/// The first failure. Ranges that had not begun by then are skipped.
pub(crate) fn for_each_range(function: &'static str, work: Work, len: usize, grain: usize, run: &Run<'_>) -> Result<(), KernelFailure> {
    let _observed = observe::begin(Activity::Kernel, function, observe::take_bytes());
    let ranges = len.div_ceil(grain);
    // A single range must not start rayon's workers.
    let workers = if ranges <= 1 { 1 } else { rayon_core::current_num_threads().min(ranges) };
    let shares: Vec<Share> = (0..workers).map(|share| Share::of(ranges, workers, share)).collect();
    let abandoned = AtomicBool::new(false);
    let failure = OnceLock::new();
    let draw = || {
        let worker = Worker::default();
        let block = Block::outside_kernels(&worker);
        let thread = Thread { index: [0; 3], number: 0, block: &block, outlined: &block, sites: block.sites };
        let own = rayon_core::current_thread_index().unwrap_or(0);
        for number in (0..workers).flat_map(|other| shares[(own + other) % workers].draw()) {
            if abandoned.load(Ordering::Relaxed) {
                return;
            }
            let first = number * grain;
            if let Err(Stop) = run(&thread, first..len.min(first + grain)) {
                abandoned.store(true, Ordering::Relaxed);
                if let Some(first) = worker.take_failure(function, work) {
                    // Another worker may have failed before.
                    let _ = failure.set(first);
                }
                return;
            }
        }
    };
    if workers > 1 {
        fork::note_use();
    }
    match ranges / workers {
        _ if workers == 1 => draw(),
        // The calling thread has no share of its own; where there is much to do, it is better off waiting.
        0..MANY => rayon_core::in_place_scope(|scope| with_helpers(scope, workers - 1, &draw)),
        _ => rayon_core::scope(|scope| with_helpers(scope, workers - 1, &draw)),
    }
    failure.into_inner().map_or(Ok(()), Err)
}

/// Calls `draw` on this thread, and on as many others.
fn with_helpers<'s>(scope: &rayon_core::Scope<'s>, helpers: usize, draw: &'s (impl Fn() + Sync)) {
    (0..helpers).for_each(|_| scope.spawn(|_| draw()));
    draw();
}

/// With so many ranges for each worker, a share is worth keeping in the caches of one.
const MANY: usize = 4;

/// Consecutive ranges that one worker begins with. On a cache line of its own, as every draw writes it.
#[repr(align(128))]
struct Share {
    next: AtomicUsize,
    end: usize,
}

impl Share {
    /// The `share`-th of `shares` equal ones.
    fn of(ranges: usize, shares: usize, share: usize) -> Self {
        let start = |share: usize| (share as u128 * ranges as u128 / shares as u128) as usize;
        Self { next: AtomicUsize::new(start(share)), end: start(share + 1) }
    }

    /// The ranges that nobody has drawn, one after the other.
    fn draw(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::from_fn(|| Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < self.end))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn every_element_is_run_once() {
        for (len, grain) in [(0, 1), (1, 1), (7, 3), (100, 100), (1000, 1), (1 << 20, 1000)] {
            let found = Mutex::new(Vec::new());
            let run = |_: &Thread<'_>, range: Range<usize>| {
                assert!(range.len() <= grain);
                found.lock().unwrap().push(range);
                Ok(())
            };
            for_each_range("f", Work::Fold, len, grain, &run).unwrap();
            let mut found = found.into_inner().unwrap();
            found.sort_by_key(|range| range.start);
            let mut end = 0;
            for range in found {
                assert_eq!(range.start, end);
                end = range.end;
            }
            assert_eq!(end, len);
        }
    }

    #[test]
    fn shares_are_equal_and_cover_all_ranges() {
        let shares: Vec<Share> = (0..3).map(|share| Share::of(10, 3, share)).collect();
        let drawn: Vec<Vec<usize>> = shares.iter().map(|share| share.draw().collect()).collect();
        assert_eq!(drawn, [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7, 8, 9]]);
        assert!(shares.iter().all(|share| share.draw().next().is_none()));
    }
}
