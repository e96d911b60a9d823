//! Arrays as sets of elements, and orders by several keys.

use std::panic::Location;

use super::select::Selections as _;
use super::{Contiguous, Sorting, collected};
use crate::memory::{DeviceArray, Shape};
use crate::scalar::Num;
use crate::ufunc::{ArrayLike, Elementwise as _, Reductions as _, concatenate, give_to_arrays};
use crate::{Error, Result};

/// Arrays as sets of elements.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let x = device.to_device(&[3, 1, 3, 7])?;
/// let (values, counts) = x.unique_counts()?;
/// assert_eq!((values.to_host()?, counts.to_host()?), (vec![1, 3, 7], vec![1, 2, 1]));
/// assert_eq!(x.isin(&device.to_device(&[7, 3])?)?.to_host()?, [true, false, true, true]);
/// assert_eq!(x.intersection(lazy(&[3, 2, 1]))?.to_host()?, [1, 3]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub trait Sets: ArrayLike {
    /// Whether each element is one of `values`: `np.isin(x, values)`. NaN is not.
    ///
    /// # Errors
    ///
    /// [`Error::ArraysOnDifferentDevices`](crate::Error::ArraysOnDifferentDevices), and as for [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn isin(self, values: impl ArrayLike<Item = Self::Item>) -> Result<DeviceArray<bool>>
    where
        Self::Item: Num,
    {
        let (x, values) = (self.lazy(), values.lazy());
        let (x, values) = (x.stored_with(&values)?, values.stored_with(&x)?);
        let (x, sorted) = (x.view(), Contiguous::of(&values)?.slice().sort()?);
        if sorted.is_empty() {
            return x.device().full(x.shape(), false);
        }
        let last = sorted.len() - 1;
        let place = sorted.searchsorted(x)?.min_with(last).collect()?;
        x.eq(sorted.take(&place)?).collect()
    }

    /// The distinct elements that are also in `other`, in ascending order: `np.intersect1d(x, other)`.
    ///
    /// # Errors
    ///
    /// As for [`isin`](Self::isin).
    #[track_caller]
    fn intersection(self, other: impl ArrayLike<Item = Self::Item>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Num,
    {
        let (x, other) = (self.lazy(), other.lazy());
        let unique = x.stored_with(&other)?.view().unique()?;
        unique.filter(&unique.isin(other)?)
    }

    /// The distinct elements in ascending order, and how often each occurs: `np.unique(x, return_counts=True)`.
    ///
    /// # Errors
    ///
    /// As for [`unique`](Sorting::unique).
    #[track_caller]
    fn unique_counts(self) -> Result<(DeviceArray<Self::Item>, DeviceArray<usize>)>
    where
        Self::Item: Num,
    {
        let lazy = self.lazy();
        let stored = lazy.stored()?;
        let sorted = Contiguous::of(&stored)?.slice().sort()?;
        let unique = sorted.unique()?;
        let counts = (sorted.searchsorted_right(&unique)? - sorted.searchsorted(&unique)?).collect()?;
        Ok((unique, counts))
    }

    /// The distinct rows, in the order of their first elements, then of their second ones, and so on, and how often each occurs:
    /// `np.unique(x, axis=0, return_counts=True)`. Of an array with more axes, a row is what the first axis lists. A row with NaN differs from
    /// every other. Each column is sorted once, and the call waits for the device, which counts the rows.
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`] of an array without axes, and as for [`unique`](Sorting::unique).
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[2, 7, 1, 9, 2, 7])?.reshape([3, 2])?;
    /// let (rows, counts) = x.unique_rows()?;
    /// assert_eq!((rows.to_host()?, counts.to_host()?), (vec![1, 9, 2, 7], vec![1, 2]));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    fn unique_rows(self) -> Result<(DeviceArray<Self::Item>, DeviceArray<usize>)>
    where
        Self::Item: Num,
    {
        unique_rows(collected(self.lazy())?)
    }
}

give_to_arrays! { Sets }

/// [`Sets::unique_rows`].
#[track_caller]
fn unique_rows<T: Num>(rows: DeviceArray<T>) -> Result<(DeviceArray<T>, DeviceArray<usize>)> {
    let (device, shape) = (rows.device().clone(), rows.shape());
    let [count, rest @ ..] = shape.extents() else {
        return Err(Error::AxisOutOfRange { function: "unique_rows", axis: 0, shape, location: Location::caller() });
    };
    if *count == 0 {
        return Ok((rows, device.zeros(0)?));
    }
    let width = rest.iter().product();
    let rows = rows.reshape([*count, width])?;
    let sorted = match width {
        0 => rows,
        _ => rows.take(&lexsort((0..width).rev().map(|column| rows.part((.., column as isize))))?)?,
    };
    let changes = sorted.rows(1..).ne(sorted.rows(..count - 1)).any_axis(1)?;
    let starts = concatenate([&device.zeros(1)?, &(changes.nonzero()? + 1).collect()?], 0)?;
    let ends = concatenate([starts.slice(1..), device.full(1, *count)?.slice(..)], 0)?;
    let extents = [&[starts.len()], rest].concat();
    let shape = Shape::from_extents(&extents).expect("as many axes as before");
    Ok((sorted.take(&starts)?.reshape(shape)?, (ends - &starts).collect()?))
}

/// The indices that sort by the last of `keys`, among equal ones by the one before, and so on: `np.lexsort(keys)`.
///
/// # Errors
///
/// [`Error::ShapeMismatch`] if the keys have different shapes or not one axis, and as for [`argsort`](Sorting::argsort).
///
/// # Panics
///
/// If there are no keys.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let (first, last) = (device.to_device(&[2, 1, 3])?, device.to_device(&[5, 5, 4])?);
/// assert_eq!(lexsort([&first, &last])?.to_host()?, [2, 1, 0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[track_caller]
pub fn lexsort<T: Num, A: ArrayLike<Item = T>>(keys: impl IntoIterator<Item = A>) -> Result<DeviceArray<usize>> {
    let mut order: Option<DeviceArray<usize>> = None;
    for key in keys {
        let key = key.lazy();
        let shape = key.shape()?;
        let first = order.as_ref().map_or(shape, DeviceArray::shape);
        if shape.rank() != 1 || shape != first {
            return Err(Error::shape_mismatch("lexsort", first, shape, "the keys have one axis and as many elements"));
        }
        order = Some(match order {
            None => key.argsort()?,
            Some(order) => order.take(&key.take(&order)?.argsort()?)?,
        });
    }
    Ok(order.expect("`lexsort` needs at least one key"))
}
