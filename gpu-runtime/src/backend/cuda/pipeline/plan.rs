//! How arrays are cut into chunks, and chunks laid out in slots. Nothing here touches memory.

use std::ops::Range;

use super::Address;
use crate::backend::pages::HUGE_PAGE;

/// Up to this many bytes in all, arrays are copied as they are, without chunks or pinned memory.
const SHORT_BYTES: usize = 1 << 20;

/// Arrays start at multiples of this in a slot: what `cuMemAlloc` promises, and more than any vector access wants.
const ALIGN: usize = 256;

/// Chunks are a multiple of this many elements, so that they start well aligned in the host arrays too.
const ELEMENTS: usize = 1024;

/// Below this many bytes, 20 µs on the bus, the driver's calls for a chunk take about as long as its copies.
const LEAST_CHUNK: usize = 1 << 20;

/// About twice as many threads as it takes to keep a bus busy.
const MOST_WORKERS: usize = 16;

/// A thread takes at most about as long to start as to copy this many bytes.
const BYTES_PER_WORKER: usize = 1 << 20;

/// What can be tuned. The defaults follow from the arithmetic at the top of `mod.rs`; `host_add --sweep` measures others.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The most bytes of a chunk, of its inputs or its outputs, whichever is more.
    pub chunk_bytes: usize,
    /// How many chunks are on their way at once, at least one.
    pub slots: usize,
    /// How many threads fill and drain, besides the calling one; as many as make sense unless given.
    pub workers: Option<usize>,
    /// Whether slots are filled past the cache rather than through it.
    pub streaming_fill: bool,
    /// Whether the pages of a fresh result are made to exist before they are written.
    pub populate: bool,
    /// Up to how many bytes in all arrays are copied as they are.
    pub short_bytes: usize,
}

impl Settings {
    /// Whether arrays of so many bytes in all are not worth cutting up.
    pub(crate) fn are_short(&self, bytes: usize) -> bool {
        bytes <= self.short_bytes
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self { chunk_bytes: 8 << 20, slots: 4, workers: None, streaming_fill: false, populate: true, short_bytes: SHORT_BYTES }
    }
}

/// How a call's arrays are cut up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// The elements of each array.
    pub(super) len: usize,
    /// The elements of each chunk; the last one may have fewer.
    pub(super) chunk_len: usize,
    /// How many slots there are in each direction, at most one for each chunk.
    pub(super) slots: usize,
    pub(super) inputs: Side,
    pub(super) outputs: Side,
}

/// The inputs, or the outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Side {
    pub(super) element_sizes: Vec<usize>,
    /// Where each array starts in a slot. The same for every chunk, so that a place holds values of one type only.
    pub(super) offsets: Vec<usize>,
    /// From one slot to the next.
    pub(super) slot_bytes: usize,
}

impl Plan {
    /// The plan for `len` elements, at least one, of arrays with these element sizes.
    pub(super) fn new(len: usize, inputs: impl Iterator<Item = usize>, outputs: impl Iterator<Item = usize>, settings: &Settings) -> Self {
        let (inputs, outputs): (Vec<_>, Vec<_>) = (inputs.collect(), outputs.collect());
        let element: usize = inputs.iter().sum::<usize>().max(outputs.iter().sum());
        let chunk_len = if element == 0 {
            len
        } else {
            // Arrays that are not much larger than a chunk are cut finer, or nothing would overlap.
            let finer = len.saturating_mul(element) / (2 * settings.slots);
            let most = settings.chunk_bytes.min(finer.max(LEAST_CHUNK)).max(element * ELEMENTS) / element;
            // All chunks about equally long, rather than a short one at the end.
            len.div_ceil(len.div_ceil(most)).next_multiple_of(ELEMENTS).min(len)
        };
        Self::with_chunks(len, chunk_len, settings.slots, inputs, outputs)
    }

    /// The same arrays in one piece.
    pub(super) fn in_one_chunk(self) -> Self {
        Self::with_chunks(self.len, self.len, 1, self.inputs.element_sizes, self.outputs.element_sizes)
    }

