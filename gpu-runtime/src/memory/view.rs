//! Read-only views of any shape.

use std::fmt;
use std::marker::PhantomData;

use super::gather::gather;
use super::layout::{Layout, Part};
use super::raw::Owner;
use super::shape::check_reshape;
use super::slice::check_lengths;
use super::view_operations::view_operations;
use super::{ArrayPart, Axis, DeviceSlice, IndexRange, Shape};
use crate::backend::cpu::View;
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::source::DeviceType;
use crate::{Error, Result};

/// A view of elements on a device along up to seven axes, which need not be contiguous: the counterpart of ndarray's `ArrayView` on the
/// host, and of a slice of an array in NumPy.
///
/// Created by [`DeviceArray::view`](super::DeviceArray::view) and [`DeviceSlice::view`]. It borrows the array like a reference, and no
/// operation on it copies an element. A kernel takes it for a [`View`] with the same number of axes, and takes `view.as_slice()`, if the
/// elements are contiguous, for a `&[T]`.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let array = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6])?.reshape([2, 3])?;
/// let view = array.view().t().slice_axis(0, 1..); // NumPy: array.T[1:]
/// assert_eq!(view.shape(), [2, 2]);
/// assert_eq!(view.strides(), [1, 3]);
/// assert_eq!(view.to_host()?, [2, 5, 3, 6]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub struct DeviceView<'a, T> {
    owner: Owner<'a>,
    pointer: *const T,
    layout: Layout,
    elements: PhantomData<&'a [T]>,
}

// SAFETY: a view is what a reference to the elements is, and the device orders what threads ask of it.
unsafe impl<T: DeviceType> Send for DeviceView<'_, T> {}
// SAFETY: as above.
unsafe impl<T: DeviceType> Sync for DeviceView<'_, T> {}

impl<T: DeviceType> Clone for DeviceView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: DeviceType> Copy for DeviceView<'_, T> {}

impl<'a, T: DeviceType> DeviceView<'a, T> {
    /// # Safety
    ///
    /// Every element of `layout` from `pointer` on must be in memory of `device` and not be written for `'a`, except by
    /// what was asked of the device before.
    #[inline]
    pub(crate) unsafe fn new(owner: Owner<'a>, pointer: *const T, layout: Layout) -> Self {
        Self { owner, pointer, layout, elements: PhantomData }
    }

    view_operations!();

    /// The view itself, as arrays and parts have a view.
    #[inline]
    #[must_use]
    pub fn view(&self) -> Self {
        *self
    }

    /// One element, without axes.
    #[track_caller]
    pub(super) fn element(self, index: Shape) -> Self {
        let element = self.layout.element(index);
        self.with_part(element)
    }

    /// The view repeated to this shape, along axes with one element and along new axes in front: `np.broadcast_to(view, shape)`.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if an extent, counted from the last axis, is neither 1 nor that of `shape`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let row = Device::cpu().to_device(&[1, 2, 3])?;
    /// assert_eq!(row.view().broadcast_to([2, 3])?.to_host()?, [1, 2, 3, 1, 2, 3]);
    /// assert!(row.view().broadcast_to([3, 2]).is_err());
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn broadcast_to(self, shape: impl Into<Shape>) -> Result<Self> {
        let shape = shape.into();
        match self.layout.broadcast_to(shape) {
            Some(layout) => Ok(Self { layout, ..self }),
            None => Err(Error::shape_mismatch(
                "broadcast",
                self.shape(),
                shape,
                "counted from the last axis, each extent of the first must be 1 or that of the second",
            )),
        }
    }

