//! Views of atomics of any shape.

use std::fmt;
use std::marker::PhantomData;

use super::layout::Layout;
use super::raw::Owner;
use super::{DeviceArray, DeviceViewMut, IntoDeviceSliceMut, IntoViewMut, Shape};
use crate::atomic::{Atomic, AtomicOf};
use crate::backend::cpu::View;
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::source::{DeviceType, Element};

/// A view of numbers on a device as atomics, along up to seven axes: the counterpart of ndarray's `ArrayView` of atomics on the host.
///
/// Created by [`DeviceViewMut::atomics`]. As with a `&[AtomicU32]`, several views of the same elements may exist, and all of them may
/// change the elements. A kernel takes it for a `View<AtomicU32, N>` parameter; in most cases, `&mut array` or `array.view_mut()` is
/// enough.
pub struct DeviceAtomicView<'a, A: Atomic> {
    owner: Owner<'a>,
    pointer: *const A,
    layout: Layout,
    elements: PhantomData<&'a [A]>,
}

// SAFETY: a view is what a reference to `[A]` is, and the device orders what threads ask of it.
unsafe impl<A: Atomic> Send for DeviceAtomicView<'_, A> {}
// SAFETY: as above.
unsafe impl<A: Atomic> Sync for DeviceAtomicView<'_, A> {}

impl<A: Atomic> Clone for DeviceAtomicView<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Atomic> Copy for DeviceAtomicView<'_, A> {}

impl<'a, A: Atomic> DeviceAtomicView<'a, A> {
    /// The elements of `view`, which stay borrowed exclusively: they can only be accessed as atomics.
    #[inline]
    fn new<T: Element>(view: DeviceViewMut<'a, T>) -> Self
    where
        A: AtomicOf<T>,
    {
        Self { owner: view.owner(), pointer: view.pointer().cast::<A>(), layout: *view.layout(), elements: PhantomData }
    }

    /// How many elements it has along each axis.
    #[inline]
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.layout.shape
    }

    /// Whether it has no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layout.shape.extents().contains(&0)
    }

    /// The device of the view.
    #[inline]
    #[must_use]
    pub fn device(&self) -> &'a Device {
        self.owner.device
    }

    /// The use of its memory.
    #[inline]
    pub(crate) fn memory_use(&self) -> MemoryUse<'a> {
        self.owner.part_of_layout(self.pointer.addr(), &self.layout, size_of::<A>(), Access::Write)
    }

    /// The address of element `[0, 0, …]` and the layout, for a launch.
    #[inline]
    pub(crate) fn address_and_layout(&self) -> (usize, &Layout) {
        (self.pointer.addr(), &self.layout)
    }

    /// The elements, for generated code.
    ///
    /// # Safety
    ///
    /// The view must be of the CPU's memory.
    ///
    /// # Panics
    ///
    /// If the view does not have `N` axes.
    #[inline]
    #[must_use]
    pub(crate) unsafe fn as_host<const N: usize>(&self) -> View<'a, A, N> {
        let (shape, strides) = self.layout.shape_and_strides().expect("the launch has compared the ranks");
        // SAFETY: on the CPU the elements are values with the layout of `A`, in one allocation. They are borrowed exclusively for 'a,
        // and views of this kind are the only way to them.
        unsafe { View::from_raw_parts(self.pointer, shape, strides) }
    }
}

/// The type, shape and device, without the elements.
impl<A: Atomic> fmt::Debug for DeviceAtomicView<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceAtomicView<{}>({} on {})", std::any::type_name::<A>(), self.layout, self.owner.device)
    }
}

/// The elements of an array of structs or arrays, of which a launch accesses the numbers as atomics.
pub struct AtomicParts<'a, T: DeviceType>(DeviceViewMut<'a, T>);

impl<'a, T: DeviceType> AtomicParts<'a, T> {
    /// Of what is passed for a `&mut [T]`.
    #[inline]
    pub fn of_slice(slice: impl IntoDeviceSliceMut<'a, T>) -> Self {
        Self(slice.into_device_slice_mut().view_mut())
    }

