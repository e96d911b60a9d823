//! An array on a device.

use std::fmt;
use std::marker::PhantomData;

use super::raw::RawMemory;
use super::shape::check_reshape;
use super::slice_operations::slice_operations;
use super::{ArrayPart, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut, IndexRange, Layout, Shape};
use crate::Result;
use crate::device::Device;
use crate::source::DeviceType;
use crate::stream::Stream;

/// An array in the memory of a [`Device`]: Numba's device array, the counterpart of `Vec<T>` on the host.
///
/// Created by [`Device::to_device`], [`Device::zeros`] and similar functions. A kernel takes `&array` for `&[T]` and `&mut array` for
/// `&mut [T]`. Dropping an array frees its memory when the kernels that use it are done.
///
/// It has a [`Shape`] of one to seven axes. Its elements are always contiguous in C order: kernels and copies see one slice, whatever the
/// shape. Other orders, parts along any axis and repetitions are [views](DeviceArray::view) of it.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let matrix = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6])?.reshape([2, 3])?;
/// assert_eq!(matrix.shape(), [2, 3]);
/// assert_eq!(matrix.view().index_axis(1, 2).to_host()?, [3, 6]); // NumPy: matrix[:, 2]
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub struct DeviceArray<T> {
    memory: RawMemory,
    shape: Shape,
    /// The product of the extents, which every launch needs.
    len: usize,
    elements: PhantomData<T>,
}

impl<T: DeviceType> DeviceArray<T> {
    pub(crate) fn zeroed(device: &Device, shape: Shape) -> Result<Self> {
        let array = Self::allocate(device, shape, true)?;
        let owner = array.memory.owner();
        owner.device.queue().settle(owner.usage);
        Ok(array)
    }

    /// An array with arbitrary values of `T`.
    pub(crate) fn unspecified(device: &Device, shape: Shape) -> Result<Self> {
        Self::allocate(device, shape, !T::ANY_BITS)
    }

    fn allocate(device: &Device, shape: Shape, zeroed: bool) -> Result<Self> {
        // All device memory begins here. Together with the limit of an allocation, this keeps every slice at `isize::MAX` elements.
        const { assert!(size_of::<T>() > 0, "the elements of a device array must have a size: arrays `[T; 0]` have none") };
        const { T::HAS_LAYOUT }
        // More elements than can be counted are out of memory too.
        let len = shape.checked_len().unwrap_or(usize::MAX);
        Ok(Self { memory: RawMemory::new(device, len, size_of::<T>(), zeroed)?, shape, len, elements: PhantomData })
    }

    /// # Safety
    ///
    /// As for [`RawMemory::foreign`], and the memory must hold as many elements as `shape` says.
    pub(super) unsafe fn of_foreign(device: &Device, pointer: *mut T, shape: Shape, keeper: Box<dyn Send>) -> Self {
        const { assert!(size_of::<T>() > 0, "the elements of a device array must have a size: arrays `[T; 0]` have none") };
        let len = shape.checked_len().expect("memory that holds the elements");
        // SAFETY: the caller guarantees the same.
        let memory = unsafe { RawMemory::foreign(device, pointer.cast(), len * size_of::<T>(), keeper) };
        Self { memory, shape, len, elements: PhantomData }
    }

    /// In memory of zeros, for as many elements as `shape` says.
    pub(super) fn of_memory(memory: RawMemory, shape: Shape) -> Self {
        const { T::HAS_LAYOUT }
        Self { memory, shape, len: shape.checked_len().expect("memory that holds the elements"), elements: PhantomData }
    }

    #[cfg(feature = "cudarc")]
    pub(super) fn into_memory(self) -> RawMemory {
        self.memory
    }

    pub(super) fn memory(&self) -> &RawMemory {
        &self.memory
    }

    /// How many elements it has along each axis: `array.shape`.
    #[inline]
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    slice_operations!();

    /// The device of the array.
    #[inline]
    #[must_use]
    pub fn device(&self) -> &Device {
        self.memory.device()
    }

