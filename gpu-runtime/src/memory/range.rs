//! Ranges of indices, as slicing takes them.

use std::ops::{Bound, Range, RangeBounds};

/// The start and end of `range` in something of `len` elements; panics in the words of std.
#[track_caller]
pub(crate) fn resolve(range: impl RangeBounds<usize>, len: usize) -> Range<usize> {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&before) => before.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    let (Some(start), Some(end)) = (start, end) else { panic!("attempted to index slice past maximum usize") };
    assert!(start <= len, "range start index {start} out of range for slice of length {len}");
    assert!(end <= len, "range end index {end} out of range for slice of length {len}");
    assert!(start <= end, "slice index starts at {start} but ends at {end}");
    start..end
}
