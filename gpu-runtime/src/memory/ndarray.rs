//! Copies from and to the host arrays of the crate `ndarray`.

use ndarray::{ArrayD, ArrayRef, Dimension, IxDyn};

use super::{DeviceArray, DeviceView, DeviceViewMut, Shape};
use crate::device::Device;
use crate::source::DeviceType;
use crate::{Error, Result};

impl<T: DeviceType> DeviceArray<T> {
    /// A new array on `device` with the shape and elements of `array`, an array or view of the crate `ndarray`:
    /// `cuda.to_device(array)`.
    ///
    /// The elements on the device are in C order, whatever the strides of `array`. Elements that are already in that order are copied
    /// directly; others are put in order on the host first.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyAxes`] if it has more than [`MAX_RANK`](crate::MAX_RANK), and [`Error::OutOfMemory`] if the device
    /// has no room for it.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use ndarray::array;
    ///
    /// let host = array![[1, 2, 3], [4, 5, 6]];
    /// let matrix = DeviceArray::from_ndarray(&Device::cpu(), &host)?;
    /// assert_eq!(matrix.shape(), [2, 3]);
    /// let transposed = DeviceArray::from_ndarray(&Device::cpu(), &host.t())?;
    /// assert_eq!(transposed.to_host()?, [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn from_ndarray<D: Dimension>(device: &Device, array: &ArrayRef<T, D>) -> Result<Self> {
        let shape = Shape::from_extents(array.shape()).ok_or(Error::TooManyAxes { rank: array.ndim() })?;
        let in_order = array.as_standard_layout();
        device.to_device(in_order.as_slice().expect("the standard layout is that of a slice"))?.reshape(shape)
    }

    /// A copy of it as an array of the crate `ndarray`: `array.copy_to_host()`. Waits for all earlier operations on the device.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed since the last report.
    ///
    /// # Panics
    ///
    /// If its extents other than 0 multiply to more than `isize::MAX`, which is more than `ndarray` has arrays for.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use ndarray::Ix2;
    ///
    /// let array = Device::cpu().to_device(&[1.0, 2.0, 3.0, 4.0])?.reshape([2, 2])?;
    /// let matrix = array.to_ndarray()?.into_dimensionality::<Ix2>().expect("it has two axes");
    /// assert_eq!(matrix.dot(&matrix), ndarray::array![[7.0, 10.0], [15.0, 22.0]]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn to_ndarray(&self) -> Result<ArrayD<T>> {
        self.view().to_ndarray()
    }
}

impl<T: DeviceType> DeviceView<'_, T> {
    /// A copy of its elements, in C order, like [`DeviceArray::to_ndarray`] for a whole array.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed since the last report.
    ///
    /// # Panics
    ///
    /// If its extents other than 0 multiply to more than `isize::MAX`, which is more than `ndarray` has arrays for.
    pub fn to_ndarray(&self) -> Result<ArrayD<T>> {
        let elements = self.to_host()?;
        Ok(ArrayD::from_shape_vec(IxDyn(self.shape().extents()), elements).expect("a shape that ndarray has arrays for"))
    }
}

impl<T: DeviceType> DeviceViewMut<'_, T> {
    /// The counterpart of [`DeviceView::to_ndarray`] for a mutable view.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed since the last report.
    ///
    /// # Panics
    ///
    /// If its extents other than 0 multiply to more than `isize::MAX`, which is more than `ndarray` has arrays for.
    pub fn to_ndarray(&self) -> Result<ArrayD<T>> {
        self.view().to_ndarray()
    }
}
