//! Arguments that no kernel takes, and arrays that cannot be printed, each with what to write instead.
//!
//! Each is an implementation under a condition that nothing meets, so that rustc reports the condition, and in our words. It is a condition
//! of another type, because rustc reports one of the argument itself as if it were not there.

use std::fmt;
use std::marker::PhantomData;

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
    label = "copy them to the host first: `let elements = array.to_host()?;`"
)]
pub trait OnHost {}

/// Refuses arguments of these types for all parameters that are arrays.
macro_rules! refused_arguments {
    ($([$($generics:tt)*] $Argument:ty: $Refused:ty, $Condition:path;)*) => {$(
        #[doc(hidden)]
        impl<'a, T: DeviceType, $($generics)*> IntoDeviceSlice<'a, T> for $Argument where $Refused: $Condition {
            fn into_device_slice(self) -> DeviceSlice<'a, T> {
                unreachable!()
            }
        }

        #[doc(hidden)]
        impl<'a, T: DeviceType, $($generics)*> IntoDeviceSliceMut<'a, T> for $Argument where $Refused: $Condition {
            fn into_device_slice_mut(self) -> DeviceSliceMut<'a, T> {
                unreachable!()
            }
        }

        #[doc(hidden)]
        impl<'a, T: DeviceType, const AXES: usize, $($generics)*> IntoView<'a, T, AXES> for $Argument where $Refused: $Condition {
            fn into_view(self) -> DeviceView<'a, T> {
                unreachable!()
            }
        }

        #[doc(hidden)]
        impl<'a, T: DeviceType, const AXES: usize, $($generics)*> IntoViewMut<'a, T, AXES> for $Argument where $Refused: $Condition {
            fn into_view_mut(self) -> DeviceViewMut<'a, T> {
                unreachable!()
            }
        }
    )*};
}

refused_arguments! {
    [U] Vec<U>: HostMemory<U>, OnDevice;
    [U] &Vec<U>: HostMemory<U>, OnDevice;
    [U] &mut Vec<U>: HostMemory<U>, OnDevice;
    [U] &[U]: HostMemory<U>, OnDevice;
    [U] &mut [U]: HostMemory<U>, OnDevice;
    [const N: usize, U] [U; N]: HostMemory<U>, OnDevice;
    [const N: usize, U] &[U; N]: HostMemory<U>, OnDevice;
    [const N: usize, U] &mut [U; N]: HostMemory<U>, OnDevice;
    [A, E] Result<A, E>: Wrapped<(A, E)>, Unwrapped;
    [A, E] &Result<A, E>: Wrapped<(A, E)>, Unwrapped;
    [A, E] &mut Result<A, E>: Wrapped<(A, E)>, Unwrapped;
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
