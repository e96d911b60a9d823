//! An array that lives on a device.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use super::raw::RawMemory;
use super::{DeviceSlice, DeviceSliceMut, Element};
use crate::Result;
use crate::device::Device;

/// A one-dimensional array in the memory of a [`Device`]: Numba's device array, what `Vec<T>` is on the host.
///
/// Made by [`Device::to_device`], [`Device::zeros`] and their kin. A kernel takes `&array` for `&[T]` and `&mut array` for
/// `&mut [T]`. Dropping an array frees its memory once the kernels that use it are done.
pub struct DeviceArray<T: Element> {
    memory: RawMemory,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Element> DeviceArray<T> {
    pub(crate) fn zeroed(device: &Device, len: usize) -> Result<Self> {
        Self::new(device, len, true)
    }

    /// An array of any values of `T`.
    pub(crate) fn unspecified(device: &Device, len: usize) -> Result<Self> {
        Self::new(device, len, !T::ANY_BITS)
    }

    fn new(device: &Device, len: usize, zeroed: bool) -> Result<Self> {
        Ok(Self { memory: RawMemory::new(device, len, size_of::<T>(), zeroed)?, len, elements: PhantomData })
    }

    /// How many elements it has.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device it lives on.
    #[inline]
    #[must_use]
    pub fn device(&self) -> &Device {
        self.memory.device()
    }

    /// A copy of its elements, once everything asked of the device so far is done: `array.copy_to_host()`.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`](crate::Error::KernelFailed) if a kernel failed since the last report.
    pub fn to_host(&self) -> Result<Vec<T>> {
        self.whole().to_host()
    }

    /// Copies its elements into `host`, once everything asked of the device so far is done.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if `host` is shorter or longer, and
    /// [`Error::KernelFailed`](crate::Error::KernelFailed) if a kernel failed since the last report.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let array = Device::cpu().to_device(&[1, 2, 3])?;
    /// let mut host = [0; 3];
    /// array.copy_to_host(&mut host)?;
    /// assert_eq!(host, [1, 2, 3]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn copy_to_host(&self, host: &mut [T]) -> Result<()> {
        self.whole().copy_to_host(host)
    }

    /// Overwrites its elements with those of `host`, once the kernels that were launched before are done with it.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if `host` is shorter or longer.
    pub fn copy_from_host(&mut self, host: &[T]) -> Result<()> {
        self.whole_mut().copy_from_host(host)
    }

    /// A view of part of it, like `&array[range]`: `array[start:stop]`.
    ///
    /// # Panics
    ///
    /// If the range is out of bounds, as slicing does.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let array = Device::cpu().to_device(&[1, 2, 3, 4])?;
    /// assert_eq!(array.slice(1..3).to_host()?, [2, 3]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> DeviceSlice<'_, T> {
        self.whole().slice(range)
    }

    /// A mutable view of part of it, like `&mut array[range]`.
    ///
    /// # Panics
    ///
    /// If the range is out of bounds, as slicing does.
    #[track_caller]
    #[must_use]
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> DeviceSliceMut<'_, T> {
        self.whole_mut().into_slice_mut(range)
    }

    /// Mutable views of the first `mid` elements and of the rest, for two arguments of one launch.
    ///
    /// # Panics
    ///
    /// If `mid` is past the end.
    #[track_caller]
    #[must_use]
    pub fn split_at_mut(&mut self, mid: usize) -> (DeviceSliceMut<'_, T>, DeviceSliceMut<'_, T>) {
        self.whole_mut().into_split_at_mut(mid)
    }

    #[inline]
    pub(super) fn whole(&self) -> DeviceSlice<'_, T> {
        // SAFETY: the array owns the memory, which holds `len` elements, and stays borrowed as long as the view.
        unsafe { DeviceSlice::new(self.device(), self.memory.pointer().cast(), self.len) }
    }

    #[inline]
    pub(super) fn whole_mut(&mut self) -> DeviceSliceMut<'_, T> {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { DeviceSliceMut::new(self.device(), self.memory.pointer().cast(), self.len) }
    }
}

/// The type, length and device. The elements may be far away, and waiting for them is up to the program.
impl<T: Element> fmt::Debug for DeviceArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceArray<{}>(len {} on {})", std::any::type_name::<T>(), self.len, self.device())
    }
}
