//! Copies from one device to another.

use super::{DeviceArray, DeviceSliceMut, IntoDeviceSlice};
use crate::backend::Access;
use crate::device::Device;
use crate::source::DeviceType;
use crate::{Error, Result};

impl Device {
    /// Whether this device can use the memory of `other` directly: `cuDeviceCanAccessPeer`. Copies between two GPUs that cannot go through
    /// memory of the host, in the driver.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`](crate::Error::Driver) is a GPU that does not work.
    pub fn can_access(&self, other: &Self) -> Result<bool> {
        self.queue().can_access(other.queue())
    }
}

impl<T: DeviceType> DeviceArray<T> {
    /// A copy of this array on `device`, which may be another one: PyTorch's `x.to(device)`, JAX's `device_put`.
    ///
    /// Between GPUs, the elements do not pass through the host if one can [access](Device::can_access) the other. The copy runs on the stream
    /// of `device`, when both arrays are ready for it; the call does not wait.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the device has no room for it.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0f32, 2.0, 3.0])?;
    /// let y = x.to(&Device::best()?)?;
    /// assert_eq!(y.to_host()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn to(&self, device: &Device) -> Result<Self> {
        let mut copy = DeviceArray::unspecified(device, self.shape())?;
        copy.copy_from_device(self)?;
        Ok(copy)
    }

    /// Overwrites the elements with those of `source`, an array or a part of one on any device: `cudaMemcpyPeerAsync`. See [`to`](Self::to).
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if `source` is shorter or longer.
    #[track_caller]
    pub fn copy_from_device<'s>(&mut self, source: impl IntoDeviceSlice<'s, T>) -> Result<()> {
        self.exclusive().copy_from_device(source)
    }
}

impl<T: DeviceType> DeviceSliceMut<'_, T> {
    /// Overwrites the elements with those of `source`, an array or a part of one on any device: `cudaMemcpyPeerAsync`. See
    /// [`DeviceArray::to`]. The copy runs on the stream of this slice.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if `source` is shorter or longer.
    #[track_caller]
    pub fn copy_from_device<'s>(&mut self, source: impl IntoDeviceSlice<'s, T>) -> Result<()> {
        let source = source.into_device_slice();
        if self.len() != source.len() {
            let help = "both must have the same number of elements";
            return Err(Error::shape_mismatch("copy_from_device", source.len().into(), self.len().into(), help));
        }
        let bytes = self.len() * size_of::<T>();
        let (target, to) = (self.memory_use(Access::Write), self.pointer().cast());
        let (read, from) = (source.memory_use(Access::Read), source.pointer().cast());
        // SAFETY: both slices have that many elements on their devices, this one is exclusive, and the source is not written.
        unsafe { self.device().queue().copy_from((&target, to), source.device().queue(), (&read, from), bytes) }
    }
}