    /// Its elements as a slice, for a kernel, if they are contiguous in C order.
    #[must_use]
    pub fn as_slice(&self) -> Option<DeviceSlice<'a, T>> {
        // SAFETY: they are the elements of this view, which keeps them from being written for `'a`.
        self.is_contiguous().then(|| unsafe { DeviceSlice::new(self.owner, self.pointer(), self.len()) })
    }

    /// The elements, for generated code.
    ///
    /// # Safety
    ///
    /// The view must be of the CPU's memory, and no kernel may be writing it.
    ///
    /// # Panics
    ///
    /// If the view does not have `N` axes.
    #[inline]
    #[must_use]
    pub(crate) unsafe fn as_host<const N: usize>(&self) -> View<'a, T, N> {
        let (shape, strides) = self.layout.shape_and_strides().expect("the launch has compared the ranks");
        // SAFETY: on the CPU the elements are in one allocation for `'a`; the caller guarantees the rest.
        unsafe { View::from_raw_parts(self.pointer, shape, strides) }
    }

    /// All windows of `len` neighbours along an axis, where they are: `sliding_window_view(view, len, axis)` of NumPy. The windows follow
    /// each other along that axis, the elements of a window along a new axis at the end.
    ///
    /// # Panics
    ///
    /// If there is no such axis, `len` is 0 or more than its extent, or the view already has [`MAX_RANK`](crate::MAX_RANK) axes.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0, 2.0, 6.0, 1.0])?;
    /// assert_eq!(x.view().windows(0, 2).mean_axis(1)?.to_host()?, [1.5, 4.0, 3.5]); // a moving average
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn windows(self, axis: impl Axis, len: usize) -> Self {
        // SAFETY: the elements of the windows are those of the view.
        unsafe { Self::new(self.owner, self.pointer, self.layout.windows(axis.of(self.layout.shape.rank()), len)) }
    }

    /// The allocation that it is of.
    #[inline]
    pub(crate) fn owner(&self) -> Owner<'a> {
        self.owner
    }

    /// The address of element `[0, 0, …]`.
    #[inline]
    pub(crate) fn pointer(&self) -> *const T {
        self.pointer
    }
}

#[cfg(feature = "complex")]
impl<'a, R: DeviceType> DeviceView<'a, num_complex::Complex<R>>
where
    num_complex::Complex<R>: DeviceType,
{
    /// The real parts, where they are: `z.real`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use num_complex::Complex;
    ///
    /// let z = Device::cpu().to_device(&[Complex::new(3.0f32, 4.0), Complex::new(-1.0, 0.0)])?;
    /// let (re, im) = (z.view().re(), z.view().im());
    /// assert_eq!(re.to_host()?, [3.0, -1.0]);
    /// assert_eq!((re.square() + im.square()).sqrt().to_host()?, [5.0, 1.0]); // NumPy: np.abs(z)
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn re(self) -> DeviceView<'a, R> {
        self.part_of_each(0)
    }

    /// The imaginary parts, where they are: `z.imag`.
    #[must_use]
    pub fn im(self) -> DeviceView<'a, R> {
        self.part_of_each(1)
    }

    fn part_of_each(self, part: usize) -> DeviceView<'a, R> {
        let strides: Vec<isize> = self.strides().iter().map(|stride| 2 * stride).collect();
        let first = self.pointer.cast::<R>().wrapping_add(part);
        // SAFETY: a complex number is its two parts, one after the other.
        unsafe { DeviceView::new(self.owner, first, Layout::new(self.shape(), &strides)) }
    }

    /// The real and the imaginary parts, along one more axis at the end.
    pub(crate) fn parts(self) -> DeviceView<'a, R> {
        let extents: Vec<usize> = self.shape().extents().iter().copied().chain([2]).collect();
        let strides: Vec<isize> = self.strides().iter().map(|stride| 2 * stride).chain([1]).collect();
        let shape = Shape::from_extents(&extents).expect("one more axis than a matrix of a batch has");
        // SAFETY: a complex number is its two parts, one after the other.
        unsafe { DeviceView::new(self.owner, self.pointer.cast(), Layout::new(shape, &strides)) }
    }
}

/// The type, shape and device, and the strides if they are not those of C order.
impl<T: DeviceType> fmt::Debug for DeviceView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceView<{}>({} on {})", std::any::type_name::<T>(), self.layout(), self.owner.device)
    }
}
