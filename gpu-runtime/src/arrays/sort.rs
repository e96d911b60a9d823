//! Sorting, and what sorted elements make easy.
//!
//! On a GPU, one row is sorted by the digits of its elements: see [`radix`](super::radix). Where there are several rows, runs of sorted
//! elements are merged in pairs, until a run is a whole row. Each element finds its place by itself: its place in its own run, and by binary
//! search how many elements of the other run come before it. That is stable, needs no shared memory, and takes log₂ n launches. The CPU
//! sorts rows on all cores: see [`merge_sort`].

use std::any::TypeId;

use super::codes::{same_type, sort_by_codes};
use super::keys::key;
use super::merge_sort;
use super::quantiles::{quantile, quantiles};
use super::radix::Carried;
use super::search::searched;
use super::words::{Words, as_words};
use super::{Contiguous, by_kernels, collected};
use crate::backend::{Access, cpu};
use crate::failure::Work;
use crate::intrinsics::grid_1d;
use crate::memory::{Axis, DeviceArray, DeviceSlice, Shape};
use crate::ops::arithmetic::sealed::Sealed;
use crate::scalar::{Float, Num};
use crate::source::Element;
use crate::ufunc::{ArrayLike, Axes, Elementwise, Expression, Lazy, Reductions, concatenate, give_to_arrays, iota, lazy};
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

/// An element that can be sorted: a number, or a `bool`, of which `false` comes first.
#[diagnostic::on_unimplemented(message = "`{Self}` cannot be sorted", label = "not a number or a `bool`")]
pub trait SortElement: Element + Sealed {
    /// The numbers that are sorted instead.
    #[doc(hidden)]
    type Key: Num;

    #[doc(hidden)]
    fn keys(elements: DeviceArray<Self>) -> Result<DeviceArray<Self::Key>>;

    #[doc(hidden)]
    fn elements(keys: DeviceArray<Self::Key>) -> Result<DeviceArray<Self>>;
}

impl<T: Num> SortElement for T {
    type Key = T;

    fn keys(elements: DeviceArray<T>) -> Result<DeviceArray<T>> {
        Ok(elements)
    }

    fn elements(keys: DeviceArray<T>) -> Result<DeviceArray<T>> {
        Ok(keys)
    }
}

impl SortElement for bool {
    type Key = u8;

    #[inline]
    fn keys(elements: DeviceArray<bool>) -> Result<DeviceArray<u8>> {
        elements.select(1, 0).collect()
    }

