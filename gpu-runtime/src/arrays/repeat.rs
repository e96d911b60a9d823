//! Arrays with parts of themselves at other places: repeated by counts, and padded by their own elements.

use super::Sorting as _;
use super::select::Selections as _;
use crate::failure::{called, called_or};
use crate::memory::{Axis, DeviceArray};
use crate::scalar::Integer;
use crate::source::Element;
use crate::ufunc::{ArrayLike, Elementwise as _, Scans as _, give_to_arrays, iota};
use crate::{Error, Result, vectorize};

/// What an array is [padded](Repetitions::pad_axis_by) with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pad {
    /// The first and last element: `1 1|1 2 3|3 3`.
    Edge,
    /// The elements mirrored at the first and last one: `3 2|1 2 3|2 1`.
    Reflect,
    /// The elements mirrored at the ends: `2 1|1 2 3|3 2`.
    Symmetric,
    /// The elements again: `2 3|1 2 3|1 2`.
    Wrap,
}

/// Arrays with parts of themselves at other places.
///
/// ```
/// use gpu_runtime::prelude::*;
/// use gpu_runtime::Pad;
///
/// let x = Device::cpu().to_device(&[1, 2, 3])?;
/// assert_eq!(x.pad_axis_by(0, 2, 1, Pad::Reflect)?.to_host()?, [3, 2, 1, 2, 3, 2]);
/// let counts = Device::cpu().to_device(&[2u32, 0, 1])?;
/// assert_eq!(x.repeat_by(&counts, 0)?.to_host()?, [1, 1, 3]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub trait Repetitions: ArrayLike {
    /// The parts along `axis`, each as many times as `counts` says: `np.repeat(x, counts, axis)`. Waits for the device, which adds the counts.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if there are not as many counts as parts, [`Error::AxisOutOfRange`],
    /// [`Error::KernelFailed`] for a negative count or one that no memory holds, and as for [`take_axis`](crate::Selections::take_axis).
    #[track_caller]
    fn repeat_by<I: Integer>(self, counts: impl ArrayLike<Item = I>, axis: impl Axis) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        let _call = called("repeat_by");
        let (x, counts) = (self.lazy(), counts.lazy());
        let (shape, of_counts) = (x.shape()?, counts.shape()?);
        let axis = axis.checked("repeat_by", shape)?;
        let len = shape[axis];
        if *of_counts.extents() != [len] {
            return Err(Error::shape_mismatch("repeat_by", shape, of_counts, "there is a count for each part along the axis"));
        }
        let counts = counts.stored_with(&x)?;
        // So many of each part do not wrap around when they are added.
        let most = isize::MAX as usize / len.max(1);
        let ends = times::map(counts.view(), most).cumsum()?;
        let total = if len == 0 { 0 } else { ends.get(len - 1)? };
        x.take_axis(&ends.searchsorted_right(iota(total).on(ends.device()))?, axis)
    }

    /// With `before` and `after` more elements along `axis`, which repeat its own: `np.pad(x, [(before, after)], mode)` of one axis.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the axis has no elements, [`Error::AxisOutOfRange`], and as for
    /// [`take_axis`](crate::Selections::take_axis).
    #[track_caller]
    fn pad_axis_by(self, axis: impl Axis, before: usize, after: usize, mode: Pad) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        let x = self.lazy();
        let shape = x.shape()?;
        let axis = axis.checked(called_or("pad"), shape)?;
        let len = shape[axis];
        let padded = len.saturating_add(before).saturating_add(after);
        if len == 0 && padded > 0 {
            return Err(Error::shape_mismatch("pad", shape, padded.into(), "an axis without elements has none to repeat"));
        }
        let stored = x.stored()?;
        let (view, number) = (stored.view(), |number: usize| number as i64);
        let indices = source::map(iota(padded).cast::<i64>(), number(before), number(len), mode as u32);
        view.take_axis(indices.on(view.device()), axis)
    }
}

give_to_arrays! { Repetitions }

/// How many times a part is repeated.
#[vectorize]
fn times<I: Integer>(count: I, most: usize) -> usize {
    assert!(count >= I::ZERO, "a count is negative");
    let count = count.cast::<usize>();
    assert!(count <= most, "a count is more than memory holds");
    count
}

const EDGE: u32 = Pad::Edge as u32;
pub(super) const REFLECT: u32 = Pad::Reflect as u32;
const SYMMETRIC: u32 = Pad::Symmetric as u32;

/// Which element is at `place` of a padded axis: `mode` is a [`Pad`].
#[vectorize]
pub(super) fn source(place: i64, before: i64, len: i64, mode: u32) -> i64 {
    let i = place - before;
    if mode == EDGE {
        i.clamp(0, len - 1)
    } else if mode == REFLECT {
        let last = (len - 1).max(1);
        let j = i.rem_euclid(2 * last);
        j.min(2 * last - j).min(len - 1)
    } else if mode == SYMMETRIC {
        let j = i.rem_euclid(2 * len);
        j.min(2 * len - 1 - j)
    } else {
        i.rem_euclid(len)
    }
}
