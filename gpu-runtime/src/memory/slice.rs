//! Views of part of an array.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds};

use super::{Element, raw};
use crate::backend::cpu::SliceMut;
use crate::device::Device;
use crate::{Error, Result};

/// A view of elements on a device: what `&[T]` is on the host.
///
/// Made by [`DeviceArray::slice`](super::DeviceArray::slice). A kernel takes it by value or reference for `&[T]`.
pub struct DeviceSlice<'a, T: Element> {
    device: &'a Device,
    pointer: *const T,
    len: usize,
    elements: PhantomData<&'a [T]>,
}

/// An exclusive view of elements on a device: what `&mut [T]` is on the host.
///
/// Made by [`DeviceArray::slice_mut`](super::DeviceArray::slice_mut). A kernel takes it by value, or by `&mut` to be used
/// again, for `&mut [T]`.
pub struct DeviceSliceMut<'a, T: Element> {
    device: &'a Device,
    pointer: *mut T,
    len: usize,
    elements: PhantomData<&'a mut [T]>,
}

// SAFETY: a view is what a reference to `[T]` is, and the device orders what threads ask of it.
unsafe impl<T: Element> Send for DeviceSlice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Element> Sync for DeviceSlice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Element> Send for DeviceSliceMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Element> Sync for DeviceSliceMut<'_, T> {}

impl<T: Element> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element> Copy for DeviceSlice<'_, T> {}

impl<'a, T: Element> DeviceSlice<'a, T> {
    /// # Safety
    ///
    /// `pointer` must be memory of `device` that holds `len` elements and is not written for `'a`, except by what was asked
    /// of the device before.
    #[inline]
    pub(crate) unsafe fn new(device: &'a Device, pointer: *const T, len: usize) -> Self {
        Self { device, pointer, len, elements: PhantomData }
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

    /// The device it lies on.
    #[inline]
    #[must_use]
    pub fn device(&self) -> &'a Device {
        self.device
    }

    /// A copy of its elements, once everything asked of the device so far is done.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed since the last report.
    pub fn to_host(&self) -> Result<Vec<T>> {
        let mut host: Vec<T> = Vec::with_capacity(self.len);
        // SAFETY: the view is of `len` elements of the device, the vector has room for them, and once they are there, it
        // holds that many.
        unsafe {
            raw::download(self.device, self.pointer.cast(), host.as_mut_ptr().cast(), self.len * size_of::<T>())?;
            host.set_len(self.len);
        }
        Ok(host)
    }

    /// Copies its elements into `host`, once everything asked of the device so far is done.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if `host` is shorter or longer, and [`Error::KernelFailed`] if a kernel failed since the
    /// last report.
    pub fn copy_to_host(&self, host: &mut [T]) -> Result<()> {
        check_lengths(self.len, host.len())?;
        // SAFETY: both have `len` elements, and every value on the device is one of `T`.
        unsafe { raw::download(self.device, self.pointer.cast(), host.as_mut_ptr().cast(), size_of_val(host)) }
    }

    /// A view of part of it, like `&slice[range]`.
    ///
    /// # Panics
    ///
    /// If the range is out of bounds, as slicing does.
    #[track_caller]
    #[must_use]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> DeviceSlice<'a, T> {
        let Range { start, end } = resolve(range, self.len);
        // Not `add`: an address on a GPU is no host allocation that an offset could stay inside.
        Self { pointer: self.pointer.wrapping_add(start), len: end - start, ..*self }
    }

    /// The address, for a launch.
    #[inline]
    pub(crate) fn address(&self) -> u64 {
        self.pointer.addr() as u64
    }

    /// The elements, for generated code.
    ///
    /// # Safety
    ///
    /// The view must be of the CPU's memory, and no kernel may be writing it.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub unsafe fn as_host(&self) -> &'a [T] {
        // SAFETY: on the CPU the pointer is valid for `len` elements for `'a`; the caller vouches for the rest.
        unsafe { std::slice::from_raw_parts(self.pointer, self.len) }
    }
}

impl<'a, T: Element> DeviceSliceMut<'a, T> {
    /// # Safety
    ///
    /// `pointer` must be memory of `device` that holds `len` elements and is used by nobody else for `'a`, except by what
    /// was asked of the device before.
    #[inline]
    pub(crate) unsafe fn new(device: &'a Device, pointer: *mut T, len: usize) -> Self {
        Self { device, pointer, len, elements: PhantomData }
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

    /// The device it lies on.
    #[inline]
    #[must_use]
    pub fn device(&self) -> &'a Device {
        self.device
    }

