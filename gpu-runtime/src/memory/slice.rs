//! Views of a part of an array.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::Location;

use super::range::resolve;
use super::raw::Owner;
use super::slice_operations::slice_operations;
use super::{ArrayPart, DeviceView, DeviceViewMut, IndexRange, Layout, Shape, reserve};
use crate::backend::cpu::SharedSliceMut;
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::source::DeviceType;
use crate::stream::Stream;
use crate::{Error, Result};

/// A view of elements on a device: the counterpart of `&[T]` on the host.
///
/// Created by [`DeviceArray::slice`](super::DeviceArray::slice). A kernel takes it by value or reference for `&[T]`.
pub struct DeviceSlice<'a, T> {
    owner: Owner<'a>,
    pointer: *const T,
    len: usize,
    elements: PhantomData<&'a [T]>,
}

/// An exclusive view of elements on a device: the counterpart of `&mut [T]` on the host.
///
/// Created by [`DeviceArray::slice_mut`](super::DeviceArray::slice_mut). A kernel takes it for `&mut [T]`, by value, or by `&mut` if it is
/// used again.
pub struct DeviceSliceMut<'a, T> {
    owner: Owner<'a>,
    pointer: *mut T,
    len: usize,
    elements: PhantomData<&'a mut [T]>,
}

// SAFETY: a view is what a reference to `[T]` is, and the device orders what threads ask of it.
unsafe impl<T: DeviceType> Send for DeviceSlice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: DeviceType> Sync for DeviceSlice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: DeviceType> Send for DeviceSliceMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: DeviceType> Sync for DeviceSliceMut<'_, T> {}

impl<T: DeviceType> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: DeviceType> Copy for DeviceSlice<'_, T> {}

impl<'a, T: DeviceType> DeviceSlice<'a, T> {
    /// # Safety
    ///
    /// `pointer` must be memory of `device` that holds `len` elements and is not written for `'a`, except by what was asked
    /// of the device before.
    #[inline]
    pub(crate) unsafe fn new(owner: Owner<'a>, pointer: *const T, len: usize) -> Self {
        Self { owner, pointer, len, elements: PhantomData }
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

    /// The device of the view.
    #[inline]
    #[must_use]
    pub fn device(&self) -> &'a Device {
        self.owner.device
    }

    /// A copy of its elements. Waits for all earlier operations on the device.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed since the last report.
    pub fn to_host(&self) -> Result<Vec<T>> {
        let mut host: Vec<T> = reserve(self.len)?;
        // SAFETY: the view is of `len` elements of the device, the vector has room for them, and once they are there, it
        // holds that many.
        unsafe {
            self.read_back(host.as_mut_ptr())?;
            host.set_len(self.len);
        }
        Ok(host)
    }

    /// Copies its elements into `host`. Waits for all earlier operations on the device.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if `host` is shorter or longer, and [`Error::KernelFailed`] if a kernel failed since the
    /// last report.
    #[track_caller]
    pub fn copy_to_host(&self, host: &mut [T]) -> Result<()> {
        check_lengths(self.len, host.len())?;
        // SAFETY: both have `len` elements, and every value on the device is one of `T`.
        unsafe { self.read_back(host.as_mut_ptr()) }
    }

    /// Copies the elements to `target`, and waits.
    ///
    /// # Safety
    ///
    /// `target` has room for them, and nothing else uses it.
    unsafe fn read_back(&self, target: *mut T) -> Result<()> {
        let (queue, bytes) = (self.owner.device.queue(), self.len * size_of::<T>());
        // SAFETY: the view is of `len` elements of the device; the caller guarantees the target.
        queue.read_back(&self.memory_use(Access::Read), || unsafe { queue.download(self.pointer.cast(), target.cast(), bytes) })
    }

    /// The same elements, for use on a stream: copies, and launches and array functions with this as their first array, run there. See
    /// [`Stream`].
    ///
    /// # Panics
    ///
    /// If the stream is one of another device.
    #[track_caller]
    #[must_use]
    pub fn on(self, stream: &'a Stream) -> Self {
        Self { owner: self.owner.on(stream), ..self }
    }

