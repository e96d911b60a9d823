//! An array that lives on a device.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use super::raw::RawMemory;
use super::shape::check_reshape;
use super::{DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut, Element, Layout, Shape};
use crate::Result;
use crate::device::Device;

/// An array in the memory of a [`Device`]: Numba's device array, what `Vec<T>` is on the host.
///
/// Made by [`Device::to_device`], [`Device::zeros`] and their kin. A kernel takes `&array` for `&[T]` and `&mut array` for
/// `&mut [T]`. Dropping an array frees its memory once the kernels that use it are done.
///
/// It has a [`Shape`] of up to seven axes, one unless another was asked for. Its elements always follow each other in C
/// order, the last axis contiguous: they are one slice to kernels and copies, whatever the shape. Other orders, parts
/// along any axis and repetitions are [views](DeviceArray::view) of it.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let matrix = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6])?.reshape([2, 3])?;
/// assert_eq!(matrix.shape(), [2, 3]);
/// assert_eq!(matrix.view().index_axis(1, 2).to_host()?, [3, 6]); // NumPy: matrix[:, 2]
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub struct DeviceArray<T: Element> {
    memory: RawMemory,
    shape: Shape,
    /// The product of the extents, which every launch needs.
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Element> DeviceArray<T> {
    pub(crate) fn zeroed(device: &Device, shape: Shape) -> Result<Self> {
        Self::new(device, shape, true)
    }

    /// An array of any values of `T`.
    pub(crate) fn unspecified(device: &Device, shape: Shape) -> Result<Self> {
        Self::new(device, shape, !T::ANY_BITS)
    }

    fn new(device: &Device, shape: Shape, zeroed: bool) -> Result<Self> {
        // More elements than can be counted are out of memory too.
        let len = shape.checked_len().unwrap_or(usize::MAX);
        Ok(Self { memory: RawMemory::new(device, len, size_of::<T>(), zeroed)?, shape, len, elements: PhantomData })
    }

    /// How many elements it has along each axis: `array.shape`.
    #[inline]
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
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

    /// The same elements, in the same memory, with another shape: `array.reshape(shape)`.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if `shape` has more or fewer elements.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let array = Device::cpu().zeros::<f32>(12)?.reshape([3, 4])?;
    /// assert_eq!(array.shape(), [3, 4]);
    /// let error = array.reshape([5, 3]).unwrap_err();
    /// assert_eq!(error.to_string(), "cannot reshape (3, 4) to (5, 3): the first has 12 elements, the second 15");
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn reshape(self, shape: impl Into<Shape>) -> Result<Self> {
        let shape = shape.into();
        check_reshape(self.shape, shape)?;
        Ok(Self { shape, ..self })
    }

    /// A view of all of it with its shape, to take parts of, transpose, broadcast.
    #[inline]
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, T> {
        // SAFETY: the array owns the memory, which holds the elements in C order, and stays borrowed as long as the view.
        unsafe { DeviceView::new(self.device(), self.memory.pointer().cast(), Layout::c_order(self.shape)) }
    }

    /// An exclusive view of all of it with its shape, to write parts of.
    #[inline]
    #[must_use]
    pub fn view_mut(&mut self) -> DeviceViewMut<'_, T> {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { DeviceViewMut::new(self.device(), self.memory.pointer().cast(), Layout::c_order(self.shape)) }
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

/// The type, length or shape, and device. The elements may be far away, and waiting for them is up to the program.
impl<T: Element> fmt::Debug for DeviceArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceArray<{}>(", std::any::type_name::<T>())?;
        match self.shape.rank() {
            1 => write!(f, "len {}", self.len)?,
            _ => write!(f, "shape {}", self.shape)?,
        }
        write!(f, " on {})", self.device())
    }
}
