//! Shared memory: the shared arrays of a block.

use std::alloc::{self, Layout};
use std::any::TypeId;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::ptr::{self, NonNull};
use std::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize,
};

use super::thread::Thread;
use crate::atomic::{AtomicF32, AtomicF64};

/// An array in a block's shared memory, as [`shared`](crate::intrinsics::shared) gives it.
///
/// Every thread of the block has a handle to the same array. Index it like the array: `tile[i]`, or `tile[row][column]` for an array
/// of arrays. To safe code the handle is an exclusive reference, as [`SliceMut`](super::SliceMut) is.
pub struct Shared<'b, A> {
    array: NonNull<A>,
    block: PhantomData<&'b Cell<A>>,
}

/// A type that [`shared`](crate::intrinsics::shared) can give: an array of numbers, `bool`s or atomics, or an array of such arrays.
///
/// # Safety
///
/// Filling the memory of a value with [`POISON`](Self::POISON) makes a valid value, and the type has no drop glue.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be placed in shared memory",
    label = "not an array of numbers or `bool`s",
    note = "shared memory holds arrays such as `[f32; 256]` or `[[f32; 16]; 16]`"
)]
pub unsafe trait SharedArray: 'static {
    /// See [`SharedElement::POISON`].
    #[doc(hidden)]
    const POISON: u8;
}

/// An element of a [`SharedArray`]: a device type, an atomic, or an inner array.
///
/// # Safety
///
/// As for [`SharedArray`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a shared array",
    label = "not a number, a `bool`, an atomic or a struct with `#[derive(DeviceType)]`"
)]
pub unsafe trait SharedElement: 'static {
    /// The byte that fills shared memory when a block begins, on the CPU.
    ///
    /// On the GPU the contents are then undefined. Here a kernel that reads what it did not write shall notice, in release builds
    /// too: `NaN` for floats, a conspicuous number for integers.
    #[doc(hidden)]
    const POISON: u8;

    /// Whether shared memory can hold it, whose bytes on a GPU are what they were: not a struct or enum of which some bytes are no
    /// value. (A `bool` by itself is read with care.)
    #[doc(hidden)]
    const IN_SHARED: bool = true;
}

// SAFETY: an array is its elements, one after the other.
unsafe impl<T: SharedElement, const N: usize> SharedArray for [T; N] {
    const POISON: u8 = {
        assert!(T::IN_SHARED, "shared memory is not initialized, so it cannot hold a `bool` or an enum: use a number instead");
        T::POISON
    };
}

// SAFETY: as above.
unsafe impl<T: SharedElement, const N: usize> SharedElement for [T; N] {
    const POISON: u8 = T::POISON;
    const IN_SHARED: bool = T::IN_SHARED;
}

macro_rules! shared_elements {
    ($($poison:literal: $($scalar:ty)+;)+) => {$($(
        // SAFETY: a number may have any bytes; for a `bool`, zero means `false`. An atomic has the bytes of its value.
        unsafe impl SharedElement for $scalar {
            const POISON: u8 = $poison;
        }
    )+)+};
}

shared_elements! {
    0xff: f32 f64;
    0x5a: i8 i16 i32 i64 isize u8 u16 u32 u64 usize;
    0x00: bool;
    0xff: AtomicF32 AtomicF64;
    0x5a: AtomicI8 AtomicI16 AtomicI32 AtomicI64 AtomicIsize AtomicU8 AtomicU16 AtomicU32 AtomicU64 AtomicUsize;
    0x00: AtomicBool;
}

#[cfg(feature = "half")]
shared_elements! {
    0xff: crate::atomic::AtomicF16 crate::atomic::AtomicBf16;
}

impl<'b, T, const N: usize> Shared<'b, [T; N]> {
    /// The number of elements.
    #[inline]
    pub const fn len(&self) -> usize {
        N
    }

    /// Whether the array has no elements.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        N == 0
    }

    /// The element at `index`, unchecked.
    ///
    /// # Safety
    ///
    /// `index` is below the length.
    #[inline]
    pub unsafe fn get_unchecked(&self, index: usize) -> &T {
        // SAFETY: the array is alive for 'b, and the caller guarantees the index. Nothing writes to it while the reference is
        // in use, as who made the handle guarantees.
        unsafe { &*self.as_ptr().add(index) }
    }

    /// The element at `index`, unchecked, for writing.
    ///
    /// # Safety
    ///
    /// `index` is below the length.
    #[inline]
    pub unsafe fn get_unchecked_mut(&mut self, index: usize) -> &mut T {
        // SAFETY: as in `get_unchecked`.
        unsafe { &mut *self.as_ptr().add(index) }
    }

    /// The first element's address.
    #[inline]
    pub(super) fn as_ptr(&self) -> *mut T {
        self.array.as_ptr().cast()
    }
}

impl<T, const N: usize> Index<usize> for Shared<'_, [T; N]> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        assert!(index < N);
        // SAFETY: just checked.
        unsafe { self.get_unchecked(index) }
    }
}

