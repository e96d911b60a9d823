//! Arrays made of others: joined, repeated, shifted.

use std::panic::Location;

use super::array_like::give_to_arrays;
use super::collect::find_device;
use super::rearrange::Rearranged;
use super::{Apply, ArrayLike, ArrayMut, Expression, Lazy};
use crate::functions;
use crate::memory::{DeviceArray, Shape};
use crate::scalar::Num;
use crate::source::Element;
use crate::{Error, Result};

/// The arrays one after the other along `axis`: `np.concatenate(arrays, axis)`. Each is copied, or computed, once.
///
/// # Errors
///
/// [`Error::ShapeMismatch`] if two shapes differ in more than the extent of that axis, [`Error::AxisOutOfRange`], and as for
/// [`Lazy::collect`].
///
/// # Panics
///
/// If there are no arrays.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let (x, y) = (device.to_device(&[1, 2, 3, 4])?.reshape([2, 2])?, device.to_device(&[5, 6])?.reshape([2, 1])?);
/// assert_eq!(concatenate([&x, &y], 1)?.to_host()?, [1, 2, 5, 3, 4, 6]);
/// assert_eq!(concatenate([&x + 10, &x + 20], 0)?.shape(), [4, 2]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[track_caller]
pub fn concatenate<T: Element, A: ArrayLike<Item = T>>(arrays: impl IntoIterator<Item = A>, axis: usize) -> Result<DeviceArray<T>> {
    join("concatenate", arrays.into_iter().map(ArrayLike::lazy).collect(), axis)
}

/// The arrays, of one shape, along a new axis at position `axis`: `np.stack(arrays, axis)`.
///
/// # Errors
///
/// [`Error::ShapeMismatch`] if the shapes differ; [`Error::AxisOutOfRange`] if `axis` is past the end of the axes; and as for [`Lazy::collect`].
///
/// # Panics
///
/// If there are no arrays.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let (x, y) = (device.to_device(&[1, 2, 3])?, device.to_device(&[4, 5, 6])?);
/// assert_eq!(stack([&x, &y], 0)?.shape(), [2, 3]);
/// assert_eq!(stack([&x, &y], 1)?.to_host()?, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[track_caller]
pub fn stack<T: Element, A: ArrayLike<Item = T>>(arrays: impl IntoIterator<Item = A>, axis: usize) -> Result<DeviceArray<T>> {
    let lazies: Vec<_> = arrays.into_iter().map(ArrayLike::lazy).collect();
    let shapes = shapes_of(&lazies)?;
    if let Some(&other) = shapes.iter().find(|&shape| *shape != shapes[0]) {
        return Err(Error::shape_mismatch("stack", shapes[0], other, "all arrays have the same shape"));
    }
    if let Some(&shape) = shapes.first()
        && axis > shape.rank()
    {
        return Err(Error::AxisOutOfRange { function: "stack", axis, shape, location: Location::caller() });
    }
    let mut rows = Vec::with_capacity(lazies.len());
    for lazy in lazies {
        rows.push(lazy.insert_axis(axis));
    }
    join("stack", rows, axis)
}

#[track_caller]
fn join<T: Element, E: Expression<Item = T>>(function: &'static str, arrays: Vec<Lazy<E>>, axis: usize) -> Result<DeviceArray<T>> {
    let shapes = shapes_of(&arrays)?;
    let shape = joined_shape(function, &shapes, axis)?;
    // Arrays of the host go where the others are.
    let placed = arrays.iter().find(|array| array.inputs().devices().next().is_some());
    let mut result = DeviceArray::unspecified(&find_device(function, &placed.unwrap_or(&arrays[0]).inputs(), Location::caller())?, shape)?;
    let mut start = 0;
    for (array, shape) in arrays.into_iter().zip(shapes) {
        let end = start + shape.extents()[axis];
        array.collect_into(result.view_mut().slice_axis(axis, start..end))?;
        start = end;
    }
    Ok(result)
}

/// Their shapes. A loop, because closures do not know the line of the caller.
#[track_caller]
fn shapes_of<E: Expression>(arrays: &[Lazy<E>]) -> Result<Vec<Shape>> {
    let mut shapes = Vec::with_capacity(arrays.len());
    for array in arrays {
        shapes.push(array.shape()?);
    }
    Ok(shapes)
}

#[track_caller]
fn joined_shape(function: &'static str, shapes: &[Shape], axis: usize) -> Result<Shape> {
    let Some(&first) = shapes.first() else { panic!("`{function}` needs at least one array") };
    if axis >= first.rank() {
        return Err(Error::AxisOutOfRange { function, axis, shape: first, location: Location::caller() });
    }
    let mut extents = first.extents().to_vec();
    for &shape in &shapes[1..] {
        extents[axis] = shape.extents().get(axis).copied().unwrap_or(0);
        if shape.extents() != extents {
            let help = format!("all extents but those of axis {axis} must be equal");
            return Err(Error::shape_mismatch(function, first, shape, help));
        }
    }
    extents[axis] = shapes.iter().fold(0, |sum, shape| sum.saturating_add(shape.extents()[axis]));
    Ok(Shape::from_extents(&extents).expect("it has as many axes as the first"))
}