    #[inline]
    fn elements(keys: DeviceArray<u8>) -> Result<DeviceArray<bool>> {
        keys.ne(0).collect()
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
    fn sort(self /* along axes: `x.sort_axis(0)?` */) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: SortElement,
    {
        let lazy = self.lazy();
        let last = lazy.shape()?.rank().saturating_sub(1);
        Ok(sorted("sort", &lazy, last, Wanted::Elements)?.0)
    }

    /// The elements in ascending order along `axis`: `np.sort(x, axis)`.
    ///
    /// # Errors
    ///
    /// As for [`sort`](Self::sort).
    #[track_caller]
    fn sort_axis(self, axis: impl Axis) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: SortElement,
    {
        Ok(sorted("sort", &self.lazy(), axis, Wanted::Elements)?.0)
    }

    /// The indices along the last axis that would sort it: `np.argsort(x, stable=True)`.
    ///
    /// # Errors
    ///
    /// As for [`sort`](Self::sort).
    #[track_caller]
    fn argsort(self /* along axes: `x.argsort_axis(0)?` */) -> Result<DeviceArray<usize>>
    where
        Self::Item: SortElement,
    {
        let lazy = self.lazy();
        let last = lazy.shape()?.rank().saturating_sub(1);
        Ok(sorted("argsort", &lazy, last, Wanted::Indices)?.1)
    }

    /// The indices along `axis` that would sort it: `np.argsort(x, axis, stable=True)`.
    ///
    /// # Errors
    ///
    /// As for [`sort`](Self::sort).
    #[track_caller]
    fn argsort_axis(self, axis: impl Axis) -> Result<DeviceArray<usize>>
    where
        Self::Item: SortElement,
    {
        Ok(sorted("argsort", &self.lazy(), axis, Wanted::Indices)?.1)
    }

    /// The elements of an array with one axis in ascending order, and `values` in the same order: `x[o], values[o]` where `o` is
    /// `np.argsort(x, stable=True)`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (ages, heights) = (device.to_device(&[31, 4, 27])?, device.to_device(&[1.9, 1.1, 1.7])?);
    /// let (ages, heights) = ages.sort_with(&heights)?;
    /// assert_eq!((ages.to_host()?, heights.to_host()?), (vec![4, 27, 31], vec![1.1, 1.7, 1.9]));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the shapes differ or have more axes or fewer than one, and as for [`collect`](Lazy::collect).
    #[track_caller]
    fn sort_with<V: Num>(self, values: impl ArrayLike<Item = V>) -> Result<(DeviceArray<Self::Item>, DeviceArray<V>)>
    where
        Self::Item: Num,
    {
        let (keys, values) = (self.lazy(), values.lazy());
        let (shape, of_values) = (keys.shape()?, values.shape()?);
        if shape != of_values || shape.rank() != 1 {
            return Err(Error::shape_mismatch("sort_with", shape, of_values, "keys and values have one axis, of the same length"));
        }
        let (keys, values) = (keys.stored_with(&values)?, values.stored_with(&keys)?);
        sorted_with(Contiguous::of(&keys)?.slice(), Contiguous::of(&values)?.slice())
    }

    /// The `count` largest of all elements, the largest first, and their indices in C order: `jax.lax.top_k(x, count)` of one axis. NaN counts
    /// as larger than any number. Of equal elements, those with smaller indices come first.
    ///
    /// # Errors
    ///
    /// As for [`sort`](Self::sort).
    ///
    /// # Panics
    ///
    /// If there are fewer than `count` elements.
    #[track_caller]
    fn top_k(self, count: usize) -> Result<(DeviceArray<Self::Item>, DeviceArray<usize>)>
    where
        Self::Item: Num,
    {
        let lazy = self.lazy();
        let stored = lazy.stored()?;
        let flat = Contiguous::of(&stored)?;
        let flat = flat.slice();
        assert!(count <= flat.len(), "`top_k({count})` of an array with {} elements", flat.len());
        // Backwards, so that the first of equal elements is the last in ascending order.
        let order = flat.view().reverse_axis(0).argsort()?;
        let last = order.slice(order.len() - count..).view().reverse_axis(0);
        let indices = collected(crate::functions::sub::map(flat.len().wrapping_sub(1), last))?;
        Ok((flat.take(&indices)?, indices))
    }

    /// The `count` largest elements along `axis`, the largest first, and their indices along it: `jax.lax.top_k` of rows, or of columns. NaN
    /// and equal elements are as for [`top_k`](Self::top_k).
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let distances = Device::cpu().to_device(&[3.0, 1.0, 2.0, 0.5, 4.0, 6.0])?.reshape([2, 3])?;
    /// let (nearest, indices) = (-&distances).top_k_axis(2, 1)?;
    /// assert_eq!(indices.to_host()?, [1, 2, 0, 1]);
    /// assert_eq!(nearest.to_host()?, [-1.0, -2.0, -0.5, -4.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`sort_axis`](Self::sort_axis).
    ///
    /// # Panics
    ///
    /// If there are fewer than `count` elements along the axis.
    #[track_caller]
    fn top_k_axis(self, count: usize, axis: impl Axis) -> Result<(DeviceArray<Self::Item>, DeviceArray<usize>)>
    where
        Self::Item: SortElement,
    {
        let lazy = self.lazy();
        let stored = lazy.stored()?;
        let (view, shape) = (stored.view(), stored.view().shape());
        let axis = axis.checked("top_k", shape)?;
        let len = shape[axis];
        assert!(count <= len, "`top_k_axis({count}, {axis})` of an array with {len} elements along this axis");
        // Backwards, so that the first of equal elements is the last in ascending order.
        let (elements, order) = sorted("top_k", &crate::ufunc::lazy(view.reverse_axis(axis)), axis, Wanted::Indices)?;
        let elements = elements.view().slice_axis(axis, len - count..).reverse_axis(axis);
        let order = order.view().slice_axis(axis, len - count..).reverse_axis(axis);
        let indices = collected(crate::functions::sub::map(len.wrapping_sub(1), order))?;
        Ok((collected(crate::ufunc::lazy(elements))?, indices))
    }

    /// The distinct elements in ascending order: `np.unique(x)`. Waits for the device, which counts them.
    ///
    /// # Errors
    ///
    /// As for [`filter`](Selections::filter).
    #[track_caller]
    fn unique(self) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: SortElement,
    {
        let lazy = self.lazy();
        let stored = lazy.stored()?;
        let flat = Contiguous::of(&stored)?;
        let keys = Self::Item::keys(collected(crate::ufunc::lazy(flat.slice()))?)?;
        Self::Item::elements(distinct(sorted_rows(keys, Wanted::Elements)?.0)?)
    }

    /// For each of `values`, how many elements of the sorted array come before it: `np.searchsorted(x, values)`.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the array has more axes or fewer than one, and as for [`collect`](Lazy::collect).
    #[track_caller]
    fn searchsorted(self, values: impl ArrayLike<Item = Self::Item>) -> Result<DeviceArray<usize>>
    where
        Self::Item: Num,
    {
        searched::<_, _, _, false>("searchsorted", &self.lazy(), &values.lazy())
    }

    /// The same with the elements that are equal: `np.searchsorted(x, values, 'right')`, `np.digitize(values, x)`.
    ///
    /// # Errors
    ///
    /// As for [`searchsorted`](Self::searchsorted).
    #[track_caller]
    fn searchsorted_right(self, values: impl ArrayLike<Item = Self::Item>) -> Result<DeviceArray<usize>>
    where
        Self::Item: Num,
    {
        searched::<_, _, _, true>("searchsorted_right", &self.lazy(), &values.lazy())
    }

    /// The median of all elements: `np.median(x)`; NaN if one of them is.
    ///
    /// # Errors
    ///
    /// As for [`quantile`](Self::quantile).
    #[track_caller]
    fn median(self /* along axes: `x.median_axis(0)?` */) -> Result<Self::Item>
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
    fn quantile(self, q: f64 /* along axes: `x.quantile_axis(0, 0.5)?` */) -> Result<Self::Item>
    where
        Self::Item: Float,
    {
        quantile("quantile", &self.lazy(), q)
    }

    /// The medians along axes: `np.median(x, axis)`.
    ///
    /// # Errors
    ///
    /// As for [`quantile_axis`](Self::quantile_axis).
    #[track_caller]
    fn median_axis(self, axes: impl Into<Axes>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float,
    {
        quantiles("median", &self.lazy(), axes.into(), 0.5)
    }

    /// The [quantiles](Self::quantile) along axes: `np.quantile(x, q, axis)`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[5.0, 1.0, 2.0, 9.0, 7.0, 8.0])?.reshape([2, 3])?;
    /// assert_eq!(x.median_axis(1)?.to_host()?, [2.0, 8.0]);
    /// assert_eq!(x.quantile_axis(keep_dims(0), 0.75)?.to_host()?, [8.0, 5.5, 6.5]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`] of axes without elements, [`Error::AxisOutOfRange`], [`Error::RepeatedAxis`], and as for
    /// [`collect`](Lazy::collect).
    ///
    /// # Panics
    ///
    /// If `q` is not from 0 to 1.
    #[track_caller]
    fn quantile_axis(self, axes: impl Into<Axes>, q: f64) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float,
    {
        quantiles("quantile", &self.lazy(), axes.into(), q)
    }
}

give_to_arrays! { Sorting }

/// Whether each element is one that `unique` may keep: of NaN, which differs from itself, the first.
#[track_caller]
fn nan_after_nan<T: Num>(sorted: &DeviceArray<T>) -> Result<DeviceArray<bool>> {
    let numbers = sorted.eq(sorted).count()?;
    iota(sorted.len()).le(numbers).on(sorted.device()).collect()
}

/// The different ones of elements in ascending order.
#[track_caller]
fn distinct<T: Num>(sorted: DeviceArray<T>) -> Result<DeviceArray<T>> {
    if sorted.is_empty() {
        return Ok(sorted);
    }
    let changes = sorted.slice(1..).ne(sorted.slice(..sorted.len() - 1)).collect()?;
    let first = sorted.device().full(1, true)?;
    let nan_again = nan_after_nan(&sorted)?;
    sorted.filter(&concatenate([&first, &changes], 0)? & &nan_again)
}

/// What is asked of a sort.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Elements,
    /// The elements, too.
    Indices,
}

/// The elements in ascending order along an axis, and their indices before if they are wanted, or an empty array.
#[track_caller]
pub(super) fn sorted<T: SortElement, E: Expression<Item = T>>(
    function: &'static str,
    lazy: &Lazy<E>,
    axis: impl Axis,
    wanted: Wanted,
) -> Result<(DeviceArray<T>, DeviceArray<usize>)> {
    let shape = lazy.shape()?;
    let last = shape.rank().saturating_sub(1);
    let axis = axis.checked(function, shape)?;
    let stored = lazy.stored()?;
    // Rows of the sorted axis, one after the other.
    let rows = crate::ufunc::lazy(stored.view().swap_axes(axis, last)).collect()?;
    let (keys, order) = sorted_rows(T::keys(rows)?, wanted)?;
    let elements = T::elements(keys)?;
    if axis == last {
        return Ok((elements, order));
    }
    let order = if wanted == Wanted::Indices { swapped(&order, axis, last)? } else { order };
    Ok((swapped(&elements, axis, last)?, order))
}

/// The same for the elements of an array along the last axis.
#[track_caller]
pub(super) fn sorted_rows<T: Num>(rows: DeviceArray<T>, wanted: Wanted) -> Result<(DeviceArray<T>, DeviceArray<usize>)> {
    let shape = rows.shape();
    let len = *shape.extents().last().expect("an axis");
    if rows.len() == len && by_kernels(rows.device()) {
        let keys = rows.slice(..);
        let carried = if wanted == Wanted::Indices { Carried::Indices } else { Carried::Nothing };
        if let Some(sorted) = sort_by_codes(keys, carried) {
            let (keys, order) = sorted?;
            let order = match order {
                Some(order) => order.cast::<usize>().collect()?.reshape(shape)?,
                None => keys.device().zeros(0)?,
            };
            return Ok((keys.reshape(shape)?, order));
        }
    }
    if by_kernels(rows.device()) { merge(rows, len) } else { sort_on_cpu(rows, len, wanted) }
}

/// Both arrays in the order in which `keys` ascends.
#[track_caller]
fn sorted_with<T: Num, V: Num>(keys: DeviceSlice<'_, T>, values: DeviceSlice<'_, V>) -> Result<(DeviceArray<T>, DeviceArray<V>)> {
    let len = keys.len();
    if by_kernels(keys.device()) {
        // Values of 32 bits go with their keys; others are taken in the end.
        if let Words::Bits32(words) = as_words(values)
            && let Some(sorted) = sort_by_codes(keys, Carried::Values(words))
        {
            let (keys, order) = sorted?;
            let order = order.expect("there were values to sort");
            if TypeId::of::<V>() == TypeId::of::<u32>() {
                return Ok((keys, same_type(order)));
            }
            // SAFETY: they are the values, which are of this type.
            let values = unsafe { order.slice(..).cast::<V>(len) };
            return Ok((keys, lazy(values).collect()?));
        }
        if let Some(sorted) = sort_by_codes(keys, Carried::Indices) {
            let (keys, order) = sorted?;
            return Ok((keys, values.take(&order.expect("indices go with the keys"))?));
        }
    }
    let keys = collected(lazy(keys))?;
    let (keys, order) = if by_kernels(keys.device()) { merge(keys, len)? } else { sort_on_cpu(keys, len, Wanted::Indices)? };
    Ok((keys, values.take(&order)?))
}

#[track_caller]
fn swapped<T: Element>(array: &DeviceArray<T>, a: usize, b: usize) -> Result<DeviceArray<T>> {
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
    /// Of nothing if the indices are not wanted.
    order: *mut usize,
    len: usize,
}

// SAFETY: every row is used by one task.
unsafe impl<T: Send> Sync for Rows<T> {}

/// Sorts rows of `len` elements. There are indices only if they are wanted.
fn sort_on_cpu<T: Num>(mut keys: DeviceArray<T>, len: usize, wanted: Wanted) -> Result<(DeviceArray<T>, DeviceArray<usize>)> {
    let device = keys.device().clone();
    let count = keys.len().checked_div(len).unwrap_or(0);
    let with_indices = wanted == Wanted::Indices;
    let mut order: DeviceArray<usize> = DeviceArray::unspecified(&device, if with_indices { keys.shape() } else { 0.into() })?;
    let (of_keys, of_order) = (keys.slice_mut(..), order.slice_mut(..));
    let rows = Rows { keys: of_keys.pointer(), order: of_order.pointer(), len };
    let rows = &rows;
    let run = |_: &cpu::Thread<'_>, range: std::ops::Range<usize>| {
        for row in range {
            // SAFETY: the keys are in host memory, and this task alone uses the row.
            let keys = unsafe { std::slice::from_raw_parts_mut(rows.keys.add(row * rows.len), rows.len) };
            if !with_indices {
                merge_sort::sort(keys, size_of::<T>(), &|&x| key(x));
                continue;
            }
            // SAFETY: as above; the indices are wanted, and have any values, which are valid.
            let order = unsafe { std::slice::from_raw_parts_mut(rows.order.add(row * rows.len), rows.len) };
            match u32::try_from(rows.len) {
                Ok(_) => sort_pairs(keys, order, |index| index as u32, |index| index as usize),
                Err(_) => sort_pairs(keys, order, |index| index, |index| index),
            }
        }
        Ok(())
    };
    let uses = [of_keys.memory_use(Access::Write), of_order.memory_use(Access::Write)];
    device.queue().ordered(&uses, || Ok(cpu::for_each_range("sort", Work::Fold, count, 1, &run)?))?;
    Ok((keys, order))
}

/// Sorts keys, and stores their indices before in `order`; meanwhile they have the type `I`.
fn sort_pairs<T: Num, I: Copy + Send + Sync>(keys: &mut [T], order: &mut [usize], narrow: impl Fn(usize) -> I, wide: impl Fn(I) -> usize) {
    let mut pairs: Vec<(T, I)> = keys.iter().copied().zip((0..).map(narrow)).collect();
    merge_sort::sort(&mut pairs, size_of::<T>(), &|pair| key(pair.0));
    for ((key, index), (sorted, at)) in keys.iter_mut().zip(order).zip(pairs) {
        (*key, *index) = (sorted, wide(at));
    }
}
