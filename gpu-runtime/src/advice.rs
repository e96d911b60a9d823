//! Warnings about correct but slow programs: events of the crate `tracing`, level `WARN`, target `gpu_runtime`.
//!
//! A program receives them through any subscriber (`tracing_subscriber::fmt::init()` prints them). Each warning is emitted once per kernel
//! or place in the program, so that a loop does not repeat it.

use std::collections::HashMap;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};

/// A grid with fewer blocks than this many per multiprocessor leaves some of them idle for part of the time.
const BLOCKS_PER_MULTIPROCESSOR: u64 = 2;

/// Host arrays below this size, in bytes, are copied without a warning: the copy costs about as much as the launch.
const WORTH_A_WARNING: usize = 64 << 10;

/// Whether the grid has too few blocks to keep a GPU busy.
#[inline]
pub(crate) fn is_grid_small(grid: [u32; 3], multiprocessors: u32) -> bool {
    let blocks: u64 = grid.iter().map(|&extent| u64::from(extent)).fold(1, u64::saturating_mul);
    blocks < BLOCKS_PER_MULTIPROCESSOR * u64::from(multiprocessors)
}

#[cold]
pub(crate) fn warn_of_small_grid(kernel: &'static str, grid: [u32; 3], multiprocessors: u32) {
    let [x, y, z] = grid;
    let blocks = u64::from(x) * u64::from(y) * u64::from(z);
    tracing::warn!(
        target: "gpu_runtime",
        kernel,
        blocks,
        multiprocessors,
        "kernel `{kernel}`: a grid of {blocks} blocks is too small for a GPU with {multiprocessors} multiprocessors; use smaller blocks or more threads, or run small work on `Device::cpu()`"
    );
}

/// Says why index checks remain in a launch, where there are conditions under which it would have none.
#[cold]
pub(crate) fn warn_of_failed_conditions(kernel: &'static str, conditions: impl Iterator<Item = &'static str>) {
    for condition in conditions {
        tracing::warn!(
            target: "gpu_runtime",
            kernel,
            condition,
            "kernel `{kernel}`: an index check remains in this launch, because this does not hold: {condition}"
        );
    }
}

/// The host arrays that were last copied to a GPU, by the place in the program that copied them.
#[derive(Default)]
pub(crate) struct ImplicitCopies {
    last: HashMap<&'static Location<'static>, Copied>,
}

struct Copied {
    arrays: Vec<(usize, usize)>,
    warned: bool,
}

impl ImplicitCopies {
    /// Records that `place` copies these host arrays (address and bytes of each). Returns whether a warning is due now: the same place
    /// copied the same arrays before, they are large, and no warning was emitted for it.
    fn note(&mut self, place: &'static Location<'static>, arrays: Vec<(usize, usize)>) -> bool {
        let bytes: usize = arrays.iter().map(|&(_, bytes)| bytes).sum();
        if bytes < WORTH_A_WARNING {
            return false;
        }
        let last = self.last.entry(place).or_insert(Copied { arrays: Vec::new(), warned: false });
        let repeated = !last.warned && last.arrays == arrays;
        last.arrays = arrays;
        last.warned |= repeated;
        repeated
    }
}

/// Warns if `place` copies the same host arrays to a GPU again.
pub(crate) fn note_implicit_copies(function: &'static str, place: &'static Location<'static>, arrays: Vec<(usize, usize)>) {
    static COPIES: Mutex<Option<ImplicitCopies>> = Mutex::new(None);

    let bytes: usize = arrays.iter().map(|&(_, bytes)| bytes).sum();
    let mut copies = COPIES.lock().unwrap_or_else(PoisonError::into_inner);
    if copies.get_or_insert_default().note(place, arrays) {
        drop(copies);
        tracing::warn!(
            target: "gpu_runtime",
            function,
            bytes,
            %place,
            "array function `{function}` at {place} copies the same {bytes} bytes of host arrays to the GPU again; \
             copy them once, `let x = device.to_device(&x)?;`, and pass `&x`"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_small_below_two_blocks_per_multiprocessor() {
        assert!(is_grid_small([263, 1, 1], 132));
        assert!(!is_grid_small([264, 1, 1], 132));
        assert!(!is_grid_small([12, 22, 1], 132));
        assert!(!is_grid_small([u32::MAX; 3], 132));
    }

    #[test]
    fn the_second_copy_of_the_same_large_arrays_by_the_same_place_is_warned_of_once() {
        let (here, there) = (Location::caller(), Location::caller());
        assert_ne!(here, there);
        let mut copies = ImplicitCopies::default();
        let large = || vec![(0x1000, WORTH_A_WARNING), (0x9000, 8)];
        assert!(!copies.note(here, large()));
        assert!(!copies.note(there, large()), "another place");
        assert!(!copies.note(here, vec![(0x2000, WORTH_A_WARNING)]), "other arrays");
        assert!(!copies.note(here, large()));
        assert!(copies.note(here, large()));
        assert!(!copies.note(here, large()), "once is enough");
        let small = || vec![(0x1000, WORTH_A_WARNING - 1)];
        assert!(!copies.note(there, small()) && !copies.note(there, small()));
    }
}
