//! Slices as kernels and device functions see them on the CPU.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::slice;

use super::shared::Shared;

/// A `&mut [T]` parameter of a kernel or device function, or a [dynamic shared array](crate::intrinsics::dynamic_shared): the handle of one
/// thread.
///
/// Every thread of a launch has one, which a `&mut [T]` would not allow: two such references to the same elements are undefined
/// behaviour even if no thread writes. References come into being one element at a time instead, for one access.
///
/// To safe code it is an exclusive reference: neither `Copy` nor `Clone`, and made of a `&mut [T]` or of another handle that it borrows. Only
/// `unsafe` code makes a second handle of the same elements, and promises for both.
pub struct SliceMut<'a, T> {
    start: *mut T,
    len: usize,
    elements: PhantomData<&'a mut [T]>,
}

// SAFETY: it gives access to the elements like a `&mut [T]`, which may be sent if `T` may.
unsafe impl<T: Send> Send for SliceMut<'_, T> {}

// SAFETY: as above; a shared one only reads.
unsafe impl<T: Sync> Sync for SliceMut<'_, T> {}

/// What all threads of a launch share of a [`SliceMut`], which is not `Copy`. It gives no access.
pub struct SharedSliceMut<'a, T> {
    start: *mut T,
    len: usize,
    elements: PhantomData<&'a mut [T]>,
}

// SAFETY: it gives no access by itself. Two threads may read one element through the handles made of it: `T: Sync`.
unsafe impl<T: Send + Sync> Send for SharedSliceMut<'_, T> {}

// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for SharedSliceMut<'_, T> {}

impl<T> Clone for SharedSliceMut<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedSliceMut<'_, T> {}

impl<'a, T> SharedSliceMut<'a, T> {
    /// The `len` elements from `start` on.
    ///
    /// # Safety
    ///
    /// For `'a` the elements are initialised, in one allocation, and accessed through this handle and those made of it only.
    #[inline]
    pub(crate) const unsafe fn from_raw_parts(start: *mut T, len: usize) -> Self {
        Self { start, len, elements: PhantomData }
    }

    /// The number of elements.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The handle of one thread.
    ///
    /// # Safety
    ///
    /// A reference to an element lasts for one statement and not across a barrier, and two threads use the same element without an
    /// order between them only where the caller of an `unsafe` launch promised that they do not.
    #[inline]
    #[must_use]
    pub const unsafe fn of_thread(&self) -> SliceMut<'a, T> {
        SliceMut { start: self.start, len: self.len, elements: PhantomData }
    }
}

/// The elements of a slice, as those of a launch: for kernels that are written by hand.
impl<'a, T> From<&'a mut [T]> for SharedSliceMut<'a, T> {
    #[inline]
    fn from(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), elements: PhantomData }
    }
}

impl<'a, T> SliceMut<'a, T> {
    /// The `len` elements from `start` on.
    ///
    /// # Safety
    ///
    /// For `'a` the elements are initialised, in one allocation, and accessed through this handle only, or as
    /// [`of_thread`](SharedSliceMut::of_thread) says.
    #[inline]
    pub const unsafe fn from_raw_parts(start: *mut T, len: usize) -> Self {
        Self { start, len, elements: PhantomData }
    }

    /// The number of elements.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements from `start` to `end`, if there are such.
    #[inline]
    pub fn part(self, start: usize, end: usize) -> Option<Self> {
        let is_within = start <= end && end <= self.len;
        // SAFETY: elements of this handle, which ends here, for no longer.
        is_within.then(|| unsafe { Self::from_raw_parts(self.start.add(start), end - start) })
    }

    /// The first element's address.
    #[inline]
    pub(super) const fn as_mut_ptr(&self) -> *mut T {
        self.start
    }

    /// The element at `index`, unchecked.
    ///
    /// # Safety
    ///
    /// `index` is below the length.
    #[inline]
    pub unsafe fn get_unchecked(&self, index: usize) -> &T {
        // SAFETY: the caller guarantees the index, and who made the handle, the element and that nothing writes it meanwhile.
        unsafe { &*self.start.add(index) }
    }

    /// The element at `index`, unchecked, for writing.
    ///
    /// # Safety
    ///
    /// `index` is below the length.
    #[inline]
    pub unsafe fn get_unchecked_mut(&mut self, index: usize) -> &mut T {
        // SAFETY: as in `get_unchecked`.
        unsafe { &mut *self.start.add(index) }
    }
}

impl<T> Index<usize> for SliceMut<'_, T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        assert!(index < self.len);
        // SAFETY: just checked.
        unsafe { self.get_unchecked(index) }
    }
}

