//! The arguments for a slice parameter of a kernel.

use super::{DeviceArray, DeviceSlice, DeviceSliceMut};
use crate::source::DeviceType;

/// The arguments for a `&[T]` parameter of a kernel: `&array`, or a view of a part of an array.
#[diagnostic::on_unimplemented(
    message = "a kernel parameter `&[{T}]` takes a reference to a device array of `{T}`, not `{Self}`",
    label = "not a reference to a device array of `{T}`",
    note = "the elements must have the type `{T}`: make the array with it, or convert numbers of another type, such as `lazy(&array).cast::<f64>().collect()?`",
    note = "for `&[Float4]` and other vectors, pass an array of their lanes as vectors: `array.as_vectors::<Float4>()?`",
    note = "an array that is owned is passed as `&array`"
)]
pub trait IntoDeviceSlice<'a, T> {
    /// The view to launch with.
    fn into_device_slice(self) -> DeviceSlice<'a, T>;
}

/// The arguments for a `&mut [T]` parameter of a kernel: `&mut array`, or a mutable view of a part of an array.
#[diagnostic::on_unimplemented(
    message = "a kernel parameter `&mut [{T}]` takes a mutable device array of `{T}`, not `{Self}`",
    label = "not a mutable device array of `{T}`",
    note = "make the array with `let mut array = device.zeros::<{T}>(n)?;`, and pass `&mut array`"
)]
pub trait IntoDeviceSliceMut<'a, T> {
    /// The view to launch with.
    fn into_device_slice_mut(self) -> DeviceSliceMut<'a, T>;
}

impl<'a, T: DeviceType> IntoDeviceSlice<'a, T> for &'a DeviceArray<T> {
    #[inline]
    fn into_device_slice(self) -> DeviceSlice<'a, T> {
        self.shared()
    }
}

/// As `&mut [T]` is taken for `&[T]`.
impl<'a, T: DeviceType> IntoDeviceSlice<'a, T> for &'a mut DeviceArray<T> {
    #[inline]
    fn into_device_slice(self) -> DeviceSlice<'a, T> {
        self.shared()
    }
}

impl<'a, T: DeviceType> IntoDeviceSlice<'a, T> for &'a mut DeviceSliceMut<'_, T> {
    #[inline]
    fn into_device_slice(self) -> DeviceSlice<'a, T> {
        self.shared()
    }
}

impl<'a, T: DeviceType> IntoDeviceSlice<'a, T> for DeviceSlice<'a, T> {
    #[inline]
    fn into_device_slice(self) -> DeviceSlice<'a, T> {
        self
    }
}

impl<'a, T: DeviceType> IntoDeviceSlice<'a, T> for &DeviceSlice<'a, T> {
    #[inline]
    fn into_device_slice(self) -> DeviceSlice<'a, T> {
        *self
    }
}

impl<'a, T: DeviceType> IntoDeviceSlice<'a, T> for &'a DeviceSliceMut<'_, T> {
    #[inline]
    fn into_device_slice(self) -> DeviceSlice<'a, T> {
        self.shared()
    }
}

impl<'a, T: DeviceType> IntoDeviceSliceMut<'a, T> for &'a mut DeviceArray<T> {
    #[inline]
    fn into_device_slice_mut(self) -> DeviceSliceMut<'a, T> {
        self.exclusive()
    }
}

impl<'a, T: DeviceType> IntoDeviceSliceMut<'a, T> for DeviceSliceMut<'a, T> {
    #[inline]
    fn into_device_slice_mut(self) -> DeviceSliceMut<'a, T> {
        self
    }
}

impl<'a, T: DeviceType> IntoDeviceSliceMut<'a, T> for &'a mut DeviceSliceMut<'_, T> {
    #[inline]
    fn into_device_slice_mut(self) -> DeviceSliceMut<'a, T> {
        self.exclusive()
    }
}
