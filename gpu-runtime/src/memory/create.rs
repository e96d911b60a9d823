//! New arrays on a device.

use super::{DeviceArray, Shape};
use crate::Result;
use crate::device::Device;
use crate::source::DeviceType;

impl Device {
    /// A new array on this device with the elements of `host`: `cuda.to_device(host)`.
    ///
    /// It has one axis; [`reshape`](DeviceArray::reshape) gives it others.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the device has no room for it.
    pub fn to_device<T: DeviceType>(&self, host: &[T]) -> Result<DeviceArray<T>> {
        let mut array = DeviceArray::unspecified(self, host.len().into())?;
        array.copy_from_host(host)?;
        Ok(array)
    }

    /// A new array of zeros (`false` for `bool`), as many as a number or a shape says: `cupy.zeros(shape, dtype)`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the device has no room for it.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// assert_eq!(device.zeros::<i32>(3)?.to_host()?, [0, 0, 0]);
    /// assert_eq!(device.zeros::<f32>([3, 4])?.len(), 12);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn zeros<T: DeviceType>(&self, shape: impl Into<Shape>) -> Result<DeviceArray<T>> {
        DeviceArray::zeroed(self, shape.into())
    }

    /// A new array for a kernel to fill, with as many elements as a number or a shape says: `cupy.empty(shape, dtype)`.
    ///
    /// Its contents are some values of the type, not necessarily zero.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the device has no room for it.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let mut out = Device::cpu().empty::<f32>([3, 4])?;
    /// out.fill(2.0)?;
    /// assert_eq!(out.sum()?, 24.0);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn empty<T: DeviceType>(&self, shape: impl Into<Shape>) -> Result<DeviceArray<T>> {
        DeviceArray::unspecified(self, shape.into())
    }

    /// A new array on this device with the shape and type of `like`, for a kernel to fill: `np.empty_like(like)`,
    /// `cuda.device_array_like(like)`.
    ///
    /// Its contents are some values of the type, not necessarily zero.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the device has no room for it.
    pub fn empty_like<T: DeviceType>(&self, like: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        DeviceArray::unspecified(self, like.shape())
    }

    /// A new array of zeros on this device with the shape and type of `like`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the device has no room for it.
    pub fn zeros_like<T: DeviceType>(&self, like: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        DeviceArray::zeroed(self, like.shape())
    }
}
