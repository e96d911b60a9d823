//! What lazy arrays do not do before they are collected, with what to write instead.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Index;

use super::Lazy;
use crate::memory::{DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut, IntoDeviceSlice, IntoDeviceSliceMut, IntoView, IntoViewMut};
use crate::source::DeviceType;

/// A lazy array.
#[derive(Debug)]
pub struct Uncollected<E>(PhantomData<E>);

/// Met by nothing: a lazy array that is printed.
#[diagnostic::on_unimplemented(
    message = "this is a lazy array, whose elements are not computed yet",
    label = "compute and copy them first: `println!(\"{{:?}}\", lazy.to_vec()?)`"
)]
pub trait Printed {}

/// Met by nothing: a lazy array, which has no elements yet.
#[diagnostic::on_unimplemented(
    message = "this is a lazy array, whose elements are not computed yet",
    label = "write `.collect()?` for a new array on the device, or `.to_vec()?` for the elements on the host",
    note = "a kernel takes the collected array: `let array = lazy.collect()?;`, and `&array`"
)]
pub trait Collected {}

#[doc(hidden)]
impl<E> fmt::Debug for Lazy<E>
where
    Uncollected<E>: Printed,
{
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        unreachable!()
    }
}

#[doc(hidden)]
impl<E> fmt::Display for Lazy<E>
where
    Uncollected<E>: Printed,
{
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        unreachable!()
    }
}

/// What a lazy array is indexed with.
#[derive(Debug)]
pub struct Position<I>(PhantomData<I>);

/// Met by no type that a program has: an index of a lazy array.
#[diagnostic::on_unimplemented(
    message = "this is a lazy array, whose elements are not computed yet",
    label = "compute them first: `let elements = lazy.to_vec()?;`"
)]
pub trait IndexOfCollected {}

/// Nobody's index: see [`memory`](crate::memory).
#[derive(Debug)]
pub enum Nothing {}

#[diagnostic::do_not_recommend]
impl IndexOfCollected for Position<Nothing> {}
#[diagnostic::do_not_recommend]
impl IndexOfCollected for Position<(Nothing,)> {}

#[doc(hidden)]
impl<E, I> Index<I> for Lazy<E>
where
    Position<I>: IndexOfCollected,
{
    type Output = f64;

    fn index(&self, _: I) -> &f64 {
        unreachable!()
    }
}

/// Refuses a lazy array as an argument of a kernel.
macro_rules! refused_arguments {
    ($($Argument:ty;)*) => {$(
        #[doc(hidden)]
        impl<'a, T: DeviceType, E> IntoDeviceSlice<'a, T> for $Argument where Uncollected<E>: Collected {
            fn into_device_slice(self) -> DeviceSlice<'a, T> {
                unreachable!()
            }
        }

        #[doc(hidden)]
        impl<'a, T: DeviceType, E> IntoDeviceSliceMut<'a, T> for $Argument where Uncollected<E>: Collected {
            fn into_device_slice_mut(self) -> DeviceSliceMut<'a, T> {
                unreachable!()
            }
        }

        #[doc(hidden)]
        impl<'a, T: DeviceType, const AXES: usize, E> IntoView<'a, T, AXES> for $Argument where Uncollected<E>: Collected {
            fn into_view(self) -> DeviceView<'a, T> {
                unreachable!()
            }
        }

        #[doc(hidden)]
        impl<'a, T: DeviceType, const AXES: usize, E> IntoViewMut<'a, T, AXES> for $Argument where Uncollected<E>: Collected {
            fn into_view_mut(self) -> DeviceViewMut<'a, T> {
                unreachable!()
            }
        }
    )*};
}

refused_arguments! {
    Lazy<E>;
    &Lazy<E>;
    &mut Lazy<E>;
}
