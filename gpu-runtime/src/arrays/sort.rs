//! Sorting, and what sorted elements make easy.
//!
//! On a GPU, runs of sorted elements are merged in pairs, until a run is a whole row. Each element finds its place by itself: its place
//! in its own run, and by binary search how many elements of the other run come before it. That is stable, needs no shared memory, and
//! takes log₂ n launches. The CPU sorts each row by std's sort.

use std::cmp::Ordering;

use super::Contiguous;
use crate::backend::cpu;
use crate::failure::Work;
use crate::intrinsics::grid_1d;
use crate::memory::{DeviceArray, Shape};
use crate::scalar::{Float, Num};
use crate::ufunc::{ArrayLike, Elementwise, Expression, Lazy, Reductions, concatenate, give_to_arrays, iota, lazy};
use crate::{Error, Result, gpu_device, gpu_kernel};

use super::Selections;

/// Whether `a` comes before `b`: NaN comes last.
#[gpu_device]
#[allow(clippy::eq_op, reason = "only NaN differs from itself")]
pub(super) fn precedes<T: Num>(a: T, b: T) -> bool {
    a < b || (b != b && a == a)
}

/// Merges the sorted runs of `width` elements of rows of `len` in pairs.
#[gpu_kernel]
pub(super) fn merge_runs<T: Num>(keys: &[T], indices: &[usize], len: usize, width: usize, sorted: &mut [T], order: &mut [usize]) {
    let i = grid_1d();
    if i < keys.len() {
        let row = i / len * len;
        let pair = (i - row) / (2 * width) * (2 * width);
        let middle = (pair + width).min(len);
        let is_second = i - row >= middle;
        let start = if is_second { pair } else { middle };
        let own = if is_second { middle } else { pair };
        let (mut low, mut high) = (start, if is_second { middle } else { (pair + 2 * width).min(len) });
        let key = keys[i];
        while low < high {
            let mid = (low + high) / 2;
            let other = keys[row + mid];
            // Of equal elements, those of the first run come first.
            let before = if is_second { !precedes(key, other) } else { precedes(other, key) };
            if before {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
        let to = row + pair + (i - row - own) + (low - start);
        sorted[to] = key;
        order[to] = indices[i];
    }
}

/// How many of `sorted` come before each value.
#[gpu_kernel]
pub(super) fn search_elements<T: Num>(sorted: &[T], values: &[T], out: &mut [usize]) {
    let i = grid_1d();
    if i < out.len() {
        let value = values[i];
        let (mut low, mut high) = (0, sorted.len());
        while low < high {
            let mid = (low + high) / 2;
            if precedes(sorted[mid], value) {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
        out[i] = low;
    }
}

/// Sorting, in ascending order and with NaN last, as in NumPy. Equal elements keep their order.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[3.0, 1.0, 2.0, 1.0])?;
/// assert_eq!(x.sort()?.to_host()?, [1.0, 1.0, 2.0, 3.0]);
/// assert_eq!(x.argsort()?.to_host()?, [1, 3, 2, 0]);
/// assert_eq!(x.unique()?.to_host()?, [1.0, 2.0, 3.0]);
/// assert_eq!((x.median()?, x.quantile(0.25)?), (1.5, 1.0));
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub trait Sorting: ArrayLike {
    /// The elements in ascending order along the last axis: `np.sort(x)`. For descending order, reverse the axis of the result.
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`] for an array without axes, and as for [`collect`](Lazy::collect).
    #[track_caller]
    fn sort(self) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Num,
    {
        let lazy = self.lazy();
        let last = lazy.shape()?.rank().saturating_sub(1);
        Ok(sorted("sort", &lazy, last)?.0)
    }

    /// The elements in ascending order along `axis`: `np.sort(x, axis)`.
    ///
    /// # Errors
    ///
    /// As for [`sort`](Self::sort).
    #[track_caller]
    fn sort_axis(self, axis: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Num,
    {
        Ok(sorted("sort", &self.lazy(), axis)?.0)
    }

    /// The indices along the last axis that would sort it: `np.argsort(x, stable=True)`.
    ///
    /// # Errors
    ///
    /// As for [`sort`](Self::sort).
    #[track_caller]
    fn argsort(self) -> Result<DeviceArray<usize>>
    where
        Self::Item: Num,
    {
        let lazy = self.lazy();
        let last = lazy.shape()?.rank().saturating_sub(1);
        Ok(sorted("argsort", &lazy, last)?.1)
    }

    /// The indices along `axis` that would sort it: `np.argsort(x, axis, stable=True)`.
    ///
    /// # Errors
    ///
    /// As for [`sort`](Self::sort).
    #[track_caller]
    fn argsort_axis(self, axis: usize) -> Result<DeviceArray<usize>>
    where
        Self::Item: Num,
    {
        Ok(sorted("argsort", &self.lazy(), axis)?.1)
    }

    /// The distinct elements in ascending order: `np.unique(x)`. Waits for the device, which counts them.
    ///
    /// # Errors
    ///
    /// As for [`filter`](Selections::filter).
    #[track_caller]
    fn unique(self) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Num,
    {
        let sorted = sorted_flat("unique", &self.lazy())?;
        if sorted.is_empty() {
            return Ok(sorted);
        }
        let changes = sorted.slice(1..).ne(sorted.slice(..sorted.len() - 1)).collect()?;
        let first = sorted.device().full(1, true)?;
        let nan_again = nan_after_nan(&sorted)?;
        sorted.filter(&concatenate([&first, &changes], 0)? & &nan_again)
    }

    /// For each of `values`, at how many elements of the sorted array it comes after: `np.searchsorted(x, values)`.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the array has more axes or fewer than one, and as for [`collect`](Lazy::collect).
    #[track_caller]
    fn searchsorted(self, values: impl ArrayLike<Item = Self::Item>) -> Result<DeviceArray<usize>>
    where
        Self::Item: Num,
    {
        let (x, values) = (self.lazy(), values.lazy());
        let (shape, of_values) = (x.shape()?, values.shape()?);
        if shape.rank() != 1 {
            return Err(Error::shape_mismatch("search", shape, 0.into(), "the sorted elements have one axis"));
        }
        let (x, values) = (x.stored()?, values.stored()?);
        let (x, values) = (Contiguous::of(&x)?, Contiguous::of(&values)?);
        let (x, values) = (x.slice(), values.slice());
        let mut out = DeviceArray::unspecified(x.device(), of_values)?;
        if !out.is_empty() {
            search_elements(x, values, &mut out).forall(values.len())?;
        }
        Ok(out)
    }

    /// The median of all elements: `np.median(x)`; NaN if one of them is.
    ///
    /// # Errors
    ///
    /// As for [`quantile`](Self::quantile).
    #[track_caller]
    fn median(self) -> Result<Self::Item>
    where
        Self::Item: Float,
    {
        quantile("median", &self.lazy(), 0.5)
    }

    /// The value below which a share `q`, from 0 to 1, of all elements is, interpolated linearly: `np.quantile(x, q)`; NaN if one of the
    /// elements is.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`] of nothing, [`Error::KernelFailed`], and as for [`collect`](Lazy::collect).
    ///
    /// # Panics
    ///
    /// If `q` is not from 0 to 1.
    #[track_caller]
    fn quantile(self, q: f64) -> Result<Self::Item>
    where
        Self::Item: Float,
    {
        assert!((0.0..=1.0).contains(&q), "a quantile is from 0 to 1, not {q}");
        quantile("quantile", &self.lazy(), q)
    }
}

give_to_arrays! { Sorting }

/// Whether each element is one that `unique` may keep: of NaN, which differs from itself, the first.
#[track_caller]
fn nan_after_nan<T: Num>(sorted: &DeviceArray<T>) -> Result<DeviceArray<bool>> {
    let numbers = sorted.eq(sorted).count()?;
    iota(sorted.len()).le(numbers).on(sorted.device()).collect()
}

#[track_caller]
fn quantile<T: Float, E: Expression<Item = T>>(function: &'static str, lazy: &Lazy<E>, q: f64) -> Result<T> {
    let sorted = sorted_flat(function, lazy)?;
    let last = sorted.len().checked_sub(1).ok_or(Error::EmptyReduction { function })?;
    let position = q * last as f64;
    let (low, part) = (position.floor() as usize, T::from_f64(position.fract()));
    let at = |index: usize| -> Result<T> { Ok(sorted.slice(index..=index).to_host()?[0]) };
    let (low, high, highest) = (at(low)?, at((low + 1).min(last))?, at(last)?);
    // NaN is last.
    Ok(if highest.is_nan() { highest } else { low + (high - low) * part })
}

/// All elements in ascending order, along one axis.
#[track_caller]
fn sorted_flat<T: Num, E: Expression<Item = T>>(function: &'static str, elements: &Lazy<E>) -> Result<DeviceArray<T>> {
    let stored = elements.stored()?;
    let flat = Contiguous::of(&stored)?;
    Ok(sorted(function, &lazy(flat.slice()), 0)?.0)
}

/// The elements in ascending order along an axis, and their indices before.
#[track_caller]
fn sorted<T: Num, E: Expression<Item = T>>(
    function: &'static str,
    lazy: &Lazy<E>,
    axis: usize,
) -> Result<(DeviceArray<T>, DeviceArray<usize>)> {
    let shape = lazy.shape()?;
    let last = shape.rank().saturating_sub(1);
    let &len = shape.extents().get(axis).ok_or(Error::AxisOutOfRange { function, axis, shape })?;
    let stored = lazy.stored()?;
    // Rows of the sorted axis, one behind the other.
    let rows = crate::ufunc::lazy(stored.view().swap_axes(axis, last)).collect()?;
    let (keys, order) = if rows.device().is_gpu() { merge(rows, len)? } else { sort_on_cpu(rows, len)? };
    if axis == last {
        return Ok((keys, order));
    }
    Ok((swapped(&keys, axis, last)?, swapped(&order, axis, last)?))
}

#[track_caller]
fn swapped<T: Num>(array: &DeviceArray<T>, a: usize, b: usize) -> Result<DeviceArray<T>> {
    crate::ufunc::lazy(array.view().swap_axes(a, b)).collect()
}

/// Sorts rows of `len` elements by merging, on any device.
#[track_caller]
pub(super) fn merge<T: Num>(mut keys: DeviceArray<T>, len: usize) -> Result<(DeviceArray<T>, DeviceArray<usize>)> {
    let (device, shape, all) = (keys.device().clone(), keys.shape(), keys.len());
    let mut order: DeviceArray<usize> = positions(shape).on(&device).collect()?;
    let (mut next_keys, mut next_order) = (DeviceArray::unspecified(&device, shape)?, DeviceArray::unspecified(&device, shape)?);
    let mut width = 1;
    while width < len && all > 0 {
        // SAFETY: the places of a run, and those of its elements in the merged run, are all different.
        unsafe { merge_runs(&keys, &order, len, width, &mut next_keys, &mut next_order).forall_unchecked(all)? };
        std::mem::swap(&mut keys, &mut next_keys);
        std::mem::swap(&mut order, &mut next_order);
        width *= 2;
    }
    Ok((keys, order))
}

/// The index of each element along the last axis.
fn positions(shape: Shape) -> Lazy<crate::ufunc::IndexInput> {
    Lazy::new(crate::ufunc::IndexInput::along(shape, shape.rank() - 1))
}

/// Rows in host memory.
struct Rows<T> {
    keys: *mut T,
    order: *mut usize,
    len: usize,
}

// SAFETY: every row is used by one task.
unsafe impl<T: Send> Sync for Rows<T> {}

/// Sorts rows of `len` elements.
fn sort_on_cpu<T: Num>(mut keys: DeviceArray<T>, len: usize) -> Result<(DeviceArray<T>, DeviceArray<usize>)> {
    let device = keys.device().clone();
    let count = keys.len().checked_div(len).unwrap_or(0);
    let mut order: DeviceArray<usize> = DeviceArray::unspecified(&device, keys.shape())?;
    let rows = Rows { keys: keys.slice_mut(..).pointer(), order: order.slice_mut(..).pointer(), len };
    let rows = &rows;
    cpu::for_each_range("sort", Work::Fold, count, 1, &|_, range| {
        for row in range {
            // SAFETY: the row is in host memory, and this task alone uses it; the indices have any values, which are valid.
            let (keys, order) = unsafe {
                let first = row * rows.len;
                (
                    std::slice::from_raw_parts_mut(rows.keys.add(first), rows.len),
                    std::slice::from_raw_parts_mut(rows.order.add(first), rows.len),
                )
            };
            let mut pairs: Vec<(T, usize)> = keys.iter().copied().zip(0..).collect();
            pairs.sort_by(|a, b| compare(a.0, b.0));
            for ((key, index), (sorted, at)) in keys.iter_mut().zip(order).zip(pairs) {
                (*key, *index) = (sorted, at);
            }
        }
        Ok(())
    })?;
    Ok((keys, order))
}

fn compare<T: Num>(a: T, b: T) -> Ordering {
    if precedes(a, b) {
        Ordering::Less
    } else if precedes(b, a) {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}