impl<T> IndexMut<usize> for SliceMut<'_, T> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        assert!(index < self.len);
        // SAFETY: just checked.
        unsafe { self.get_unchecked_mut(index) }
    }
}

impl<'a, T> From<&'a mut [T]> for SliceMut<'a, T> {
    #[inline]
    fn from(slice: &'a mut [T]) -> Self {
        // SAFETY: the slice is borrowed mutably for 'a.
        unsafe { Self::from_raw_parts(slice.as_mut_ptr(), slice.len()) }
    }
}

impl<'a, T, const N: usize> From<&'a mut [T; N]> for SliceMut<'a, T> {
    #[inline]
    fn from(array: &'a mut [T; N]) -> Self {
        Self::from(array.as_mut_slice())
    }
}

/// An argument for a `&[T]` parameter of a device function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `&[{T}]`",
    label = "the device function expects `&[{T}]` here",
    note = "pass a slice parameter by its name, or a reference to an array or a shared array"
)]
pub trait IntoSlice<'a, T> {
    /// The slice, for one call of a device function.
    fn into_slice(self) -> &'a [T];
}

/// An argument for a `&mut [T]` parameter of a device function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `&mut [{T}]`",
    label = "the device function expects `&mut [{T}]` here",
    note = "pass a slice parameter by its name, or a mutable reference to an array or a shared array"
)]
pub trait IntoSliceMut<'a, T> {
    /// The slice, for one call of a device function.
    fn into_slice_mut(self) -> SliceMut<'a, T>;
}

impl<'a, T> IntoSlice<'a, T> for &'a [T] {
    #[inline]
    fn into_slice(self) -> &'a [T] {
        self
    }
}

impl<'a, T, const N: usize> IntoSlice<'a, T> for &'a [T; N] {
    #[inline]
    fn into_slice(self) -> &'a [T] {
        self
    }
}

impl<'a, T> IntoSlice<'a, T> for &'a mut [T] {
    #[inline]
    fn into_slice(self) -> &'a [T] {
        self
    }
}

impl<'a, T, const N: usize> IntoSlice<'a, T> for &'a mut [T; N] {
    #[inline]
    fn into_slice(self) -> &'a [T] {
        self
    }
}

impl<'a, T> IntoSlice<'a, T> for SliceMut<'a, T> {
    #[inline]
    fn into_slice(self) -> &'a [T] {
        // SAFETY: the elements live for 'a. A device function has no barrier, so while the slice is in use no other thread of
        // this block runs. Threads of other blocks do not write to elements that this one reads: the race proof says so, or
        // the caller of an unsafe launch. Elements that it does not read may change under the reference; generated code never
        // passes the slice to anything that would look at them.
        unsafe { slice::from_raw_parts(self.start, self.len) }
    }
}

impl<'a, T> IntoSlice<'a, T> for &'a SliceMut<'_, T> {
    #[inline]
    fn into_slice(self) -> &'a [T] {
        // While the handle is borrowed, this second one serves for reading only.
        SliceMut { start: self.start, len: self.len, elements: PhantomData }.into_slice()
    }
}

impl<'a, T> IntoSlice<'a, T> for &'a mut SliceMut<'_, T> {
    #[inline]
    fn into_slice(self) -> &'a [T] {
        self.into_slice_mut().into_slice()
    }
}

impl<'a, T, const N: usize> IntoSlice<'a, T> for &'a Shared<'_, [T; N]> {
    #[inline]
    fn into_slice(self) -> &'a [T] {
        // SAFETY: the array is poisoned, hence initialised, and outlives the handle. It belongs to this block, and while the
        // device function runs no other thread of the block does.
        unsafe { slice::from_raw_parts(self.as_ptr(), N) }
    }
}

impl<'a, T, const N: usize> IntoSlice<'a, T> for &'a mut Shared<'_, [T; N]> {
    #[inline]
    fn into_slice(self) -> &'a [T] {
        (&*self).into_slice()
    }
}

impl<'a, T> IntoSliceMut<'a, T> for &'a mut [T] {
    #[inline]
    fn into_slice_mut(self) -> SliceMut<'a, T> {
        SliceMut::from(self)
    }
}

impl<'a, T, const N: usize> IntoSliceMut<'a, T> for &'a mut [T; N] {
    #[inline]
    fn into_slice_mut(self) -> SliceMut<'a, T> {
        SliceMut::from(self)
    }
}

impl<'a, T> IntoSliceMut<'a, T> for SliceMut<'a, T> {
    #[inline]
    fn into_slice_mut(self) -> SliceMut<'a, T> {
        self
    }
}