    fn with_chunks(len: usize, chunk_len: usize, slots: usize, inputs: Vec<usize>, outputs: Vec<usize>) -> Self {
        let slots = slots.min(len.div_ceil(chunk_len));
        Self { len, chunk_len, slots, inputs: Side::new(chunk_len, inputs), outputs: Side::new(chunk_len, outputs) }
    }

    pub(super) fn chunks(&self) -> usize {
        self.len.div_ceil(self.chunk_len)
    }

    /// The first element of a chunk, and how many it has.
    pub(super) fn chunk(&self, index: usize) -> (usize, usize) {
        let first = index * self.chunk_len;
        (first, self.chunk_len.min(self.len - first))
    }

    /// The bytes of an array at the address `start` whose pages are made to exist for a chunk. A huge page belongs to the chunk in which it
    /// begins, or to the first one: two threads that populate parts of it would clear it twice.
    pub(super) fn pages(&self, chunk: usize, start: usize, element_size: usize) -> Range<usize> {
        let begin_at = |element: usize| match element {
            0 => 0,
            _ => (start + element * element_size).next_multiple_of(HUGE_PAGE).min(start + self.len * element_size) - start,
        };
        let (first, len) = self.chunk(chunk);
        begin_at(first)..begin_at(first + len)
    }

    /// Bytes of all arrays together.
    pub(super) fn bytes(&self) -> usize {
        let element: usize = self.inputs.element_sizes.iter().chain(&self.outputs.element_sizes).sum();
        self.len.saturating_mul(element)
    }

    /// How many threads fill and drain on a machine with `cores` cores, besides the calling one.
    pub(super) fn workers(&self, cores: usize, settings: &Settings) -> usize {
        settings.workers.unwrap_or_else(|| cores.saturating_sub(1).min(MOST_WORKERS).min(self.bytes() / BYTES_PER_WORKER))
    }
}

impl Side {
    fn new(chunk_len: usize, element_sizes: Vec<usize>) -> Self {
        let mut slot_bytes = 0;
        let offsets = element_sizes
            .iter()
            .map(|size| {
                let offset = slot_bytes;
                slot_bytes += (chunk_len * size).next_multiple_of(ALIGN);
                offset
            })
            .collect();
        Self { element_sizes, offsets, slot_bytes }
    }

    /// Whether there is nothing to copy in this direction.
    pub(super) fn is_empty(&self) -> bool {
        self.slot_bytes == 0
    }

    /// Where each array is in the slot, or the memory of a slot's layout, that begins at `start`.
    pub(super) fn addresses(&self, start: Address) -> Vec<Address> {
        self.offsets.iter().map(|&offset| start + offset as u64).collect()
    }

