//! Arrays made of others: joined, repeated, shifted.

use std::panic::Location;

use super::array_like::give_to_arrays;
use super::collect::find_device;
use super::rearrange::Rearranged;
use super::{Apply, ArrayLike, ArrayMut, Expression, Lazy};
use crate::device::Device;
use crate::functions;
use crate::memory::{Axis, DeviceArray, Shape};
use crate::scalar::Num;
use crate::source::Element;
use crate::{Error, Result};

/// Arrays to be joined: a list of arrays of one type, or a tuple of two to four arrays, views and lazy arrays whose elements have one type.
///
/// `Kind` says which; it is inferred.
#[diagnostic::on_unimplemented(
    message = "arrays are joined as a list or a tuple of references to arrays, views and lazy arrays, not as `{Self}`",
    label = "not a list or a tuple of such arrays",
    note = "write `concatenate([&x, &y], 0)`, or `concatenate((&x, &y + 1.0), 0)` for two to four of different types",
    note = "their elements have one type: convert others by `x.cast::<f32>()`"
)]
pub trait Parts<Kind> {
    /// The elements.
    type Item: Element;
    #[doc(hidden)]
    type Lazies: Lazies<Item = Self::Item>;

    #[doc(hidden)]
    fn lazies(self) -> Self::Lazies;
}

/// The kind of [`Parts`] that are a list: what can be iterated over, such as `[&x, &y]` and vectors.
#[derive(Debug)]
pub struct List;

/// The kind of [`Parts`] that are a tuple, such as `(&x, &y + 1.0)`.
#[derive(Debug)]
pub struct Tuple;

impl<I: IntoIterator<Item: ArrayLike<Item: Element>>> Parts<List> for I {
    type Item = <I::Item as ArrayLike>::Item;
    type Lazies = Vec<Lazy<<I::Item as ArrayLike>::Expression>>;

    fn lazies(self) -> Self::Lazies {
        self.into_iter().map(ArrayLike::lazy).collect()
    }
}

/// The lazy arrays of [`Parts`].
#[doc(hidden)]
pub trait Lazies: Sized {
    type Item: Element;
    /// The same with one more axis.
    type WithAxis: Lazies<Item = Self::Item>;

    #[track_caller]
    fn shapes(&self) -> Result<Vec<Shape>>;

    /// The device of the first that is on one: arrays of the host go where the others are.
    #[track_caller]
    fn device(&self, function: &'static str) -> Result<Device>;

    /// Stores each in its part of the result along `axis`.
    #[track_caller]
    fn store(self, shapes: &[Shape], axis: usize, result: &mut DeviceArray<Self::Item>) -> Result<()>;

    fn insert_axis(self, axis: usize) -> Self::WithAxis;
}

impl<T: Element, E: Expression<Item = T>> Lazies for Vec<Lazy<E>> {
    type Item = T;
    type WithAxis = Vec<Lazy<Rearranged<E>>>;

    /// A loop, because closures do not know the line of the caller.
    #[track_caller]
    fn shapes(&self) -> Result<Vec<Shape>> {
        let mut shapes = Vec::with_capacity(self.len());
        for array in self {
            shapes.push(array.shape()?);
        }
        Ok(shapes)
    }

    #[track_caller]
    fn device(&self, function: &'static str) -> Result<Device> {
        let placed = self.iter().find(|array| array.inputs().devices().next().is_some());
        find_device(function, &placed.unwrap_or(&self[0]).inputs(), Location::caller())
    }

    #[track_caller]
    fn store(self, shapes: &[Shape], axis: usize, result: &mut DeviceArray<T>) -> Result<()> {
        let mut start = 0;
        for (array, shape) in self.into_iter().zip(shapes) {
            let end = start + shape.extents()[axis];
            array.collect_into(result.view_mut().slice_axis(axis, start..end))?;
            start = end;
        }
        Ok(())
    }