/// Arrays with the elements of another at other places, repeated or shifted. All but [`diff`](Self::diff) return a new array.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[1, 4, 9])?;
/// assert_eq!(x.repeat_axis(0, 2)?.to_host()?, [1, 1, 4, 4, 9, 9]);
/// assert_eq!(x.tile_axis(0, 2)?.to_host()?, [1, 4, 9, 1, 4, 9]);
/// assert_eq!(x.roll_axis(0, 1)?.to_host()?, [9, 1, 4]);
/// assert_eq!(x.pad_axis(0, 1, 2, 0)?.to_host()?, [0, 1, 4, 9, 0, 0]);
/// assert_eq!(x.diff(0).to_host()?, [3, 5]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub trait Arrangements: ArrayLike {
    /// Each element `times` times, one after the other, along `axis`: `np.repeat(x, times, axis)`.
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`], and as for [`Lazy::collect`].
    #[track_caller]
    fn repeat_axis(self, axis: usize, times: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        repeat("repeat", self.lazy(), axis, axis + 1, times)
    }

    /// The whole array `times` times, one after the other, along `axis`: `np.tile(x, times)` for the last axis.
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`], and as for [`Lazy::collect`].
    #[track_caller]
    fn tile_axis(self, axis: usize, times: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        repeat("tile", self.lazy(), axis, axis, times)
    }

    /// With `before` and `after` more elements along `axis`, each `value`: `np.pad(x, [(before, after)], constant_values=value)` of one axis.
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`], and as for [`Lazy::collect`].
    #[track_caller]
    fn pad_axis(self, axis: usize, before: usize, after: usize, value: Self::Item) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        let lazy = self.lazy();
        let shape = lazy.shape()?;
        let len = extent("pad", shape, axis)?;
        let mut extents = shape.extents().to_vec();
        extents[axis] = len.saturating_add(before).saturating_add(after);
        let padded = Shape::from_extents(&extents).expect("it has as many axes");
        let mut result = DeviceArray::unspecified(&find_device("pad", &lazy.inputs(), Location::caller())?, padded)?;
        result.view_mut().slice_axis(axis, ..before).fill(value)?;
        result.view_mut().slice_axis(axis, before + len..).fill(value)?;
        lazy.collect_into(result.view_mut().slice_axis(axis, before..before + len))?;
        Ok(result)
    }

    /// Every element `shift` indices further along `axis`, and those that fall off the end at the start: `np.roll(x, shift, axis)`.
    /// A negative `shift` moves them backwards.
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`], and as for [`Lazy::collect`].
    #[track_caller]
    fn roll_axis(self, axis: usize, shift: isize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        let lazy = self.lazy();
        let extent = extent("roll", lazy.shape()?, axis)?;
        let start = if extent == 0 { 0 } else { shift.rem_euclid(extent as isize) as usize };
        let (head, tail) = (lazy.clone().slice_axis(axis, extent - start..), lazy.slice_axis(axis, ..extent - start));
        join("roll", vec![head, tail], axis)
    }

    /// The difference of each element and the one before it along `axis`: `np.diff(x, axis=axis)`. It is lazy.
    ///
    /// # Panics
    ///
    /// If there is no such axis.
    #[track_caller]
    #[allow(clippy::type_complexity, reason = "the type is the expression")]
    fn diff(
        self,
        axis: usize,
    ) -> Lazy<Apply<functions::sub::Function<Self::Item>, (Rearranged<Self::Expression>, Rearranged<Self::Expression>)>>
    where
        Self::Item: Num,
    {
        let lazy = self.lazy();
        let len = lazy.shape().map_or(1, |shape| shape.extents().get(axis).copied().unwrap_or(1));
        functions::sub::map(lazy.clone().slice_axis(axis, 1.min(len)..), lazy.slice_axis(axis, ..len.saturating_sub(1)))
    }
}

give_to_arrays! { Arrangements }

/// The elements `times` times along a new axis at `inserted`, which is then one with `axis`.
#[track_caller]
fn repeat<T: Element, E: Expression<Item = T>>(
    function: &'static str,
    lazy: Lazy<E>,
    axis: usize,
    inserted: usize,
    times: usize,
) -> Result<DeviceArray<T>> {
    let shape = lazy.shape()?;
    let len = extent(function, shape, axis)?.saturating_mul(times);
    let mut extents = shape.extents().to_vec();
    extents.insert(inserted, times);
    let repeated =
        Shape::from_extents(&extents).ok_or(Error::ResultTooManyAxes { function, rank: extents.len(), location: Location::caller() })?;
    let array: DeviceArray<T> = lazy.insert_axis(inserted).broadcast_to(repeated)?.collect()?;
    let mut extents = shape.extents().to_vec();
    extents[axis] = len;
    array.reshape(Shape::from_extents(&extents).expect("it has as many axes"))
}

#[track_caller]
fn extent(function: &'static str, shape: Shape, axis: usize) -> Result<usize> {
    shape.extents().get(axis).copied().ok_or(Error::AxisOutOfRange { function, axis, shape, location: Location::caller() })
}