    /// How much of a slot a chunk of `len` elements takes, from the slot's start.
    pub(super) fn used_bytes(&self, len: usize) -> usize {
        self.offsets.last().zip(self.element_sizes.last()).map_or(0, |(offset, size)| offset + len * size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(len: usize, inputs: &[usize], outputs: &[usize]) -> Plan {
        Plan::new(len, inputs.iter().copied(), outputs.iter().copied(), &Settings::default())
    }

    #[test]
    fn chunks_cover_every_element_once_and_in_order() {
        for len in [1, 1023, 1024, 1025, 262_144, 1 << 20, (1 << 20) + 1, 100_000_000, (1 << 33) + 7] {
            for (inputs, outputs) in [(vec![4, 4], vec![4]), (vec![], vec![1]), (vec![8], vec![]), (vec![1, 16], vec![2, 2, 8])] {
                let plan = plan(len, &inputs, &outputs);
                let mut next = 0;
                for index in 0..plan.chunks() {
                    let (first, count) = plan.chunk(index);
                    assert!(first == next && count > 0, "{plan:?}");
                    next += count;
                }
                assert_eq!(next, len, "{plan:?}");
            }
        }
    }

    #[test]
    fn each_huge_page_belongs_to_one_chunk() {
        for (len, element_size) in [(100_000_000, 4), (1 << 20, 8), (5_000_001, 1), (1, 4)] {
            let plan = plan(len, &[4, 4], &[element_size]);
            for start in [HUGE_PAGE, HUGE_PAGE + 16, 3 * HUGE_PAGE - 8] {
                let mut next = 0;
                for chunk in 0..plan.chunks() {
                    let pages = plan.pages(chunk, start, element_size);
                    assert!(pages.start == next && (next == 0 || next == len * element_size || (start + next).is_multiple_of(HUGE_PAGE)));
                    next = pages.end;
                }
                assert_eq!(next, len * element_size, "{plan:?}");
            }
        }
    }

    #[test]
    fn slots_stay_within_their_bounds_however_many_arrays_there_are() {
        for arrays in [1, 2, 7, 32] {
            let plan = plan(1 << 32, &vec![8; arrays], &[4]);
            let most = Settings::default().chunk_bytes + arrays * (ALIGN + ELEMENTS * 8);
            assert!(plan.inputs.slot_bytes <= most && plan.outputs.slot_bytes <= most, "{plan:?}");
            assert_eq!(plan.slots, 4);
        }
    }

    #[test]
    fn arrays_in_a_slot_are_aligned_and_apart() {
        let plan = plan(1_000_003, &[1, 16, 2], &[8]);
        let Side { element_sizes, offsets, slot_bytes } = &plan.inputs;
        let ends = element_sizes.iter().zip(offsets).map(|(size, offset)| offset + size * plan.chunk_len);
        let starts = offsets.iter().copied().skip(1).chain([*slot_bytes]);
        assert!(ends.zip(starts).all(|(end, start)| end <= start && start.is_multiple_of(ALIGN)), "{plan:?}");
    }

    #[test]
    fn the_last_chunk_is_about_as_long_as_the_others() {
        let plan = plan((1 << 20) * 10 + 1, &[4, 4], &[4]);
        let (_, last) = plan.chunk(plan.chunks() - 1);
        assert!(last + ELEMENTS * plan.chunks() >= plan.chunk_len, "{plan:?}");
    }

    #[test]
    fn a_few_megabytes_are_still_cut_so_that_copies_overlap() {
        let plan = plan(1 << 20, &[4, 4], &[4]);
        assert!(plan.chunks() >= 8, "{plan:?}");
    }

    #[test]
    fn without_arrays_there_is_one_chunk() {
        let plan = plan(1 << 40, &[], &[]);
        assert_eq!((plan.chunks(), plan.slots), (1, 1));
        assert!(plan.inputs.is_empty() && plan.outputs.is_empty() && Settings::default().are_short(plan.bytes()));
    }

    #[test]
    fn small_arrays_are_short() {
        let settings = Settings::default();
        assert!(settings.are_short(plan(SHORT_BYTES / 12, &[4, 4], &[4]).bytes()));
        assert!(!settings.are_short(plan(SHORT_BYTES / 12 + 1, &[4, 4], &[4]).bytes()));
    }

    #[test]
    fn there_are_no_more_workers_than_cores_or_work() {
        let settings = Settings::default();
        let large = plan(100_000_000, &[4, 4], &[4]);
        assert_eq!([1, 2, 16, 256].map(|cores| large.workers(cores, &settings)), [0, 1, 15, MOST_WORKERS]);
        assert_eq!(plan(1 << 18, &[4, 4], &[4]).workers(16, &settings), 3);
        assert_eq!(large.workers(2, &Settings { workers: Some(8), ..settings }), 8);
    }

    #[test]
    fn a_chunk_takes_a_slot_up_to_its_last_element() {
        let plan = plan(10_000_000, &[4, 2], &[]);
        assert_eq!(plan.inputs.used_bytes(5), plan.inputs.offsets[1] + 10);
        assert_eq!(plan.outputs.used_bytes(5), 0);
    }
}
