//! What a parameter of a kernel is on the host: one implementation of [`Argument`] for each kind.
//!
//! The CUDA C of a kernel takes the values that `bind` hands over, in the order of the tuple, and its twin takes what `host` gives.

use std::ops::{Deref, Range};

use super::ArgumentBinder;
use crate::atomic::Atomic;
use crate::backend::Access;
use crate::backend::cpu::{SharedSliceMut, SharedViewMut, View};
use crate::memory::{AtomicsArgument, DeviceAtomicView, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut};
use crate::source::DeviceType;

pub(super) mod sealed {
    /// No other type can be an argument: a twin trusts what [`host`](super::Argument::host) gives, and a GPU what `bind` hands over.
    pub trait Sealed {}
}

use sealed::Sealed;

/// An argument of a launch. The workers of the CPU backend share it.
pub trait Argument: Sealed + Sync {
    /// What the twin has of it.
    type Host;

    /// Hands it over to a launch.
    fn bind<'l>(&self, binder: &mut ArgumentBinder<'l>)
    where
        Self: 'l;

    /// What the twin has of it.
    ///
    /// # Safety
    ///
    /// An array must lie in host memory, and its elements must be used as the launch allows.
    unsafe fn host(&self) -> Self::Host;

    /// The addresses of its elements, of an array.
    fn memory(&self) -> Option<Range<usize>> {
        None
    }

    /// Whether parts of its elements, of an array, can be loaded at once: its address is a multiple of the largest power of two, up to 16, that
    /// divides the size of an element.
    #[inline]
    fn is_aligned(&self) -> bool {
        true
    }
}

impl<T: DeviceType> Sealed for T {}

/// A value is copied: a number, a struct, an enum or a tuple.
impl<T: DeviceType> Argument for T {
    type Host = T;

    #[inline]
    fn bind<'l>(&self, binder: &mut ArgumentBinder<'l>)
    where
        Self: 'l,
    {
        const { T::HAS_LAYOUT }
        binder.value(*self);
    }

    #[inline]
    unsafe fn host(&self) -> T {
        *self
    }
}

impl Sealed for () {}

/// The argument for a parameter whose type was refused: the program does not compile, and nothing is to be said of its arguments.
impl Argument for () {
    type Host = ();

    fn bind<'l>(&self, _: &mut ArgumentBinder<'l>)
    where
        Self: 'l,
    {
    }

    unsafe fn host(&self) {}
}

/// The argument for a view with `N` axes. How many it has is known when the program runs.
#[derive(Debug)]
pub struct Ranked<V, const N: usize>(pub V);

impl<V, const N: usize> Deref for Ranked<V, N> {
    type Target = V;

    #[inline]
    fn deref(&self) -> &V {
        &self.0
    }
}

/// What generated code asks about a view.
macro_rules! ranked {
    ($([$($generics:tt)*] $View:ty, |$view:ident| $layout:expr;)*) => {$(
        impl<$($generics)*, const N: usize> Ranked<$View, N> {
            /// How many elements it has along an axis.
            #[inline]
            #[must_use]
            pub fn extent(&self, axis: usize) -> i128 {
                self.shape().extents()[axis] as i128
            }

            /// Whether its elements do not lie compactly: the last axis has a stride, or an offset needs more than 31 bits.
            #[must_use]
            pub fn is_scattered(&self) -> bool {
                let $view = self;
                $layout.is_scattered()
            }
        }
    )*};
}

ranked! {
    [T: DeviceType] DeviceView<'_, T>, |view| view.layout();
    [T: DeviceType] DeviceViewMut<'_, T>, |view| view.layout();
    [A: Atomic] DeviceAtomicView<'_, A>, |view| view.address_and_layout().1;
}

/// The argument for a slice of which a kernel takes only the pointer: one that the user wrote in CUDA C.
#[derive(Debug)]
pub struct Pointer<S>(pub S);

impl<S> Deref for Pointer<S> {
    type Target = S;

    #[inline]
    fn deref(&self) -> &S {
        &self.0
    }
}

/// The largest power of two, up to 16, that divides the size of a `T`.
const fn part_alignment<T>() -> usize {
    match size_of::<T>() {
        0 => 1,
        size if size.trailing_zeros() < 4 => 1 << size.trailing_zeros(),
        _ => 16,
    }
}