    /// A copy of its elements, once everything asked of the device so far is done.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed since the last report.
    pub fn to_host(&self) -> Result<Vec<T>> {
        self.shared().to_host()
    }

    /// Copies its elements into `host`, once everything asked of the device so far is done.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if `host` is shorter or longer, and [`Error::KernelFailed`] if a kernel failed since the
    /// last report.
    pub fn copy_to_host(&self, host: &mut [T]) -> Result<()> {
        self.shared().copy_to_host(host)
    }

    /// Overwrites its elements with those of `host`, once the kernels that were launched before are done with it.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if `host` is shorter or longer.
    pub fn copy_from_host(&mut self, host: &[T]) -> Result<()> {
        check_lengths(self.len, host.len())?;
        // SAFETY: both have `len` elements, and this view is exclusive.
        unsafe { raw::upload(self.device, host.as_ptr().cast(), self.pointer.cast(), size_of_val(host)) }
    }

    /// A shared view of part of it, like `&slice[range]`.
    ///
    /// # Panics
    ///
    /// If the range is out of bounds, as slicing does.
    #[track_caller]
    #[must_use]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> DeviceSlice<'_, T> {
        self.shared().slice(range)
    }

    /// An exclusive view of part of it, like `&mut slice[range]`.
    ///
    /// # Panics
    ///
    /// If the range is out of bounds, as slicing does.
    #[track_caller]
    #[must_use]
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> DeviceSliceMut<'_, T> {
        self.reborrow().into_slice_mut(range)
    }

    /// Exclusive views of the first `mid` elements and of the rest, for two arguments of one launch.
    ///
    /// # Panics
    ///
    /// If `mid` is past the end.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let mut array = Device::cpu().to_device(&[1, 2, 3])?;
    /// let (mut left, right) = array.split_at_mut(1);
    /// left.copy_from_host(&[9])?;
    /// assert_eq!(right.to_host()?, [2, 3]);
    /// assert_eq!(array.to_host()?, [9, 2, 3]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn split_at_mut(&mut self, mid: usize) -> (DeviceSliceMut<'_, T>, DeviceSliceMut<'_, T>) {
        self.reborrow().into_split_at_mut(mid)
    }

    #[track_caller]
    pub(super) fn into_slice_mut(self, range: impl RangeBounds<usize>) -> Self {
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
        DeviceSlice { device: self.device, pointer: self.pointer, len: self.len, elements: PhantomData }
    }

    #[inline]
    pub(super) fn reborrow(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut { device: self.device, pointer: self.pointer, len: self.len, elements: PhantomData }
    }

    /// The address, for a launch.
    #[inline]
    pub(crate) fn address(&self) -> u64 {
        self.pointer.addr() as u64
    }

    /// The elements, for generated code: a handle that every thread of a kernel copies.
    ///
    /// # Safety
    ///
    /// The view must be of the CPU's memory, and be used by nothing but the kernel that this is for.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub unsafe fn as_host_mut(&self) -> SliceMut<'a, T> {
        // SAFETY: on the CPU the pointer is valid for `len` elements for `'a`; the caller vouches for the rest.
        unsafe { SliceMut::from_raw_parts(self.pointer, self.len) }
    }
}

/// The type, length and device. The elements may be far away, and waiting for them is up to the program.
impl<T: Element> fmt::Debug for DeviceSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceSlice<{}>(len {} on {})", std::any::type_name::<T>(), self.len, self.device)
    }
}

impl<T: Element> fmt::Debug for DeviceSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceSliceMut<{}>(len {} on {})", std::any::type_name::<T>(), self.len, self.device)
    }
}

fn check_lengths(device: usize, host: usize) -> Result<()> {
    if device == host { Ok(()) } else { Err(Error::LengthMismatch { device, host }) }
}

/// The start and end of `range` in something of `len` elements; panics in the words of std.
#[track_caller]
fn resolve(range: impl RangeBounds<usize>, len: usize) -> Range<usize> {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&before) => before.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    let (Some(start), Some(end)) = (start, end) else { panic!("attempted to index slice past maximum usize") };
    assert!(start <= len, "range start index {start} out of range for slice of length {len}");
    assert!(end <= len, "range end index {end} out of range for slice of length {len}");
    assert!(start <= end, "slice index starts at {start} but ends at {end}");
    start..end
}
