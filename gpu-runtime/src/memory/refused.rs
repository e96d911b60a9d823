//! Arguments that no kernel takes, and what the host cannot do with arrays of a device, each with what to write instead.
//!
//! Each is an implementation under a condition that nothing meets, so that rustc reports the condition, and in our words. It is a condition
//! of another type, because rustc reports one of the argument itself as if it were not there.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use super::{
    DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut, IntoDeviceSlice, IntoDeviceSliceMut, IntoView, IntoViewMut,
};
use crate::source::DeviceType;

/// Elements on the host.
#[derive(Debug)]
pub struct HostMemory<U>(PhantomData<U>);

/// Met by nothing: elements on the host.
#[diagnostic::on_unimplemented(
    message = "this argument is in host memory, but a kernel's arrays are in device memory",
    label = "copy it to the device first: `let array = device.to_device(&host)?;`, and pass `&array`"
)]
pub trait OnDevice {}

/// The same for an array that the kernel changes.
#[diagnostic::on_unimplemented(
    message = "this argument is in host memory, but a kernel's arrays are in device memory",
    label = "make an array on the device: `let mut array = device.to_device(&host)?;`, pass `&mut array`, and copy the results with `array.to_host()?`"
)]
pub trait MutableOnDevice {}

/// The same for an array with axes.
#[diagnostic::on_unimplemented(
    message = "this argument is in host memory, but a kernel's arrays are in device memory",
    label = "copy it to the device first: `let array = device.to_device(&host)?.reshape([rows, columns])?;`, and pass `&array`"
)]
pub trait ShapedOnDevice {}

/// The same for an array with axes that the kernel changes.
#[diagnostic::on_unimplemented(
    message = "this argument is in host memory, but a kernel's arrays are in device memory",
    label = "make an array on the device: `let mut array = device.to_device(&host)?.reshape([rows, columns])?;`, pass `&mut array`, and copy the results with `array.to_host()?`"
)]
pub trait MutableShapedOnDevice {}

/// A view that cannot be written.
#[derive(Debug)]
pub struct ReadOnly<U>(PhantomData<U>);

/// Met by nothing: a view that cannot be written, where the kernel writes.
#[diagnostic::on_unimplemented(
    message = "this view can only be read, but the kernel writes it",
    label = "not a mutable view",
    note = "pass `&mut array`, or `array.view_mut()` for a part of it",
    note = "a view made by `broadcast_to` repeats elements, so it cannot be written: make an array of the whole shape, `let mut array = device.zeros::<f32>([rows, columns])?;`"
)]
pub trait Writable {}

/// A `Result`.
#[derive(Debug)]
pub struct Wrapped<A>(PhantomData<A>);

/// Met by nothing: a `Result`.
#[diagnostic::on_unimplemented(
    message = "this argument is a `Result`, not the array in it",
    label = "bind the array first: `let array = …?;`, and pass `&array`"
)]
pub trait Unwrapped {}

/// Elements on a device.
#[derive(Debug)]
pub struct DeviceMemory<T>(PhantomData<T>);

/// Met by nothing: elements on a device, where the host needs them.
#[diagnostic::on_unimplemented(
    message = "the elements of this array are in device memory",
    label = "copy them to the host first: `let elements = array.to_host()?;`",
    note = "to change elements, launch a kernel, or copy them back: `array.copy_from_host(&elements)?`",
    note = "array functions compute on the device: `array.sum()?`, `&array * 2.0`"
)]
pub trait OnHost {}

/// What elements on a device are indexed with.
#[derive(Debug)]
pub struct Position<I>(PhantomData<I>);

/// Met by no type that a program has: an index of elements on a device.
#[diagnostic::on_unimplemented(
    message = "the elements of this array are in device memory, so the host cannot index them",
    label = "copy them to the host first: `let elements = array.to_host()?;`",
    note = "a part of the array on the device is `array.slice(a..b)`; `array.copy_from_host(&elements)?` writes to the array"
)]
pub trait IndexOnHost {}

/// Nobody's index. rustc takes an index whose only type is known for that type, and one without types for a missing implementation.
#[derive(Debug)]
pub enum Nothing {}

#[diagnostic::do_not_recommend]
impl IndexOnHost for Position<Nothing> {}
#[diagnostic::do_not_recommend]
impl IndexOnHost for Position<(Nothing,)> {}

/// Met by nothing: a copy of elements on a device without a `Result`.
#[diagnostic::on_unimplemented(
    message = "a device array has no `clone`: a copy needs device memory, which may be exhausted",
    label = "write `array.collect()?` for a copy on the device, or `array.to_host()?` for one on the host"
)]
pub trait Cloned {}

/// Refuses arguments of these types for all parameters that are arrays.
macro_rules! refused_arguments {
    ($([$($generics:tt)*] $Argument:ty: $Refused:ty, $Slice:ident $SliceMut:ident $View:ident $ViewMut:ident;)*) => {$(
        #[doc(hidden)]
        impl<'a, T: DeviceType, $($generics)*> IntoDeviceSlice<'a, T> for $Argument where $Refused: $Slice {
            fn into_device_slice(self) -> DeviceSlice<'a, T> {
                unreachable!()
            }
        }

        #[doc(hidden)]
        impl<'a, T: DeviceType, $($generics)*> IntoDeviceSliceMut<'a, T> for $Argument where $Refused: $SliceMut {
            fn into_device_slice_mut(self) -> DeviceSliceMut<'a, T> {
                unreachable!()
            }
        }

        #[doc(hidden)]
        impl<'a, T: DeviceType, const AXES: usize, $($generics)*> IntoView<'a, T, AXES> for $Argument where $Refused: $View {
            fn into_view(self) -> DeviceView<'a, T> {
                unreachable!()
            }
        }

        #[doc(hidden)]
        impl<'a, T: DeviceType, const AXES: usize, $($generics)*> IntoViewMut<'a, T, AXES> for $Argument where $Refused: $ViewMut {
            fn into_view_mut(self) -> DeviceViewMut<'a, T> {
                unreachable!()
            }
        }
    )*};
}

