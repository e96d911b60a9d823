//! How twins access the elements of arrays that several threads may have.
//!
//! Generated code asks before it uses an index: `if __thread.stops_at_read(i, &x, site) { return STOPPED }`, and then reads `x[i]`. In a checked
//! launch, the [checker](super::checker) learns of the access.
//!
//! The answer is a `bool`, because a `return` in an `if` takes rustc two thirds of the time that `?` takes, for each access of each kernel.

use super::shared::Shared;
use super::slice::{SliceMut, SliceRef};
use super::thread::Thread;
use super::view::{View, ViewMut};
use crate::failure::AccessKind;

/// Elements that have an index.
///
/// # Safety
///
/// What is below the count is an index of the type's `Index`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be indexed in memory that threads change",
    label = "its `Index` could return any part of the value",
    note = "copy the value, index the copy, and write it back: `let mut row = rows[i]; row[j] = 1.0; rows[i] = row;`"
)]
pub unsafe trait Elements {
    /// How many there are.
    fn count(&self) -> usize;
    /// The address of the first.
    fn first(&self) -> usize;
    /// The bytes of one.
    const BYTES: usize;
}

/// Elements that have an index on each of `N` axes.
///
/// # Safety
///
/// What is below the extents is an index of the type's `Index`.
pub unsafe trait AxesOfElements<const N: usize> {
    /// How many indices there are on each axis.
    fn extents(&self) -> [usize; N];
    /// The address of the element at an index that is in bounds.
    fn address(&self, index: [usize; N]) -> usize;
    /// The bytes of one.
    const BYTES: usize;
}

macro_rules! elements {
    ($([$($generics:tt)*] $Array:ty: |$array:ident| $count:expr, $first:expr;)+) => {$(
        // SAFETY: the count is what `Index` compares an index with.
        unsafe impl<T, $($generics)*> Elements for $Array {
            const BYTES: usize = size_of::<T>();

            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn count(&self) -> usize {
                let $array = self;
                $count
            }

            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn first(&self) -> usize {
                let $array = self;
                $first.addr()
            }
        }
    )+};
}

elements! {
    [] [T]: |array| array.len(), array.as_ptr();
    [] &[T]: |array| array.len(), array.as_ptr();
    [] &mut [T]: |array| array.len(), array.as_ptr();
    [const N: usize] [T; N]: |_array| N, _array.as_ptr();
    [const N: usize] &[T; N]: |_array| N, _array.as_ptr();
    [const N: usize] &mut [T; N]: |_array| N, _array.as_ptr();
    [] SliceMut<'_, T>: |array| array.len(), array.as_mut_ptr();
    [] SliceRef<'_, T>: |array| array.len(), array.as_ptr();
    [const N: usize] Shared<'_, [T; N]>: |_array| N, _array.as_ptr();
}

macro_rules! axes {
    ($($View:ident)+) => {$(
        // SAFETY: the extents are what `Index` compares an index with.
        unsafe impl<T, const N: usize> AxesOfElements<N> for $View<'_, T, N> {
            const BYTES: usize = size_of::<T>();

            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn extents(&self) -> [usize; N] {
                self.shape()
            }

            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn address(&self, index: [usize; N]) -> usize {
                self.address_of(index)
            }
        }
    )+};
}

axes! { View ViewMut }

macro_rules! accesses {
    ($($(#[$doc:meta])* $kind:ident: $one:ident $one_unless_proved:ident $axes:ident $axes_unless_proved:ident;)+) => {
        impl Thread<'_> {$(
            $(#[$doc])*
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $one<A>(&self, index: usize, array: &A, site: u32) -> bool
            where
                A: Elements + ?Sized,
            {
                self.stops_at_index(index, array.count(), site)
                    || self.stops_in_report(array.first() + index * A::BYTES, A::BYTES, AccessKind::$kind, site)
            }

            /// The same without a check and a report in a launch that makes the check redundant.
            ///
            /// # Safety
            ///
            /// As for [`stops_at_index_unless_proved`](Self::stops_at_index_unless_proved).
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub unsafe fn $one_unless_proved<A>(&self, index: usize, array: &A, site: u32) -> bool
            where
                A: Elements + ?Sized,
            {
                if !self.block.in_bounds {
                    return self.$one(index, array, site);
                }
                // SAFETY: the caller guarantees it.
                unsafe { self.proved_index(index, array.count()) };
                false
            }

            /// The same for an element of a view.
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $axes<A: AxesOfElements<N>, const N: usize>(&self, index: [usize; N], view: &A, sites: [u32; N]) -> bool {
                self.stops_at_position(index, view.extents(), sites)
                    || self.stops_in_report(view.address(index), A::BYTES, AccessKind::$kind, sites[N - 1])
            }

            /// The same without checks and a report in a launch that makes the checks redundant.
            ///
            /// # Safety
            ///
            /// As for [`stops_at_index_unless_proved`](Self::stops_at_index_unless_proved), on every axis.
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub unsafe fn $axes_unless_proved<A: AxesOfElements<N>, const N: usize>(
                &self,
                index: [usize; N], view: &A, sites: [u32; N],
            ) -> bool {
                if !self.block.in_bounds {
                    return self.$axes(index, view, sites);
                }
                let extents = view.extents();
                for axis in 0..N {
                    // SAFETY: the caller guarantees it.
                    unsafe { self.proved_index(index[axis], extents[axis]) };
                }
                false
            }
        )+}
    };
}

accesses! {
    /// Whether the thread stops before it reads the element.
    Read: stops_at_read stops_at_read_unless_proved stops_at_read_axes stops_at_read_axes_unless_proved;
    /// Whether it stops before it writes the element.
    Write: stops_at_write stops_at_write_unless_proved stops_at_write_axes stops_at_write_axes_unless_proved;
    /// Whether it stops before it reads and writes the element.
    Update: stops_at_update stops_at_update_unless_proved stops_at_update_axes stops_at_update_axes_unless_proved;
    /// Whether it stops before it uses the element in an atomic operation.
    Atomic: stops_at_atomic stops_at_atomic_unless_proved stops_at_atomic_axes stops_at_atomic_axes_unless_proved;
}
