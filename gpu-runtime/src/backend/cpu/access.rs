//! How twins access the elements of arrays that several threads may have.
//!
//! Generated code asks for an index before it uses it: `x[__thread.read(i, &x, site)?]`. The answer is the index, after its check. In a
//! checked launch, the [checker](super::checker) learns of the access.

use super::shared::Shared;
use super::slice::{SliceMut, SliceRef};
use super::thread::{Stop, Thread};
use super::view::{View, ViewMut};
use crate::failure::AccessKind;
use crate::source::Site;

/// Elements that have an index.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be indexed in memory that threads change",
    label = "its `Index` could return any part of the value",
    note = "copy the value, index the copy, and write it back: `let mut row = rows[i]; row[j] = 1.0; rows[i] = row;`"
)]
pub trait Elements {
    /// How many there are.
    fn count(&self) -> usize;
    /// The address of the first.
    fn first(&self) -> usize;
    /// The bytes of one.
    const BYTES: usize;
}

/// Elements that have an index on each of `N` axes.
pub trait AxesOfElements<const N: usize> {
    /// How many indices there are on each axis.
    fn extents(&self) -> [usize; N];
    /// The address of the element at an index that is in bounds.
    fn address(&self, index: [usize; N]) -> usize;
    /// The bytes of one.
    const BYTES: usize;
}

macro_rules! elements {
    ($([$($generics:tt)*] $Array:ty: |$array:ident| $count:expr, $first:expr;)+) => {$(
        impl<T, $($generics)*> Elements for $Array {
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
        impl<T, const N: usize> AxesOfElements<N> for $View<'_, T, N> {
            const BYTES: usize = size_of::<T>();

            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn extents(&self) -> [usize; N] {
                self.shape()
            }

            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn address(&self, index: [usize; N]) -> usize {
                // SAFETY: the caller checked the index.
                unsafe { std::ptr::from_ref(self.get_unchecked(index)).addr() }
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
            pub fn $one<A>(&self, index: usize, array: &A, site: Site) -> Result<usize, Stop>
            where
                A: Elements + ?Sized,
            {
                let index = self.index(index, array.count(), site)?;
                self.report_access(array.first() + index * A::BYTES, A::BYTES, AccessKind::$kind, site)?;
                Ok(index)
            }

            /// The same without a check and a report in a launch that makes the check redundant.
            ///
            /// # Safety
            ///
            /// As for [`index_unless_proved`](Self::index_unless_proved).
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub unsafe fn $one_unless_proved<A>(&self, index: usize, array: &A, site: Site) -> Result<usize, Stop>
            where
                A: Elements + ?Sized,
            {
                if self.block.in_bounds {
                    // SAFETY: the caller guarantees it.
                    Ok(unsafe { self.proved_index(index, array.count()) })
                } else {
                    self.$one(index, array, site)
                }
            }

            /// The same for an element of a view.
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $axes<A: AxesOfElements<N>, const N: usize>(&self, index: [usize; N], view: &A, sites: [Site; N]) -> Result<[usize; N], Stop> {
                let index = self.position(index, view.extents(), sites)?;
                self.report_access(view.address(index), A::BYTES, AccessKind::$kind, sites[N - 1])?;
                Ok(index)
            }

            /// The same without checks and a report in a launch that makes the checks redundant.
            ///
            /// # Safety
            ///
            /// As for [`index_unless_proved`](Self::index_unless_proved), on every axis.
            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub unsafe fn $axes_unless_proved<A: AxesOfElements<N>, const N: usize>(
                &self,
                index: [usize; N], view: &A, sites: [Site; N],
            ) -> Result<[usize; N], Stop> {
                if !self.block.in_bounds {
                    return self.$axes(index, view, sites);
                }
                let extents = view.extents();
                for axis in 0..N {
                    // SAFETY: the caller guarantees it.
                    unsafe { self.proved_index(index[axis], extents[axis]) };
                }
                Ok(index)
            }
        )+}
    };
}

accesses! {
    /// The index of an element that is read.
    Read: read read_unless_proved read_axes read_axes_unless_proved;
    /// The index of an element that is written.
    Write: write write_unless_proved write_axes write_axes_unless_proved;
    /// The index of an element that is read and written.
    Update: update update_unless_proved update_axes update_axes_unless_proved;
    /// The index of an element that an atomic operation uses.
    Atomic: atomic atomic_unless_proved atomic_axes atomic_axes_unless_proved;
}
