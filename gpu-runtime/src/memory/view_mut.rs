//! Mutable views of any shape.

use std::fmt;
use std::marker::PhantomData;

use super::gather::gather;
use super::layout::{Layout, Part};
use super::raw::Owner;
use super::shape::check_reshape;
use super::slice::check_lengths;
use super::view_operations::view_operations;
use super::{ArrayPart, Axis, DeviceSlice, DeviceSliceMut, DeviceView, IndexRange, Shape};
use crate::backend::cpu::SharedViewMut;
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::source::DeviceType;
use crate::{Error, Result};

/// An exclusive view of elements on a device along up to seven axes, which need not be contiguous: the counterpart of ndarray's
/// `ArrayViewMut` on the host.
///
/// Created by [`DeviceArray::view_mut`](super::DeviceArray::view_mut) and [`DeviceSliceMut::view_mut`]. It borrows the array exclusively.
/// Different indices are always different elements, so it cannot be broadcast. Operations consume it; [`reborrow`](Self::reborrow) it first
/// to use it again. A kernel takes it for a [`ViewMut`](crate::ViewMut) with the same number of axes, and takes `view.as_slice_mut()`, if
/// the elements are contiguous, for a `&mut [T]`.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let mut array = Device::cpu().zeros::<i32>([3, 2])?;
/// let mut row = array.view_mut().index_axis(0, 1); // NumPy: array[1]
/// row.copy_from_host(&[7, 8])?;
/// assert_eq!(array.to_host()?, [0, 0, 7, 8, 0, 0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// While it is in use, the array cannot be accessed in another way:
///
/// ```compile_fail,E0502
/// use gpu_runtime::prelude::*;
///
/// let mut array = Device::cpu().zeros::<i32>([3, 2])?;
/// let mut writing = array.view_mut();
/// let reading = array.view();
/// writing.copy_from_host(&[1; 6])?;
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub struct DeviceViewMut<'a, T> {
    owner: Owner<'a>,
    pointer: *mut T,
    layout: Layout,
    elements: PhantomData<&'a mut [T]>,
}

// SAFETY: a view is what an exclusive reference to the elements is, and the device orders what threads ask of it.
unsafe impl<T: DeviceType> Send for DeviceViewMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: DeviceType> Sync for DeviceViewMut<'_, T> {}

impl<'a, T: DeviceType> DeviceViewMut<'a, T> {
    /// # Safety
    ///
    /// Every element of `layout` from `pointer` on must be in memory of `device`, have no other index, and be used by
    /// nobody else for `'a`, except by what was asked of the device before.
    #[inline]
    pub(super) unsafe fn new(owner: Owner<'a>, pointer: *mut T, layout: Layout) -> Self {
        Self { owner, pointer, layout, elements: PhantomData }
    }

    view_operations!();

