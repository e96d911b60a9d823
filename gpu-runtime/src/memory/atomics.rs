//! Arrays of atomics.

use std::fmt;
use std::marker::PhantomData;

use super::raw::Owner;
use super::{DeviceArray, DeviceSliceMut};
use crate::atomic::{Atomic, AtomicOf};
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::source::Element;

/// A view of numbers on a device as atomics: the counterpart of `&[AtomicU32]` on the host.
///
/// Created by [`DeviceArray::atomics`]. As with a `&[AtomicU32]`, several views of the same elements may exist, and all of them may change
/// the elements. A kernel takes it for a `&[AtomicU32]` parameter; in most cases, `&mut array` is enough.
pub struct DeviceAtomics<'a, A: Atomic> {
    owner: Owner<'a>,
    pointer: *const A,
    len: usize,
    elements: PhantomData<&'a [A]>,
}

// SAFETY: a view is what a reference to `[A]` is, and the device orders what threads ask of it.
unsafe impl<A: Atomic> Send for DeviceAtomics<'_, A> {}
// SAFETY: as above.
unsafe impl<A: Atomic> Sync for DeviceAtomics<'_, A> {}

impl<A: Atomic> Clone for DeviceAtomics<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Atomic> Copy for DeviceAtomics<'_, A> {}

impl<'a, A: Atomic> DeviceAtomics<'a, A> {
    /// The elements of `slice`, which stay borrowed exclusively: they can only be accessed as atomics.
    #[inline]
    fn new<T: Element>(slice: DeviceSliceMut<'a, T>) -> Self
    where
        A: AtomicOf<T>,
    {
        Self { owner: slice.owner(), pointer: slice.pointer().cast::<A>(), len: slice.len(), elements: PhantomData }
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

    /// The address, for a launch.
    #[inline]
    pub(crate) fn address(&self) -> u64 {
        self.pointer.addr() as u64
    }

    /// The use of its memory.
    #[inline]
    pub(crate) fn memory_use(&self) -> MemoryUse<'a> {
        self.owner.part(self.address(), self.len * size_of::<A>(), Access::Write)
    }

    /// The elements, for generated code.
    ///
    /// # Safety
    ///
    /// The view must be of the CPU's memory.
    #[inline]
    #[must_use]
    pub(crate) unsafe fn as_host(&self) -> &'a [A] {
        // SAFETY: on the CPU the pointer is valid for `len` values, which have the layout of `A`. They are borrowed exclusively for
        // 'a, and views of this kind are the only way to them.
        unsafe { std::slice::from_raw_parts(self.pointer, self.len) }
    }
}

/// The type, length and device, without the elements.
impl<A: Atomic> fmt::Debug for DeviceAtomics<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceAtomics<{}>(len {} on {})", std::any::type_name::<A>(), self.len, self.owner.device)
    }
}

impl<T: Element> DeviceArray<T> {
    /// Its elements as atomics, for launches that use them under several names. Like `AtomicU32::from_mut_slice` of std.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// #[gpu_kernel]
    /// fn add_both(a: &[AtomicU32], b: &[AtomicU32]) {
    ///     a[0].fetch_add(1, Ordering::Relaxed);
    ///     b[0].fetch_add(10, Ordering::Relaxed);
    /// }
    ///
    /// let mut total = Device::cpu().zeros::<u32>(1)?;
    /// let shared = total.atomics::<AtomicU32>();
    /// add_both(shared, shared).launch(2, 3)?;
    /// assert_eq!(total.to_host()?, [66]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn atomics<A: Atomic<Value = T>>(&mut self) -> DeviceAtomics<'_, A> {
        DeviceAtomics::new(self.exclusive())
    }
}

impl<T: Element> DeviceSliceMut<'_, T> {
    /// Its elements as atomics: see [`DeviceArray::atomics`].
    #[inline]
    #[must_use]
    pub fn atomics<A: Atomic<Value = T>>(&mut self) -> DeviceAtomics<'_, A> {
        DeviceAtomics::new(self.exclusive())
    }
}

/// What a launch gets for a parameter such as `&[AtomicU32]`. It has no copies: that of a `&mut array` is the only way to the elements.
///
/// ```compile_fail,E0382
/// use gpu_runtime::prelude::*;
/// use gpu_runtime::support::{AtomicsArgument, IntoDeviceAtomics};
/// use std::sync::atomic::AtomicU32;
///
/// let mut counts = Device::cpu().zeros::<u32>(8)?;
/// let counts: AtomicsArgument<'_, AtomicU32> = (&mut counts).into_device_atomics();
/// let twice = (counts, counts);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicsArgument<'a, A: Atomic> {
    atomics: DeviceAtomics<'a, A>,
    is_shared: bool,
}

impl<'a, A: Atomic> AtomicsArgument<'a, A> {
    /// That of a slice which is borrowed for nothing else.
    #[inline]
    fn exclusive<T: Element>(slice: DeviceSliceMut<'a, T>) -> Self
    where
        A: AtomicOf<T>,
    {
        Self { atomics: DeviceAtomics::new(slice), is_shared: false }
    }

    /// Whether others may use the elements during the launch: true for what [`DeviceArray::atomics`] creates, which can be copied, and false
    /// for `&mut array`.
    #[inline]
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// How many elements there are.
    #[inline]
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "for conditions of launches")]
    pub fn len(&self) -> usize {
        self.atomics.len
    }

    /// For this launch only.
    #[inline]
    pub(crate) fn atomics(&self) -> &DeviceAtomics<'a, A> {
        &self.atomics
    }
}

/// The arguments for a parameter such as `&[AtomicU32]`: `&mut array` of `u32`, a mutable view of a part of one, or a [`DeviceAtomics`].
#[diagnostic::on_unimplemented(
    message = "a kernel parameter `&[{A}]` takes a mutable device array of the corresponding number type, not `{Self}`",
    label = "not a mutable device array of that number type",
    note = "make the array on the device, such as `let mut counts = device.zeros::<u32>(n)?;` for a `&[AtomicU32]`, and pass `&mut counts`"
)]
pub trait IntoDeviceAtomics<'a, A: Atomic> {
    /// The argument of the launch.
    fn into_device_atomics(self) -> AtomicsArgument<'a, A>;
}

impl<'a, A: Atomic> IntoDeviceAtomics<'a, A> for DeviceAtomics<'a, A> {
    #[inline]
    fn into_device_atomics(self) -> AtomicsArgument<'a, A> {
        AtomicsArgument { atomics: self, is_shared: true }
    }
}

impl<'a, A: Atomic + AtomicOf<T>, T: Element> IntoDeviceAtomics<'a, A> for &'a mut DeviceArray<T> {
    #[inline]
    fn into_device_atomics(self) -> AtomicsArgument<'a, A> {
        AtomicsArgument::exclusive(self.exclusive())
    }
}

impl<'a, A: Atomic + AtomicOf<T>, T: Element> IntoDeviceAtomics<'a, A> for DeviceSliceMut<'a, T> {
    #[inline]
    fn into_device_atomics(self) -> AtomicsArgument<'a, A> {
        AtomicsArgument::exclusive(self)
    }
}

impl<'a, A: Atomic + AtomicOf<T>, T: Element> IntoDeviceAtomics<'a, A> for &'a mut DeviceSliceMut<'_, T> {
    #[inline]
    fn into_device_atomics(self) -> AtomicsArgument<'a, A> {
        AtomicsArgument::exclusive(self.exclusive())
    }
}