refused_arguments! {
    [U] Vec<U>: HostMemory<U>, OnDevice MutableOnDevice ShapedOnDevice MutableShapedOnDevice;
    [U] &Vec<U>: HostMemory<U>, OnDevice MutableOnDevice ShapedOnDevice MutableShapedOnDevice;
    [U] &mut Vec<U>: HostMemory<U>, OnDevice MutableOnDevice ShapedOnDevice MutableShapedOnDevice;
    [U] &[U]: HostMemory<U>, OnDevice MutableOnDevice ShapedOnDevice MutableShapedOnDevice;
    [U] &mut [U]: HostMemory<U>, OnDevice MutableOnDevice ShapedOnDevice MutableShapedOnDevice;
    [const N: usize, U] [U; N]: HostMemory<U>, OnDevice MutableOnDevice ShapedOnDevice MutableShapedOnDevice;
    [const N: usize, U] &[U; N]: HostMemory<U>, OnDevice MutableOnDevice ShapedOnDevice MutableShapedOnDevice;
    [const N: usize, U] &mut [U; N]: HostMemory<U>, OnDevice MutableOnDevice ShapedOnDevice MutableShapedOnDevice;
    [A, E] Result<A, E>: Wrapped<(A, E)>, Unwrapped Unwrapped Unwrapped Unwrapped;
    [A, E] &Result<A, E>: Wrapped<(A, E)>, Unwrapped Unwrapped Unwrapped Unwrapped;
    [A, E] &mut Result<A, E>: Wrapped<(A, E)>, Unwrapped Unwrapped Unwrapped Unwrapped;
}

#[doc(hidden)]
impl<'a, T: DeviceType, const AXES: usize, U> IntoViewMut<'a, T, AXES> for DeviceView<'_, U>
where
    ReadOnly<U>: Writable,
{
    fn into_view_mut(self) -> DeviceViewMut<'a, T> {
        unreachable!()
    }
}

#[doc(hidden)]
impl<T: DeviceType> fmt::Display for DeviceArray<T>
where
    DeviceMemory<T>: OnHost,
{
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        unreachable!()
    }
}

/// Met by nothing: a closure of the host's for elements on a device.
#[diagnostic::on_unimplemented(
    message = "a closure cannot run on the elements of a device array",
    label = "write a function with `#[vectorize]`, such as `fn square(x: f32) -> f32`, and `square::map(&array)`, or compute with the array: `&array * 2.0`"
)]
pub trait Mapped {}

/// Met by nothing: an array without a device.
#[diagnostic::on_unimplemented(
    message = "a device array is made by its device",
    label = "write `device.zeros::<f32>(n)?`, or `device.to_device(&elements)?` for a copy of elements on the host"
)]
pub trait MadeByDevice {}

#[doc(hidden)]
impl<T: DeviceType, I> Index<I> for DeviceArray<T>
where
    Position<I>: IndexOnHost,
{
    type Output = T;

    fn index(&self, _: I) -> &T {
        unreachable!()
    }
}

#[doc(hidden)]
impl<T: DeviceType, I> IndexMut<I> for DeviceArray<T>
where
    Position<I>: IndexOnHost,
{
    fn index_mut(&mut self, _: I) -> &mut T {
        unreachable!()
    }
}

#[doc(hidden)]
impl<T: DeviceType> Iterator for DeviceArray<T>
where
    DeviceMemory<T>: OnHost,
{
    type Item = T;

    fn next(&mut self) -> Option<T> {
        unreachable!()
    }
}

#[doc(hidden)]
impl<'a, T: DeviceType> Iterator for &'a DeviceArray<T>
where
    DeviceMemory<T>: OnHost,
{
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        unreachable!()
    }
}

/// What [`DeviceArray::map`] would return, with what one calls then.
#[doc(hidden)]
#[allow(missing_docs, missing_debug_implementations)]
pub struct MappedOnHost<U>(std::marker::PhantomData<U>);

#[doc(hidden)]
#[allow(missing_docs, clippy::missing_errors_doc)]
impl<U: DeviceType> MappedOnHost<U> {
    pub fn collect(self) -> crate::Result<DeviceArray<U>> {
        unreachable!()
    }

    pub fn to_host(&self) -> crate::Result<Vec<U>> {
        unreachable!()
    }
}

/// Methods of slices, whose conditions are those of the methods: rustc would report one of the `impl` without our words.
#[doc(hidden)]
#[allow(clippy::iter_not_returning_iterator, clippy::should_implement_trait, clippy::must_use_candidate, missing_docs)]
impl<T: DeviceType> DeviceArray<T> {
    pub fn iter(&self) -> std::slice::Iter<'_, T>
    where
        DeviceMemory<T>: OnHost,
    {
        unreachable!()
    }

    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T>
    where
        DeviceMemory<T>: OnHost,
    {
        unreachable!()
    }

    pub fn new<A>(_: A) -> Self
    where
        DeviceMemory<T>: MadeByDevice,
    {
        unreachable!()
    }

    pub fn to_vec(&self) -> crate::Result<Vec<T>>
    where
        DeviceMemory<T>: OnHost,
    {
        unreachable!()
    }

    pub fn map<U>(&self, _: impl FnMut(T) -> U) -> MappedOnHost<U>
    where
        DeviceMemory<T>: Mapped,
    {
        unreachable!()
    }

    pub fn clone(&self) -> Self
    where
        DeviceMemory<T>: Cloned,
    {
        unreachable!()
    }
}