    fn insert_axis(self, axis: usize) -> Self::WithAxis {
        self.into_iter().map(|array| array.insert_axis(axis)).collect()
    }
}

macro_rules! tuples {
    ($($E:ident $array:ident),*) => {
        impl<T: Element, $($E: ArrayLike<Item = T>),*> Parts<Tuple> for ($($E,)*) {
            type Item = T;
            type Lazies = ($(Lazy<$E::Expression>,)*);

            fn lazies(self) -> Self::Lazies {
                let ($($array,)*) = self;
                ($($array.lazy(),)*)
            }
        }

        impl<T: Element, $($E: Expression<Item = T>),*> Lazies for ($(Lazy<$E>,)*) {
            type Item = T;
            type WithAxis = ($(Lazy<Rearranged<$E>>,)*);

            #[track_caller]
            fn shapes(&self) -> Result<Vec<Shape>> {
                let ($($array,)*) = self;
                Ok(vec![$($array.shape()?),*])
            }

            #[track_caller]
            fn device(&self, function: &'static str) -> Result<Device> {
                let ($($array,)*) = self;
                $(
                    let inputs = $array.inputs();
                    if inputs.devices().next().is_some() {
                        return find_device(function, &inputs, Location::caller());
                    }
                )*
                find_device(function, &self.0.inputs(), Location::caller())
            }

            #[track_caller]
            fn store(self, shapes: &[Shape], axis: usize, result: &mut DeviceArray<T>) -> Result<()> {
                let ($($array,)*) = self;
                let (mut start, mut shapes) = (0, shapes.iter());
                $(
                    let end = start + shapes.next().map_or(0, |shape| shape.extents()[axis]);
                    $array.collect_into(result.view_mut().slice_axis(axis, start..end))?;
                    start = end;
                )*
                debug_assert_eq!(start, result.shape().extents()[axis], "the parts fill the result");
                Ok(())
            }

            fn insert_axis(self, axis: usize) -> Self::WithAxis {
                let ($($array,)*) = self;
                ($($array.insert_axis(axis),)*)
            }
        }
    };
}

tuples! { A a, B b }
tuples! { A a, B b, C c }
tuples! { A a, B b, C c, D d }

/// The arrays one after the other along `axis`: `np.concatenate(arrays, axis)`. Each is copied, or computed, once. Arrays, views and lazy arrays
/// together are a tuple.
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
/// assert_eq!(concatenate((&x, &y + 10, x.rows(..).slice_axis(1, ..1)), 1)?.to_host()?, [1, 2, 15, 1, 3, 4, 16, 3]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[track_caller]
pub fn concatenate<Kind, P: Parts<Kind>>(arrays: P, axis: impl Axis) -> Result<DeviceArray<P::Item>> {
    join("concatenate", arrays.lazies(), axis)
}

/// The arrays, of one shape, along a new axis at position `axis`: `np.stack(arrays, axis)`. Arrays, views and lazy arrays together are a tuple.
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
/// assert_eq!(stack((&x, -&y), 1)?.to_host()?, [1, -4, 2, -5, 3, -6]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[track_caller]
pub fn stack<Kind, P: Parts<Kind>>(arrays: P, axis: impl Axis) -> Result<DeviceArray<P::Item>> {
    let lazies = arrays.lazies();
    let shapes = lazies.shapes()?;
    let shape = first_of("stack", &shapes);
    if let Some(&other) = shapes.iter().find(|&other| *other != shape) {
        return Err(Error::shape_mismatch("stack", shape, other, "all arrays have the same shape"));
    }
    let axis = axis.of(shape.rank() + 1);
    if axis > shape.rank() {
        return Err(Error::AxisOutOfRange { function: "stack", axis: axis.cast_signed(), shape, location: Location::caller() });
    }
    join("stack", lazies.insert_axis(axis), axis)
}

#[track_caller]
fn join<A: Lazies>(function: &'static str, arrays: A, axis: impl Axis) -> Result<DeviceArray<A::Item>> {
    let shapes = arrays.shapes()?;
    let axis = axis.checked(function, first_of(function, &shapes))?;
    let shape = joined_shape(function, &shapes, axis)?;
    let mut result = DeviceArray::unspecified(&arrays.device(function)?, shape)?;
    arrays.store(&shapes, axis, &mut result)?;
    Ok(result)
}

#[track_caller]
fn first_of(function: &'static str, shapes: &[Shape]) -> Shape {
    *shapes.first().unwrap_or_else(|| panic!("`{function}` needs at least one array"))
}

#[track_caller]
fn joined_shape(function: &'static str, shapes: &[Shape], axis: usize) -> Result<Shape> {
    let first = shapes[0];
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
    fn repeat_axis(self, axis: impl Axis, times: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        repeat("repeat", self.lazy(), axis, 1, times)
    }

    /// The whole array `times` times, one after the other, along `axis`: `np.tile(x, times)` for the last axis.
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`], and as for [`Lazy::collect`].
    #[track_caller]
    fn tile_axis(self, axis: impl Axis, times: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        repeat("tile", self.lazy(), axis, 0, times)
    }

    /// With `before` and `after` more elements along `axis`, each `value`: `np.pad(x, [(before, after)], constant_values=value)` of one axis.
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`], and as for [`Lazy::collect`].
    #[track_caller]
    fn pad_axis(self, axis: impl Axis, before: usize, after: usize, value: Self::Item) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        let lazy = self.lazy();
        let shape = lazy.shape()?;
        let axis = axis.checked("pad", shape)?;
        let len = shape[axis];
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
    fn roll_axis(self, axis: impl Axis, shift: isize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        let lazy = self.lazy();
        let shape = lazy.shape()?;
        let axis = axis.checked("roll", shape)?;
        let extent = shape[axis];
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
        axis: impl Axis,
    ) -> Lazy<Apply<functions::sub::Function<Self::Item>, (Rearranged<Self::Expression>, Rearranged<Self::Expression>)>>
    where
        Self::Item: Num,
    {
        let lazy = self.lazy();
        let axis = axis.of(lazy.rank());
        let len = lazy.shape().map_or(1, |shape| shape.extents().get(axis).copied().unwrap_or(1));
        functions::sub::map(lazy.clone().slice_axis(axis, 1.min(len)..), lazy.slice_axis(axis, ..len.saturating_sub(1)))
    }
}

give_to_arrays! { Arrangements }

/// The elements `times` times along a new axis in front of `axis`, or behind it, which is then one with it.
#[track_caller]
fn repeat<T: Element, E: Expression<Item = T>>(
    function: &'static str,
    lazy: Lazy<E>,
    axis: impl Axis,
    behind: usize,
    times: usize,
) -> Result<DeviceArray<T>> {
    let shape = lazy.shape()?;
    let axis = axis.checked(function, shape)?;
    let (len, inserted) = (shape[axis].saturating_mul(times), axis + behind);
    let mut extents = shape.extents().to_vec();
    extents.insert(inserted, times);
    let repeated =
        Shape::from_extents(&extents).ok_or(Error::ResultTooManyAxes { function, rank: extents.len(), location: Location::caller() })?;
    let array: DeviceArray<T> = lazy.insert_axis(inserted).broadcast_to(repeated)?.collect()?;
    let mut extents = shape.extents().to_vec();
    extents[axis] = len;
    array.reshape(Shape::from_extents(&extents).expect("it has as many axes"))
}
