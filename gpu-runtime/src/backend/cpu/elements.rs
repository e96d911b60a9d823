//! Runs over the elements of an array, for array functions: no grid, no blocks, only ranges dealt to rayon's workers.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::thread::{Block, Stop, Thread, Worker};
use crate::kernel::{KernelFailure, Work};

/// Calls `run` for consecutive ranges that cover `0..len`, each at most `grain` long, in parallel where there are several.
///
/// # Errors
///
/// The first failure. Ranges that had not begun by then are skipped.
pub(crate) fn for_each_range(
    function: &'static str,
    work: Work,
    len: usize,
    grain: usize,
    run: impl Fn(&Thread<'_>, Range<usize>) -> Result<(), Stop> + Sync,
) -> Result<(), KernelFailure> {
    let ranges = len.div_ceil(grain);
    let next = AtomicU64::new(0);
    let abandoned = AtomicBool::new(false);
    let failure = OnceLock::new();
    let draw = || {
        let worker = Worker::default();
        let block = Block::outside_kernels(&worker);
        let thread = Thread { index: [0; 3], block: &block };
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed) as usize;
            if number >= ranges || abandoned.load(Ordering::Relaxed) {
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
    // A single range must not start rayon's workers.
    let helpers = if ranges <= 1 { 0 } else { rayon::current_num_threads().min(ranges) - 1 };
    if helpers == 0 {
        draw();
    } else {
        rayon::in_place_scope(|scope| {
            (0..helpers).for_each(|_| scope.spawn(|_| draw()));
            draw();
        });
    }
    failure.into_inner().map_or(Ok(()), Err)
}
