//! Dynamic shared memory: shared arrays whose length depends on the launch.

use std::alloc::{self, Layout};
use std::cell::{Cell, UnsafeCell};
use std::ptr::{self, NonNull};

use super::shared::SharedElement;
use super::slice::SliceMut;
use super::thread::Thread;

/// Where an array begins: at a multiple of this.
pub(crate) const DYNAMIC_ALIGNMENT: usize = 16;

impl<'b> Thread<'b> {
    /// The block's dynamic array in `slot`. Slots number those of a kernel from 0; the length is the same for all threads of a launch.
    ///
    /// # Safety
    ///
    /// As for [`shared`](Self::shared).
    #[inline]
    pub(crate) unsafe fn dynamic_shared<T: SharedElement>(&self, slot: usize, len: usize) -> SliceMut<'b, T> {
        const {
            assert!(align_of::<T>() <= DYNAMIC_ALIGNMENT, "dynamic shared memory is aligned to 16 bytes, and this type needs more");
            assert!(T::IN_SHARED, "shared memory is not initialized, so it cannot hold a `bool` or an enum: use a number instead");
        }
        let bytes = len.checked_mul(size_of::<T>()).expect("the launch has counted the bytes");
        let start = self.block.worker.dynamic.array(slot, bytes, T::POISON);
        self.has_shared(start.addr().get(), bytes);
        // SAFETY: the memory is that long and aligned, and its bytes are a value of every element. It stays until the worker's next
        // block, which 'b does not reach. The caller guarantees the rest.
        unsafe { SliceMut::from_raw_parts(start.as_ptr().cast(), len) }
    }
}

/// The dynamic shared memory of a worker's current block. The allocations are reused by the worker's next blocks.
#[derive(Default)]
pub(super) struct DynamicMemory {
    /// By slot number.
    slots: UnsafeCell<Vec<Slot>>,
    /// Counts the blocks, so that each array is poisoned when a block first asks for it.
    block: Cell<u64>,
}

/// Memory for one array.
struct Slot {
    memory: NonNull<u8>,
    /// Of the memory, which may be longer than the array.
    layout: Layout,
    /// The block that last asked for it.
    block: u64,
    /// What it asked for.
    bytes: usize,
}

impl DynamicMemory {
    /// Gives the arrays to a new block.
    #[inline]
    pub(super) fn begin_block(&self) {
        self.block.set(self.block.get() + 1);
    }

    #[inline]
    fn array(&self, slot: usize, bytes: usize, poison: u8) -> NonNull<u8> {
        // SAFETY: the type is not `Sync`, the reference does not leave this function, and nothing called meanwhile gets another.
        let slots = unsafe { &mut *self.slots.get() };
        match slots.get(slot) {
            Some(known) if known.block == self.block.get() => {
                assert!(known.bytes == bytes, "a shared array has one length for all threads of its block");
                known.memory
            }
            _ => self.begin_array(slots, slot, bytes, poison),
        }
    }

    /// Makes the memory long enough, and poisons it.
    #[cold]
    #[inline(never)]
    fn begin_array(&self, slots: &mut Vec<Slot>, slot: usize, bytes: usize, poison: u8) -> NonNull<u8> {
        slots.resize_with(slots.len().max(slot + 1), || Slot::new(0));
        let slot = &mut slots[slot];
        if slot.layout.size() < bytes {
            *slot = Slot::new(bytes);
        }
        (slot.block, slot.bytes) = (self.block.get(), bytes);
        // SAFETY: the memory is at least that long. It belongs to a block that has ended, or is new.
        unsafe { ptr::write_bytes(slot.memory.as_ptr(), poison, bytes) };
        slot.memory
    }
}

impl Slot {
    fn new(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes, DYNAMIC_ALIGNMENT).expect("the launch has counted the bytes");
        let memory = if bytes == 0 {
            NonNull::new(ptr::without_provenance_mut(DYNAMIC_ALIGNMENT)).expect("the alignment is not 0")
        } else {
            // SAFETY: the size is not zero.
            NonNull::new(unsafe { alloc::alloc(layout) }).unwrap_or_else(|| alloc::handle_alloc_error(layout))
        };
        Self { memory, layout, block: 0, bytes: 0 }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.layout.size() != 0 {
            // SAFETY: allocated in `new` with this layout. The arrays of a block are not used after it.
            unsafe { alloc::dealloc(self.memory.as_ptr(), self.layout) };
        }
    }
}