/// Implements [`Argument`] for arrays: what they are in a twin, and how they are bound and seen.
macro_rules! arrays {
    ($([$T:ident: $($bounds:tt)*] $Array:ty => $Host:ty, |$array:ident, $binder:ident| $bind:block, $host:expr, $memory:expr;)*) => {$(
        impl<'a, $T: $($bounds)*> Sealed for $Array {}

        impl<'a, $T: $($bounds)*> Argument for $Array {
            type Host = $Host;

            #[inline]
            fn bind<'l>(&self, $binder: &mut ArgumentBinder<'l>)
            where
                Self: 'l,
            {
                let $array = self;
                $bind
            }

            #[inline]
            unsafe fn host(&self) -> $Host {
                let $array = self;
                // SAFETY: the caller guarantees the same.
                unsafe { $host }
            }

            fn memory(&self) -> Option<Range<usize>> {
                let $array = self;
                let bytes = $memory.bytes;
                Some(bytes.start as usize..bytes.end as usize)
            }

            #[inline]
            fn is_aligned(&self) -> bool {
                let $array = self;
                // What every element is aligned to needs no comparison.
                part_alignment::<$T>() <= align_of::<$T>() || $memory.bytes.start % part_alignment::<$T>() as u64 == 0
            }
        }
    )*};
}

arrays! {
    [T: DeviceType] DeviceSlice<'a, T> => &'a [T],
    |slice, binder| { binder.array(slice.device(), slice.memory_use(Access::Read), slice.len()) }, slice.as_host(), slice.memory_use(Access::Read);

    [T: DeviceType] DeviceSliceMut<'a, T> => SharedSliceMut<'a, T>,
    |slice, binder| {
        binder.array(slice.device(), slice.memory_use(Access::Write), slice.len());
        binder.output(slice.is_empty());
    }, slice.as_host_mut(), slice.memory_use(Access::Write);

    [A: Atomic] AtomicsArgument<'a, A> => &'a [A],
    |argument, binder| {
        let atomics = argument.atomics();
        binder.array(atomics.device(), atomics.memory_use(), atomics.len());
        binder.output(atomics.is_empty());
    }, argument.atomics().as_host(), argument.atomics().memory_use();

    [T: DeviceType] Pointer<DeviceSlice<'a, T>> => &'a [T],
    |slice, binder| { binder.pointer(slice.device(), slice.memory_use(Access::Read)) }, slice.as_host(), slice.memory_use(Access::Read);

    [T: DeviceType] Pointer<DeviceSliceMut<'a, T>> => SharedSliceMut<'a, T>,
    |slice, binder| {
        binder.pointer(slice.device(), slice.memory_use(Access::Write));
        binder.output(slice.is_empty());
    }, slice.as_host_mut(), slice.memory_use(Access::Write);

    [A: Atomic] Pointer<AtomicsArgument<'a, A>> => &'a [A],
    |argument, binder| {
        let atomics = argument.atomics();
        binder.pointer(atomics.device(), atomics.memory_use());
        binder.output(atomics.is_empty());
    }, argument.atomics().as_host(), argument.atomics().memory_use();

    [T: DeviceType, const N: usize] Ranked<DeviceView<'a, T>, N> => View<'a, T, N>,
    |view, binder| { binder.strided::<N>(view.device(), view.memory_use(Access::Read), view.pointer().addr(), view.layout()) },
    view.as_host(), view.memory_use(Access::Read);

    [T: DeviceType, const N: usize] Ranked<DeviceViewMut<'a, T>, N> => SharedViewMut<'a, T, N>,
    |view, binder| {
        binder.strided::<N>(view.device(), view.memory_use(Access::Write), view.pointer().addr(), view.layout());
        binder.output(view.is_empty());
    }, view.as_host_mut(), view.memory_use(Access::Write);

    [A: Atomic, const N: usize] Ranked<DeviceAtomicView<'a, A>, N> => View<'a, A, N>,
    |view, binder| {
        let (address, layout) = view.address_and_layout();
        binder.strided::<N>(view.device(), view.memory_use(), address, layout);
        binder.output(view.is_empty());
    }, view.as_host(), view.memory_use();
}