    /// The use of its memory.
    #[inline]
    pub(crate) fn memory_use(&self, access: Access) -> MemoryUse<'a> {
        self.owner.part(self.address(), self.len * size_of::<T>(), access)
    }

    /// The same memory as `len` values of another type.
    ///
    /// # Safety
    ///
    /// It holds as many values of `U`, aligned as these are.
    pub(crate) unsafe fn cast<U: DeviceType>(self, len: usize) -> DeviceSlice<'a, U> {
        // SAFETY: the caller guarantees the same.
        unsafe { DeviceSlice::new(self.owner, self.pointer.cast(), len) }
    }

    /// A view of a part, like `&slice[range]`.
    ///
    /// # Panics
    ///
    /// If the range is out of bounds, as slicing does.
    #[track_caller]
    #[must_use]
    pub fn slice(&self, range: impl IndexRange) -> DeviceSlice<'a, T> {
        let Range { start, end } = resolve(range, self.len);
        // Not `add`: an address on a GPU is no host allocation that an offset could stay inside.
        Self { pointer: self.pointer.wrapping_add(start), len: end - start, ..*self }
    }

    /// A view of the same elements along one axis, which can be reshaped, reversed, stepped over.
    #[must_use]
    pub fn view(&self) -> DeviceView<'a, T> {
        // SAFETY: the view is of `len` elements that follow each other.
        unsafe { DeviceView::new(self.owner, self.pointer, Layout::c_order(self.len.into())) }
    }

    /// The same elements with a shape: [`DeviceView::reshape`], which never fails with another error than that of the number of elements.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if `shape` has more or fewer elements.
    #[track_caller]
    pub fn reshape(self, shape: impl Into<Shape>) -> Result<DeviceView<'a, T>> {
        self.view().reshape(shape)
    }

    /// The part with this index or range, which may count from the end: [`DeviceArray::part`](super::DeviceArray::part).
    ///
    /// # Panics
    ///
    /// If it is out of bounds.
    #[track_caller]
    #[must_use]
    pub fn part(self, parts: impl ArrayPart) -> DeviceView<'a, T> {
        self.view().part(parts)
    }

    /// The element at an index, as a copy on the host: [`DeviceArray::get`](super::DeviceArray::get).
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed since the last report.
    ///
    /// # Panics
    ///
    /// If the index is out of bounds.
    #[track_caller]
    pub fn get(&self, index: impl Into<Shape>) -> Result<T> {
        self.view().get(index)
    }

    /// The address, for a launch.
    #[inline]
    pub(crate) fn address(&self) -> u64 {
        self.pointer.addr() as u64
    }

    /// Where the first element is: a host pointer on the CPU, an address on a GPU.
    #[inline]
    pub(crate) fn pointer(&self) -> *const T {
        self.pointer
    }

    /// The elements, for generated code.
    ///
    /// # Safety
    ///
    /// The view must be of the CPU's memory, and no kernel may be writing it.
    #[inline]
    #[must_use]
    pub(crate) unsafe fn as_host(&self) -> &'a [T] {
        // SAFETY: on the CPU the pointer is valid for `len` elements for `'a`; the caller guarantees the rest.
        unsafe { std::slice::from_raw_parts(self.pointer, self.len) }
    }
}

impl<'a, T: DeviceType> DeviceSliceMut<'a, T> {
    /// # Safety
    ///
    /// `pointer` must be memory of `device` that holds `len` elements and is not used by anything else for `'a`, except by what
    /// was asked of the device before.
    #[inline]
    pub(crate) unsafe fn new(owner: Owner<'a>, pointer: *mut T, len: usize) -> Self {
        Self { owner, pointer, len, elements: PhantomData }
    }

    slice_operations!();

