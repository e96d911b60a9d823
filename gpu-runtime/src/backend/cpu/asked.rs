//! What generated code asks of an array or a view: its length, its shape, a part, an element that the user guarantees.
//!
//! All kinds of arrays have methods of these names. But of a method that takes `&self`, rustc prefers one of a trait in scope that takes the same
//! receiver by value: a trait of the user's would answer. So generated code calls these functions by their paths.

use super::shared::Shared;
use super::slice::{SharedSliceMut, SliceMut, SliceRef};
use super::view::{SharedViewMut, View, ViewMut};

/// How many elements an array or a view has.
#[inline(always)]
#[must_use]
pub fn length<A: Counted + ?Sized>(array: &A) -> usize {
    array.count()
}

/// Has a number of elements.
pub trait Counted {
    /// How many.
    fn count(&self) -> usize;
}

macro_rules! counted {
    ($([$($generics:tt)*] $Array:ty: $count:expr;)+) => {$(
        impl<T, $($generics)*> Counted for $Array {
            #[inline(always)]
            fn count(&self) -> usize {
                $count(self)
            }
        }
    )+};
}

counted! {
    [] [T]: <[T]>::len;
    [] &[T]: <[T]>::len;
    [] &mut [T]: <[T]>::len;
    [const N: usize] [T; N]: <[T]>::len;
    [] SharedSliceMut<'_, T>: SharedSliceMut::len;
    [] SliceMut<'_, T>: SliceMut::len;
    [] SliceRef<'_, T>: SliceRef::len;
    [const N: usize] Shared<'_, [T; N]>: Shared::len;
    [const N: usize] View<'_, T, N>: View::len;
    [const N: usize] ViewMut<'_, T, N>: ViewMut::len;
    [const N: usize] SharedViewMut<'_, T, N>: SharedViewMut::len;
}

/// How many elements a view has along each axis.
#[inline(always)]
#[must_use]
pub fn shape<V: Shaped<N>, const N: usize>(view: &V) -> [usize; N] {
    view.extents()
}

/// Has a number of elements along each of `N` axes.
pub trait Shaped<const N: usize> {
    /// How many.
    fn extents(&self) -> [usize; N];
}

macro_rules! shaped {
    ($($View:ident)+) => {$(
        impl<T, const N: usize> Shaped<N> for $View<'_, T, N> {
            #[inline(always)]
            fn extents(&self) -> [usize; N] {
                $View::shape(self)
            }
        }
    )+};
}

shaped! { View ViewMut SharedViewMut }

/// The element of an array or a view that the user guarantees.
///
/// # Safety
///
/// As for [`ElementsByKey::at`].
#[inline(always)]
#[must_use]
pub unsafe fn get_unchecked<A: ElementsByKey<Key> + ?Sized, Key>(array: &A, key: Key) -> &A::Element {
    // SAFETY: the caller guarantees the same.
    unsafe { array.at(key) }
}

/// The same for writing.
///
/// # Safety
///
/// As for [`ElementsByKey::at`].
#[inline(always)]
#[must_use]
pub unsafe fn get_unchecked_mut<A: MutableElementsByKey<Key> + ?Sized, Key>(array: &mut A, key: Key) -> &mut A::Element {
    // SAFETY: the caller guarantees the same.
    unsafe { array.at_mut(key) }
}

/// Has elements at indices, or at lists of them.
pub trait ElementsByKey<Key> {
    /// Their type.
    type Element;

    /// The element there.
    ///
    /// # Safety
    ///
    /// The key is in bounds, on every axis.
    unsafe fn at(&self, key: Key) -> &Self::Element;
}

/// The same, where they can be written.
pub trait MutableElementsByKey<Key>: ElementsByKey<Key> {
    /// The element there, for writing.
    ///
    /// # Safety
    ///
    /// As for [`ElementsByKey::at`].
    unsafe fn at_mut(&mut self, key: Key) -> &mut Self::Element;
}

macro_rules! by_key {
    ($([$($generics:tt)*] $Array:ty, $Key:ty: $at:expr;)+) => {$(
        impl<T, $($generics)*> ElementsByKey<$Key> for $Array {
            type Element = T;

            #[inline(always)]
            unsafe fn at(&self, key: $Key) -> &T {
                // SAFETY: the caller guarantees the key.
                unsafe { $at(self, key) }
            }
        }
    )+};
}

by_key! {
    [] [T], usize: <[T]>::get_unchecked;
    [] &[T], usize: <[T]>::get_unchecked;
    [] &mut [T], usize: <[T]>::get_unchecked;
    [const N: usize] [T; N], usize: <[T]>::get_unchecked;
    [] SliceMut<'_, T>, usize: SliceMut::get_unchecked;
    [] SliceRef<'_, T>, usize: SliceRef::get_unchecked;
    [const N: usize] Shared<'_, [T; N]>, usize: Shared::get_unchecked;
    [const N: usize] View<'_, T, N>, [usize; N]: View::get_unchecked;
    [const N: usize] ViewMut<'_, T, N>, [usize; N]: ViewMut::get_unchecked;
}

macro_rules! mutable_by_key {
    ($([$($generics:tt)*] $Array:ty, $Key:ty: $at:expr;)+) => {$(
        impl<T, $($generics)*> MutableElementsByKey<$Key> for $Array {
            #[inline(always)]
            unsafe fn at_mut(&mut self, key: $Key) -> &mut T {
                // SAFETY: the caller guarantees the key.
                unsafe { $at(self, key) }
            }
        }
    )+};
}

mutable_by_key! {
    [] [T], usize: <[T]>::get_unchecked_mut;
    [] &mut [T], usize: <[T]>::get_unchecked_mut;
    [const N: usize] [T; N], usize: <[T]>::get_unchecked_mut;
    [] SliceMut<'_, T>, usize: SliceMut::get_unchecked_mut;
    [const N: usize] Shared<'_, [T; N]>, usize: Shared::get_unchecked_mut;
    [const N: usize] ViewMut<'_, T, N>, [usize; N]: ViewMut::get_unchecked_mut;
}