/// The arguments of a launch, in the order of the parameters: a tuple of [`Argument`]s. That they are those which a kernel expects is what its
/// `unsafe impl KernelDefinition` promises.
pub trait Arguments: Sync {
    /// What the twin has of each.
    type Host;

    /// Hands all of them over to a launch.
    fn bind<'l>(&self, binder: &mut ArgumentBinder<'l>)
    where
        Self: 'l;

    /// What the twin has of each.
    ///
    /// # Safety
    ///
    /// As for [`Argument::host`].
    unsafe fn host(&self) -> Self::Host;

    /// Whether [parts of elements](Argument::is_aligned) can be loaded at once from each array.
    #[inline]
    fn are_aligned(&self) -> bool {
        true
    }

    /// The addresses of the elements of each array.
    fn memories(&self) -> Vec<Option<Range<usize>>> {
        Vec::new()
    }
}

/// Implements [`Arguments`] for a tuple and all shorter ones.
macro_rules! tuples {
    ([$($A:ident $position:tt)*]) => {
        impl<$($A: Argument),*> Arguments for ($($A,)*) {
            type Host = ($($A::Host,)*);

            #[inline]
            #[allow(unused_variables)]
            fn bind<'l>(&self, binder: &mut ArgumentBinder<'l>)
            where
                Self: 'l,
            {
                $(self.$position.bind(binder);)*
            }

            #[inline]
            #[allow(clippy::unused_unit)]
            unsafe fn host(&self) -> Self::Host {
                // SAFETY: the caller guarantees the same.
                ($(unsafe { self.$position.host() },)*)
            }

            #[inline]
            fn are_aligned(&self) -> bool {
                true $(&& self.$position.is_aligned())*
            }

            fn memories(&self) -> Vec<Option<Range<usize>>> {
                vec![$(self.$position.memory()),*]
            }
        }
    };
    ([$($done:tt)*] $A:ident $position:tt $($rest:tt)*) => {
        tuples!([$($done)*]);
        tuples!([$($done)* $A $position] $($rest)*);
    };
}

tuples!([]
    A0 0 A1 1 A2 2 A3 3 A4 4 A5 5 A6 6 A7 7 A8 8 A9 9 A10 10 A11 11 A12 12 A13 13 A14 14 A15 15
    A16 16 A17 17 A18 18 A19 19 A20 20 A21 21 A22 22 A23 23 A24 24 A25 25 A26 26 A27 27 A28 28 A29 29 A30 30 A31 31
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::memory::{DeviceArray, IntoDeviceSlice};

    /// The alignment that is asked of arrays of this type, and whether one has it that begins 4 bytes after a multiple of 16.
    fn asked<T: DeviceType>() -> (usize, bool, bool) {
        let device = Device::cpu();
        let mut memory = vec![0u128; 8];
        // SAFETY: 4 bytes of 128 are skipped.
        let pointer = unsafe { memory.as_mut_ptr().byte_add(4) }.cast::<T>();
        // SAFETY: two elements of at most 48 bytes lie there, which outlive the array and are not used.
        let array = unsafe { DeviceArray::from_raw(&device, pointer, 2, ()) };
        let whole = (&array).into_device_slice().is_aligned();
        let last = Ranked::<_, 1>(array.view().slice_axis(0, 1..)).is_aligned();
        (part_alignment::<T>(), whole, last)
    }

    #[test]
    fn parts_of_elements_are_loaded_at_once_where_their_address_allows_it() {
        assert_eq!(asked::<f32>(), (4, true, true));
        assert_eq!(asked::<(f32, f32)>(), (8, false, false));
        assert_eq!(asked::<[f32; 3]>(), (4, true, true));
        assert_eq!(asked::<[f32; 4]>(), (16, false, false));
        assert_eq!(asked::<[u8; 6]>(), (2, true, true));
        assert_eq!(asked::<[f32; 12]>(), (16, false, false));
        let own = Device::cpu().zeros::<[f32; 4]>(3).unwrap();
        assert!((&own).into_device_slice().is_aligned());
    }
}