    /// All elements, for use on a stream: copies, and launches and array functions with this as their first array, run there. See
    /// [`Stream`].
    ///
    /// # Panics
    ///
    /// If the stream is one of another device.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::best()?;
    /// let stream = device.stream()?;
    /// let mut x = device.zeros::<f32>(3)?;
    /// x.on_mut(&stream).copy_from_host(&[1.0, 2.0, 3.0])?;
    /// assert_eq!(x.on(&stream).to_host()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn on<'a>(&'a self, stream: &'a Stream) -> DeviceSlice<'a, T> {
        self.shared().on(stream)
    }

    /// The same as [`on`](Self::on), to write the elements.
    ///
    /// # Panics
    ///
    /// If the stream is one of another device.
    #[track_caller]
    #[must_use]
    pub fn on_mut<'a>(&'a mut self, stream: &'a Stream) -> DeviceSliceMut<'a, T> {
        self.exclusive().on(stream)
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
    /// // array function `reshape` at src/main.rs:4:19: …
    /// assert!(error.to_string().ends_with("shapes (3, 4) and (5, 3) do not match: the first has 12 elements, the second 15"));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn reshape(self, shape: impl Into<Shape> /* `x.reshape([rows, columns])?` */) -> Result<Self> {
        let shape = shape.into();
        check_reshape(self.shape, shape)?;
        Ok(Self { shape, ..self })
    }

    /// A view of the whole array with its shape, to take parts, transpose or broadcast.
    #[inline]
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, T> {
        // SAFETY: the array owns the memory, which holds the elements in C order, and stays borrowed as long as the view.
        unsafe { DeviceView::new(self.memory.owner(), self.memory.pointer().cast(), Layout::c_order(self.shape)) }
    }

    /// An exclusive view of the whole array with its shape, to write parts.
    #[inline]
    #[must_use]
    pub fn view_mut(&mut self) -> DeviceViewMut<'_, T> {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { DeviceViewMut::new(self.memory.owner(), self.memory.pointer().cast(), Layout::c_order(self.shape)) }
    }

    fn exclusive_view(&mut self) -> DeviceViewMut<'_, T> {
        self.view_mut()
    }

    /// The transposed view, with its axes in the opposite order: `array.T`.
    #[must_use]
    pub fn t(&self) -> DeviceView<'_, T> {
        self.view().t()
    }

    /// A view of the part at one index of the first axis: `array[index]`, a row of a matrix.
    ///
    /// # Panics
    ///
    /// If there is no axis, or no such index.
    #[track_caller]
    #[must_use]
    pub fn row(&self, index: usize) -> DeviceView<'_, T> {
        self.view().row(index)
    }

    /// An exclusive view of the part at one index of the first axis.
    ///
    /// # Panics
    ///
    /// If there is no axis, or no such index.
    #[track_caller]
    #[must_use]
    pub fn row_mut(&mut self, index: usize) -> DeviceViewMut<'_, T> {
        self.view_mut().row(index)
    }

    /// A view of the indices of `range` along the first axis: `array[start:stop]`, rows of a matrix. [`slice`](Self::slice) counts elements
    /// instead.
    ///
    /// # Panics
    ///
    /// If there is no axis, or the range is out of bounds, as slicing does.
    #[track_caller]
    #[must_use]
    pub fn rows(&self, range: impl IndexRange) -> DeviceView<'_, T> {
        self.view().rows(range)
    }

    /// An exclusive view of the indices of `range` along the first axis.
    ///
    /// # Panics
    ///
    /// If there is no axis, or the range is out of bounds, as slicing does.
    #[track_caller]
    #[must_use]
    pub fn rows_mut(&mut self, range: impl IndexRange) -> DeviceViewMut<'_, T> {
        self.view_mut().rows(range)
    }

    /// The same memory with elements of another type, of which any bits are a value.
    #[cfg(feature = "complex")]
    fn reinterpreted<U: DeviceType>(self, shape: Shape) -> DeviceArray<U> {
        const { assert!(U::ANY_BITS && align_of::<U>() <= align_of::<T>()) };
        assert_eq!(self.len * size_of::<T>(), shape.checked_len().expect("a number of elements") * size_of::<U>());
        let len = shape.checked_len().expect("a number of elements");
        DeviceArray { memory: self.memory, shape, len, elements: PhantomData }
    }

    #[inline]
    pub(super) fn shared(&self) -> DeviceSlice<'_, T> {
        // SAFETY: the array owns the memory, which holds `len` elements, and stays borrowed as long as the view.
        unsafe { DeviceSlice::new(self.memory.owner(), self.memory.pointer().cast(), self.len) }
    }

    #[inline]
    pub(super) fn exclusive(&mut self) -> DeviceSliceMut<'_, T> {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { DeviceSliceMut::new(self.memory.owner(), self.memory.pointer().cast(), self.len) }
    }
}

#[cfg(feature = "complex")]
impl<R: DeviceType> DeviceArray<R>
where
    num_complex::Complex<R>: DeviceType,
{
    /// Its elements in pairs, as the parts of complex numbers. The last axis must have pairs.
    pub(crate) fn into_complex(self) -> DeviceArray<num_complex::Complex<R>> {
        let mut extents = self.shape.extents().to_vec();
        *extents.last_mut().expect("an axis") /= 2;
        let shape = Shape::from_extents(&extents).expect("as many axes as before");
        self.reinterpreted(shape)
    }
}

#[cfg(feature = "fft")]
impl<R: DeviceType> DeviceArray<num_complex::Complex<R>>
where
    num_complex::Complex<R>: DeviceType,
{
    /// The parts of its elements, in pairs along the last axis. There must be an axis.
    pub(crate) fn into_parts(self) -> DeviceArray<R> {
        let mut extents = self.shape.extents().to_vec();
        *extents.last_mut().expect("an axis") *= 2;
        let shape = Shape::from_extents(&extents).expect("as many axes as before");
        self.reinterpreted(shape)
    }
}

/// The type, length or shape, and device, without the elements: reading them would wait for the device.
impl<T: DeviceType> fmt::Debug for DeviceArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceArray<{}>(", std::any::type_name::<T>())?;
        match self.shape.rank() {
            1 => write!(f, "len {}", self.len)?,
            _ => write!(f, "shape {}", self.shape)?,
        }
        write!(f, " on {})", self.device())
    }
}