    /// Its elements as a slice, for a kernel to read, if they are contiguous in C order.
    #[must_use]
    pub fn as_slice(&self) -> Option<DeviceSlice<'_, T>> {
        self.view().as_slice()
    }

    /// Its elements as an exclusive slice, for a kernel to write, if they are contiguous in C order.
    #[must_use]
    pub fn as_slice_mut(&mut self) -> Option<DeviceSliceMut<'_, T>> {
        self.reborrow().into_slice_mut()
    }

    /// The same as [`as_slice_mut`](Self::as_slice_mut), for as long as the array is borrowed.
    #[must_use]
    pub fn into_slice_mut(self) -> Option<DeviceSliceMut<'a, T>> {
        // SAFETY: they are the elements of this view, which is exclusive for `'a` and given up here.
        self.is_contiguous().then(|| unsafe { DeviceSliceMut::new(self.owner, self.pointer(), self.len()) })
    }

    /// Overwrites its elements with those of `host`, in C order, after the kernels that were launched before.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if `host` is shorter or longer, and [`Error::NotContiguous`] if the elements are not contiguous.
    #[track_caller]
    pub fn copy_from_host(&mut self, host: &[T]) -> Result<()> {
        check_lengths(self.len(), host.len())?;
        match self.as_slice_mut() {
            Some(mut slice) => slice.copy_from_host(host),
            None => Err(Error::NotContiguous {
                operation: "copy from the host to".to_owned(),
                shape: Box::new(self.shape()),
                strides: self.strides().to_vec(),
                help: "copy to one contiguous part at a time, such as a row",
                location: std::panic::Location::caller(),
            }),
        }
    }

    /// The indices of `axis` before `mid`, and the rest, for two arguments of one launch.
    ///
    /// # Panics
    ///
    /// If there is no such axis, or `mid` is past its end.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let mut array = Device::cpu().zeros::<f32>([4, 6])?;
    /// let (left, right) = array.view_mut().split_at(1, 2);
    /// assert_eq!((left.shape(), right.shape()), ([4, 2].into(), [4, 4].into()));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn split_at(self, axis: impl Axis, mid: usize) -> (Self, Self) {
        let axis = axis.of(self.layout.shape.rank());
        let before = self.layout.slice_axis(axis, ..mid, 1);
        let rest = self.layout.slice_axis(axis, mid.., 1);
        let alias = Self { owner: self.owner, pointer: self.pointer, layout: self.layout, elements: PhantomData };
        // The two stand for exclusive borrows of elements with different indices, which are different elements.
        (alias.with_part(before), self.with_part(rest))
    }

    /// The elements, for generated code: every thread of a kernel creates its handle from them.
    ///
    /// # Safety
    ///
    /// The view must be of the CPU's memory, and be used by nothing but the kernel that this is for.
    ///
    /// # Panics
    ///
    /// If the view does not have `N` axes.
    #[inline]
    #[must_use]
    pub(crate) unsafe fn as_host_mut<const N: usize>(&self) -> SharedViewMut<'a, T, N> {
        let (shape, strides) = self.layout.shape_and_strides().expect("the launch has compared the ranks");
        // SAFETY: on the CPU the elements are in one allocation for `'a`, each with one index; the caller guarantees the rest.
        unsafe { SharedViewMut::from_raw_parts(self.pointer, shape, strides) }
    }

    /// The allocation that it is of.
    #[inline]
    pub(super) fn owner(&self) -> Owner<'a> {
        self.owner
    }

    /// The address of element `[0, 0, …]`.
    #[inline]
    pub(crate) fn pointer(&self) -> *mut T {
        self.pointer
    }

    /// Overwrites the element at an index of each axis: `view[i, j] = value`. See [`get`](Self::get).
    ///
    /// # Errors
    ///
    /// As for [`copy_from_host`](Self::copy_from_host).
    ///
    /// # Panics
    ///
    /// If there are more or fewer axes, or an index is out of bounds.
    #[track_caller]
    pub fn set(&mut self, index: impl Into<Shape>, value: T) -> Result<()> {
        let element = self.layout.element(index.into());
        self.reborrow().with_part(element).copy_from_host(&[value])
    }

    /// A view to read of the same elements, for as long as this one is not used to write.
    #[inline]
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, T> {
        // SAFETY: the elements are those of this view, which is borrowed and cannot write them meanwhile.
        unsafe { DeviceView::new(self.owner, self.pointer, self.layout) }
    }

    /// An exclusive view of the same elements, after which this one can be used again.
    #[inline]
    #[must_use]
    pub fn reborrow(&mut self) -> DeviceViewMut<'_, T> {
        DeviceViewMut { owner: self.owner, pointer: self.pointer, layout: self.layout, elements: PhantomData }
    }
}

/// The type, shape and device, and the strides if they are not those of C order.
impl<T: DeviceType> fmt::Debug for DeviceViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceViewMut<{}>({} on {})", std::any::type_name::<T>(), self.layout(), self.owner.device)
    }
}