    /// The device of the view.
    #[inline]
    #[must_use]
    pub fn device(&self) -> &'a Device {
        self.owner.device
    }

    /// The same elements, for use on a stream: copies, and launches and array functions with this as their first array, run there. See
    /// [`Stream`].
    ///
    /// # Panics
    ///
    /// If the stream is one of another device.
    #[track_caller]
    #[must_use]
    pub fn on(self, stream: &'a Stream) -> Self {
        Self { owner: self.owner.on(stream), ..self }
    }

    /// The allocation that it is of.
    #[inline]
    pub(super) fn owner(&self) -> Owner<'a> {
        self.owner
    }

    /// The use of its memory.
    #[inline]
    pub(crate) fn memory_use(&self, access: Access) -> MemoryUse<'a> {
        self.owner.part(self.address(), self.len * size_of::<T>(), access)
    }

    /// The same memory as `len` values of another type.
    ///
    /// # Safety
    ///
    /// It holds as many values of `U`, aligned as these are.
    pub(crate) unsafe fn cast<U: DeviceType>(self, len: usize) -> DeviceSliceMut<'a, U> {
        // SAFETY: the caller guarantees the same.
        unsafe { DeviceSliceMut::new(self.owner, self.pointer.cast(), len) }
    }

    /// Overwrites the elements with those of `host`.
    #[track_caller]
    pub(super) fn overwrite(self, host: &[T]) -> Result<()> {
        check_lengths(self.len, host.len())?;
        let queue = self.owner.device.queue();
        // SAFETY: both have `len` elements, and this view is exclusive.
        let upload = || unsafe { queue.upload(host.as_ptr().cast(), self.pointer.cast(), size_of_val(host)) };
        queue.fill(&self.memory_use(Access::Write), upload)
    }

    /// A view to read of the same elements along one axis, which can be reshaped, reversed, stepped over.
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, T> {
        self.shared().view()
    }

    /// An exclusive view of the same elements along one axis, which can be reshaped, reversed, stepped over. It takes the place of this
    /// part; [`reborrow`](Self::reborrow) it first to use it again.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// fn second_half(x: &mut DeviceArray<f32>) -> DeviceViewMut<'_, f32> {
    ///     let middle = x.len() / 2;
    ///     x.slice_mut(middle..).view_mut().reverse_axis(0)
    /// }
    ///
    /// let mut x = Device::cpu().zeros::<f32>(4)?;
    /// second_half(&mut x).set(0, 1.0)?;
    /// assert_eq!(x.to_host()?, [0.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn view_mut(self) -> DeviceViewMut<'a, T> {
        // SAFETY: the view is of `len` elements that follow each other, and this borrow of them is exclusive.
        unsafe { DeviceViewMut::new(self.owner, self.pointer, Layout::c_order(self.len.into())) }
    }

    /// The same elements with a shape, to write: [`DeviceViewMut::reshape`].
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if `shape` has more or fewer elements.
    #[track_caller]
    pub fn reshape(self, shape: impl Into<Shape>) -> Result<DeviceViewMut<'a, T>> {
        self.view_mut().reshape(shape)
    }

    /// The same part, after which this one can be used again.
    #[inline]
    #[must_use]
    pub fn reborrow(&mut self) -> DeviceSliceMut<'_, T> {
        self.exclusive()
    }

    fn exclusive_view(&mut self) -> DeviceViewMut<'_, T> {
        self.exclusive().view_mut()
    }

    #[track_caller]
    pub(super) fn into_slice_mut(self, range: impl IndexRange) -> Self {
        let Range { start, end } = resolve(range, self.len);
        Self { pointer: self.pointer.wrapping_add(start), len: end - start, ..self }
    }

    #[track_caller]
    pub(super) fn into_split_at_mut(self, mid: usize) -> (Self, Self) {
        let Range { start, end } = resolve(mid.., self.len);
        let rest = Self { pointer: self.pointer.wrapping_add(start), len: end - start, ..self };
        (Self { len: mid, ..self }, rest)
    }

    #[inline]
    pub(super) fn shared(&self) -> DeviceSlice<'_, T> {
        DeviceSlice { owner: self.owner, pointer: self.pointer, len: self.len, elements: PhantomData }
    }

    #[inline]
    pub(super) fn exclusive(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut { owner: self.owner, pointer: self.pointer, len: self.len, elements: PhantomData }
    }

    /// The address, for a launch.
    #[inline]
    pub(crate) fn address(&self) -> u64 {
        self.pointer.addr() as u64
    }

    /// Where the first element is: a host pointer on the CPU, an address on a GPU.
    #[inline]
    pub(crate) fn pointer(&self) -> *mut T {
        self.pointer
    }

    /// The elements, for generated code: a handle of which every thread of a kernel makes its own.
    ///
    /// # Safety
    ///
    /// The view must be of the CPU's memory, and be used by nothing but the kernel that this is for.
    #[inline]
    #[must_use]
    pub(crate) unsafe fn as_host_mut(&self) -> SharedSliceMut<'a, T> {
        // SAFETY: on the CPU the pointer is valid for `len` elements for `'a`; the caller guarantees the rest.
        unsafe { SharedSliceMut::from_raw_parts(self.pointer, self.len) }
    }
}

/// The type, length and device. The elements may be far away, and waiting for them is up to the program.
impl<T: DeviceType> fmt::Debug for DeviceSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceSlice<{}>(len {} on {})", std::any::type_name::<T>(), self.len, self.owner.device)
    }
}

impl<T: DeviceType> fmt::Debug for DeviceSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceSliceMut<{}>(len {} on {})", std::any::type_name::<T>(), self.len, self.owner.device)
    }
}

#[track_caller]
pub(super) fn check_lengths(device: usize, host: usize) -> Result<()> {
    if device == host { Ok(()) } else { Err(Error::LengthMismatch { device, host, location: Location::caller() }) }
}