impl<T, const N: usize> IndexMut<usize> for Shared<'_, [T; N]> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        assert!(index < N);
        // SAFETY: just checked.
        unsafe { self.get_unchecked_mut(index) }
    }
}

impl<'b> Thread<'b> {
    /// The block's array in `slot`. Slots number the shared arrays of a kernel from 0.
    ///
    /// # Safety
    ///
    /// All threads that have this array run on this OS thread; another of them can only run when this one suspends at a barrier. So a
    /// reference to an element does not last across a barrier, nor while the thread uses another handle to the array.
    #[inline]
    pub(crate) unsafe fn shared<A: SharedArray>(&self, slot: usize) -> Shared<'b, A> {
        let SharedMemory { slots, .. } = &self.block.worker.shared;
        self.shared_array(self.block.worker.shared.array(slots, slot))
    }

    /// The block's array in `slot` of the instance of a device function. Slots number its shared arrays from 0.
    ///
    /// # Safety
    ///
    /// As for [`shared`](Self::shared).
    #[inline]
    pub(crate) unsafe fn shared_of_function<A: SharedArray>(&self, function: TypeId, slot: usize) -> Shared<'b, A> {
        let SharedMemory { function_slots, .. } = &self.block.worker.shared;
        let slot = self.block.worker.shared.number(function, slot);
        self.shared_array(self.block.worker.shared.array(function_slots, slot))
    }

    #[inline]
    fn shared_array<A: SharedArray>(&self, array: NonNull<A>) -> Shared<'b, A> {
        self.has_shared(array.addr().get(), size_of::<A>());
        Shared { array, block: PhantomData }
    }
}

/// The shared memory of a worker's current block. The allocations are reused by the worker's next blocks.
#[derive(Default)]
pub(super) struct SharedMemory {
    /// By slot number; `None` for one that no thread has reached.
    slots: UnsafeCell<Vec<Option<Slot>>>,
    /// Those of device functions, in the order of `functions`.
    function_slots: UnsafeCell<Vec<Option<Slot>>>,
    /// Which device functions have asked for which of their arrays. Few do.
    functions: RefCell<Vec<(TypeId, usize)>>,
    /// Counts the blocks, so that each array is poisoned when a block first asks for it.
    block: Cell<u64>,
}

/// Memory for one array.
struct Slot {
    memory: NonNull<u8>,
    layout: Layout,
    array: TypeId,
    /// The block that last asked for it.
    block: u64,
}

impl SharedMemory {
    /// Gives the arrays to a new block.
    #[inline]
    pub(super) fn begin_block(&self) {
        self.block.set(self.block.get() + 1);
    }

    /// The array of the current block in `slot`.
    #[inline]
    fn array<A: SharedArray>(&self, slots: &UnsafeCell<Vec<Option<Slot>>>, slot: usize) -> NonNull<A> {
        // SAFETY: the type is not `Sync`, the reference does not leave this function, and nothing called meanwhile gets another.
        let slots = unsafe { &mut *slots.get() };
        match slots.get(slot) {
            Some(Some(slot)) if slot.block == self.block.get() && slot.array == TypeId::of::<A>() => slot.memory.cast(),
            _ => self.begin_array::<A>(slots, slot),
        }
    }

    /// The number of a device function's array among all of them.
    fn number(&self, function: TypeId, slot: usize) -> usize {
        let mut functions = self.functions.borrow_mut();
        functions.iter().position(|known| *known == (function, slot)).unwrap_or_else(|| {
            functions.push((function, slot));
            functions.len() - 1
        })
    }

    /// Allocates the array if no earlier block has, and poisons it.
    #[cold]
    #[inline(never)]
    fn begin_array<A: SharedArray>(&self, slots: &mut Vec<Option<Slot>>, slot: usize) -> NonNull<A> {
        if slots.len() <= slot {
            slots.resize_with(slot + 1, || None);
        }
        let slot = slots[slot].get_or_insert_with(Slot::new::<A>);
        assert!(slot.array == TypeId::of::<A>(), "a shared array keeps its type");
        slot.block = self.block.get();
        // SAFETY: the memory has the size of an `A`, for which the trait promises that the bytes are valid. It belongs to a block
        // that has ended, or is new.
        unsafe { ptr::write_bytes(slot.memory.as_ptr(), A::POISON, slot.layout.size()) };
        slot.memory.cast()
    }
}

impl Slot {
    /// Allocates memory for an `A`, uninitialised, without building one on the stack.
    fn new<A: SharedArray>() -> Self {
        let layout = Layout::new::<A>();
        let memory = if layout.size() == 0 {
            NonNull::<A>::dangling().cast()
        } else {
            // SAFETY: the size is not zero.
            NonNull::new(unsafe { alloc::alloc(layout) }).unwrap_or_else(|| alloc::handle_alloc_error(layout))
        };
        Self { memory, layout, array: TypeId::of::<A>(), block: 0 }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.layout.size() != 0 {
            // SAFETY: allocated in `new` with this layout. `Shared` handles do not outlive the worker's blocks.
            unsafe { alloc::dealloc(self.memory.as_ptr(), self.layout) };
        }
    }
}