impl<'a, T> IntoSliceMut<'a, T> for &'a mut SliceMut<'_, T> {
    #[inline]
    fn into_slice_mut(self) -> SliceMut<'a, T> {
        // SAFETY: the same elements, while the handle is borrowed mutably.
        unsafe { SliceMut::from_raw_parts(self.start, self.len) }
    }
}

impl<'a, T, const N: usize> IntoSliceMut<'a, T> for &'a mut Shared<'_, [T; N]> {
    #[inline]
    fn into_slice_mut(self) -> SliceMut<'a, T> {
        // SAFETY: the array outlives the handle; other handles to it belong to threads of this block, none of which runs while the
        // device function does. An `async` one lets them run where it waits, and holds no reference to an element then.
        unsafe { SliceMut::from_raw_parts(self.as_ptr(), N) }
    }
}

/// A `&[T]` parameter of an `async` device function.
///
/// The function may wait while other threads of the block write to what it was given, which a `&[T]` would not allow. So this holds no
/// reference; one to an element lasts for one statement, as with [`SliceMut`].
pub struct SliceRef<'a, T> {
    start: *const T,
    len: usize,
    elements: PhantomData<&'a [T]>,
}

impl<T> Clone for SliceRef<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SliceRef<'_, T> {}

impl<T> SliceRef<'_, T> {
    /// The first element's address.
    #[inline]
    pub(super) const fn as_ptr(&self) -> *const T {
        self.start
    }

    /// The number of elements.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements from `start` to `end`, if there are such.
    #[inline]
    pub fn part(self, start: usize, end: usize) -> Option<Self> {
        let is_within = start <= end && end <= self.len;
        // SAFETY: just checked, so the address is in the same allocation, or at its end.
        is_within.then(|| Self { start: unsafe { self.start.add(start) }, len: end - start, elements: PhantomData })
    }

    /// The element at `index`, unchecked.
    ///
    /// # Safety
    ///
    /// `index` is below the length.
    #[inline]
    pub unsafe fn get_unchecked(&self, index: usize) -> &T {
        // SAFETY: the caller guarantees the index; what the handle was made from lives for 'a. Nothing writes to the element while
        // the reference is in use: no other thread of the block runs, and the race proof covers those of other blocks.
        unsafe { &*self.start.add(index) }
    }
}

impl<T> Index<usize> for SliceRef<'_, T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        assert!(index < self.len);
        // SAFETY: just checked.
        unsafe { self.get_unchecked(index) }
    }
}

/// An argument for a `&[T]` parameter of an `async` device function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `&[{T}]`",
    label = "the device function expects `&[{T}]` here",
    note = "pass a slice parameter by its name, or a reference to an array or a shared array"
)]
pub trait IntoSliceRef<'a, T> {
    /// The handle, for one call of a device function.
    fn into_slice_ref(self) -> SliceRef<'a, T>;
}

impl<'a, T> IntoSliceRef<'a, T> for SliceRef<'a, T> {
    #[inline]
    fn into_slice_ref(self) -> SliceRef<'a, T> {
        self
    }
}

impl<'a, T> IntoSlice<'a, T> for SliceRef<'a, T> {
    #[inline]
    fn into_slice(self) -> &'a [T] {
        // SAFETY: as for a `SliceMut`: the function that gets it does not wait.
        unsafe { slice::from_raw_parts(self.start, self.len) }
    }
}

macro_rules! into_slice_ref {
    ($([$($generics:tt)*] $from:ty: |$handle:ident| $start:expr, $len:expr;)+) => {$(
        impl<'a, T, $($generics)*> IntoSliceRef<'a, T> for $from {
            #[inline]
            fn into_slice_ref(self) -> SliceRef<'a, T> {
                let $handle = self;
                SliceRef { start: $start, len: $len, elements: PhantomData }
            }
        }
    )+};
}

into_slice_ref! {
    [] &'a [T]: |array| array.as_ptr(), array.len();
    [] &'a mut [T]: |array| array.as_ptr(), array.len();
    [const N: usize] &'a [T; N]: |array| array.as_ptr(), N;
    [const N: usize] &'a mut [T; N]: |array| array.as_ptr(), N;
    [] SliceMut<'a, T>: |array| array.start, array.len;
    [] &'a SliceMut<'_, T>: |array| array.start, array.len;
    [] &'a mut SliceMut<'_, T>: |array| array.start, array.len;
    [const N: usize] &'a Shared<'_, [T; N]>: |array| array.as_ptr(), N;
    [const N: usize] &'a mut Shared<'_, [T; N]>: |array| array.as_ptr(), N;
}
