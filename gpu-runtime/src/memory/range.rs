//! Ranges of indices, as slicing takes them, which may count from the end.

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// A range of indices of an axis: `1..9`, `..-1`, `-3..`. Negative numbers count from the end, as in NumPy: `..-1` is all but the last.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range of indices",
    label = "a range such as `1..9`, `2..` or `..-1` is needed here",
    note = "one element is `array.get(index)?`, and the part at one index `array.part(index)`"
)]
pub trait IndexRange {
    /// The start, and the end if it is not that of the axis.
    #[doc(hidden)]
    fn bounds(self) -> (isize, Option<isize>);
}

macro_rules! ranges {
    ($($Range:ty, |$range:ident| $start:expr, $end:expr;)*) => {$(
        impl IndexRange for $Range {
            #[inline]
            fn bounds(self) -> (isize, Option<isize>) {
                let $range = self;
                ($start, $end)
            }
        }
    )*};
}

macro_rules! ranges_of {
    ($($T:ty)*) => {$(
        ranges! {
            Range<$T>, |range| index(range.start), Some(index(range.end));
            RangeFrom<$T>, |range| index(range.start), None;
            RangeTo<$T>, |range| 0, Some(index(range.end));
            RangeInclusive<$T>, |range| index(*range.start()), past(index(*range.end()));
            RangeToInclusive<$T>, |range| 0, past(index(range.end));
        }
    )*};
}

ranges! { RangeFull, |_range| 0, None; }
ranges_of! { i32 i64 isize u32 u64 usize }

/// The bounds themselves.
impl IndexRange for (isize, Option<isize>) {
    fn bounds(self) -> (isize, Option<isize>) {
        self
    }
}

/// The number as an index. One that no axis has becomes another that none has.
#[inline]
pub(super) fn index<T: TryInto<isize>>(index: T) -> isize {
    index.try_into().unwrap_or(isize::MAX)
}

/// The end of a range that includes `last`.
fn past(last: isize) -> Option<isize> {
    if last == -1 { None } else { Some(last.saturating_add(1)) }
}

/// The start and end of `range` in something of `len` elements; panics in the words of std.
#[track_caller]
pub(crate) fn resolve(range: impl IndexRange, len: usize) -> Range<usize> {
    let (start, end) = range.bounds();
    let start = from_end("range start index", start, len);
    let end = end.map_or(len, |end| from_end("range end index", end, len));
    assert!(start <= len, "range start index {start} out of range for slice of length {len}");
    assert!(end <= len, "range end index {end} out of range for slice of length {len}");
    assert!(start <= end, "slice index starts at {start} but ends at {end}");
    start..end
}

/// The index, which counts from the end of `len` indices if it is negative.
#[track_caller]
pub(super) fn from_end(what: &str, index: isize, len: usize) -> usize {
    match usize::try_from(index) {
        Ok(index) => index,
        Err(_) => match len.checked_sub(index.unsigned_abs()) {
            Some(index) => index,
            None => panic!("{what} {index} out of range for slice of length {len}"),
        },
    }
}
