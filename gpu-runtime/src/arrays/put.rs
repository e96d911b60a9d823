//! New values for elements at given indices.
//!
//! Of several values for one element, the last stays, also on a GPU, where threads store in any order. So the first step finds for each
//! element the highest number of a value, atomically, and the second stores the values with these numbers.

use super::Contiguous;
use super::words::{Words, as_words, as_words_mut, words_of};
use crate::failure::called;
use crate::intrinsics::grid_1d;
use crate::memory::{DeviceArray, DeviceSlice, DeviceSliceMut};
use crate::scalar::Integer;
use crate::source::Element;
use crate::ufunc::{ArrayLike, Elementwise, IndexElement, IntoLazy, iota};
use crate::{Result, functions, gpu_kernel};

/// Stores the values of which `last` has the number, counted from 1, for their elements. Values and elements have so many words.
#[gpu_kernel]
pub(super) fn put_last<W: Integer, I: Integer>(values: &[W], indices: &[I], last: &[u64], words: usize, target: &mut [W]) {
    let i = grid_1d();
    if i < values.len() {
        let number = i / words;
        let index = indices[number].cast::<usize>();
        if last[index] == number as u64 + 1 {
            target[index * words + i % words] = values[i];
        }
    }
}

impl<T: Element> DeviceArray<T> {
    /// Overwrites the elements at `indices` with `values`, of the same shape, or one for all: `x[indices] = values` of one axis, and
    /// `np.put(x, indices, values)` of several, whose elements are counted in C order. Of several values for one element the last stays, on
    /// every device. [`functions::add::at`](crate::functions::add::at) adds them up instead.
    ///
    /// Elements are copied as integers, as by [`take`](crate::Selections::take). It needs memory for a `u64` for each element of the array.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (mut x, at) = (device.zeros::<f32>(5)?, device.to_device(&[3, 1, 3])?);
    /// x.put(&at, &[1.0, 2.0, 3.0])?;
    /// assert_eq!(x.to_host()?, [0.0, 2.0, 0.0, 3.0, 0.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if `values` cannot be broadcast to the shape of `indices`, and as for
    /// [`collect`](crate::Lazy::collect). The next call that waits reports an index that is negative or out of bounds; some of the other
    /// values have been stored.
    #[track_caller]
    pub fn put<I: Integer + IndexElement>(&mut self, indices: impl ArrayLike<Item = I>, values: impl IntoLazy<T>) -> Result<()> {
        let _call = called("put");
        let (indices, values) = (indices.lazy(), values.into_lazy());
        let shape = indices.shape()?;
        let indices = indices.stored_near(Some(self.device()))?;
        let indices = Contiguous::of(&indices)?;
        let values = values.broadcast_to(shape)?;
        let values = values.stored_near(Some(self.device()))?;
        let values = Contiguous::of(&values)?;
        let (indices, values) = (indices.slice(), values.slice());
        if indices.is_empty() {
            return Ok(());
        }
        let mut last = self.device().zeros::<u64>(self.len())?;
        functions::maximum::at(&mut last, indices, iota(indices.len()).cast::<u64>() + 1)?;
        let (words, last) = (words_of::<T>(), last.slice(..));
        match (as_words(values), as_words_mut(self)) {
            (Words::Bits8(values), Words::Bits8(target)) => put(values, indices, last, words, target),
            (Words::Bits16(values), Words::Bits16(target)) => put(values, indices, last, words, target),
            (Words::Bits32(values), Words::Bits32(target)) => put(values, indices, last, words, target),
            (Words::Bits64(values), Words::Bits64(target)) => put(values, indices, last, words, target),
            _ => unreachable!("both have elements of one type"),
        }
    }
}

#[track_caller]
fn put<W: Integer + Element, I: Integer>(
    values: DeviceSlice<'_, W>,
    indices: DeviceSlice<'_, I>,
    last: DeviceSlice<'_, u64>,
    words: usize,
    target: DeviceSliceMut<'_, W>,
) -> Result<()> {
    // SAFETY: one value has the number that is the last of an element.
    unsafe { put_last(values, indices, last, words, target).forall_unchecked(values.len()) }
}