    /// Of what is passed for a `ViewMut<T, N>`.
    #[inline]
    pub fn of_view<const N: usize>(view: impl IntoViewMut<'a, T, N>) -> Self {
        Self(view.into_view_mut())
    }

    /// The numbers at `offset` in the elements, in bytes. Where arrays of `lengths` are there, these are the last axes.
    ///
    /// # Safety
    ///
    /// Each `T` has such a number, or such arrays of them, there.
    ///
    /// # Panics
    ///
    /// If the view would have more axes than views can have.
    #[must_use]
    pub unsafe fn part<A: Atomic>(&self, offset: usize, lengths: &[usize]) -> DeviceAtomicView<'a, A> {
        let layout = self.0.layout().of_parts(size_of::<T>() / size_of::<A>(), lengths);
        let is_empty = layout.shape.extents().contains(&0);
        let pointer = self.0.pointer().cast::<u8>().wrapping_add(if is_empty { 0 } else { offset });
        DeviceAtomicView { owner: self.0.owner(), pointer: pointer.cast::<A>(), layout, elements: PhantomData }
    }
}

impl<T: Element> DeviceViewMut<'_, T> {
    /// Its elements as atomics, for launches that use them under several names.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// #[gpu_kernel]
    /// fn count_both(a: View<AtomicU32, 2>, b: View<AtomicU32, 2>) {
    ///     a[[0, 1]].fetch_add(1, Ordering::Relaxed);
    ///     b[[0, 1]].fetch_add(10, Ordering::Relaxed);
    /// }
    ///
    /// let mut counts = Device::cpu().zeros::<u32>([2, 2])?;
    /// let mut view = counts.view_mut();
    /// let shared = view.atomics::<AtomicU32>();
    /// count_both(shared, shared).launch(2, 3)?;
    /// assert_eq!(counts.to_host()?, [0, 66, 0, 0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn atomics<A: Atomic<Value = T>>(&mut self) -> DeviceAtomicView<'_, A> {
        DeviceAtomicView::new(self.reborrow())
    }
}

/// The arguments for a parameter such as `View<AtomicU32, 2>`: `&mut array` of `u32` with the same number of axes, a mutable view of one,
/// or a [`DeviceAtomicView`].
///
/// The number of axes of an array is only known at run time. A launch with a different number returns
/// [`Error::RankMismatch`](crate::Error::RankMismatch).
#[diagnostic::on_unimplemented(
    message = "a kernel parameter `View<{A}, {N}>` takes a mutable device array of the corresponding number type, not `{Self}`",
    label = "not a mutable device array of that number type",
    note = "make the array on the device, such as `let mut counts = device.zeros::<u32>([rows, columns])?;` for a `View<AtomicU32, 2>`, and pass `&mut counts` or `counts.view_mut()`"
)]
pub trait IntoAtomicView<'a, A: Atomic, const N: usize> {
    /// The view to launch with.
    fn into_atomic_view(self) -> DeviceAtomicView<'a, A>;
}

impl<'a, A: Atomic, const N: usize> IntoAtomicView<'a, A, N> for DeviceAtomicView<'a, A> {
    #[inline]
    fn into_atomic_view(self) -> DeviceAtomicView<'a, A> {
        self
    }
}

impl<'a, A: Atomic + AtomicOf<T>, T: Element, const N: usize> IntoAtomicView<'a, A, N> for &'a mut DeviceArray<T> {
    #[inline]
    fn into_atomic_view(self) -> DeviceAtomicView<'a, A> {
        DeviceAtomicView::new(self.view_mut())
    }
}

impl<'a, A: Atomic + AtomicOf<T>, T: Element, const N: usize> IntoAtomicView<'a, A, N> for DeviceViewMut<'a, T> {
    #[inline]
    fn into_atomic_view(self) -> DeviceAtomicView<'a, A> {
        DeviceAtomicView::new(self)
    }
}

impl<'a, A: Atomic + AtomicOf<T>, T: Element, const N: usize> IntoAtomicView<'a, A, N> for &'a mut DeviceViewMut<'_, T> {
    #[inline]
    fn into_atomic_view(self) -> DeviceAtomicView<'a, A> {
        DeviceAtomicView::new(self.reborrow())
    }
}
