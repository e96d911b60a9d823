//! Memory of the CPU device: plain host memory, aligned for any vector instruction.
//!
//! Memory is always zeroed, because reading it before it is written would be undefined. Large allocations come zeroed from
//! the operating system, page by page when they are first touched, but only for alignments that the allocator gives by
//! itself: asked for more, it clears all of it at once, on one thread. So the room for the alignment is part of the
//! allocation, and what has to be given back stands before the first aligned byte.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::{NonNull, without_provenance_mut};

use crate::backend::pages::{prefer_huge_pages, prefer_huge_pages_at};
use crate::source::DeviceType;
use crate::{Error, Result};

/// A cache line, and the widest vector register there is.
const ALIGN: usize = 64;

/// What allocators give without being asked, on every platform there is.
const NATURAL_ALIGN: usize = 16;

/// The layout of an allocation for `bytes` bytes, if there can be one.
fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(ALIGN)?, NATURAL_ALIGN).ok()
}

/// An empty vector with room for `len` elements, in huge pages where it is large.
///
/// # Errors
///
/// [`Error::OutOfMemory`] if there is not that much memory.
pub(crate) fn reserve<T: DeviceType>(len: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    let bytes = len.saturating_mul(size_of::<T>());
    vec.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { device: "the host".to_owned(), bytes })?;
    prefer_huge_pages(&mut vec);
    Ok(vec)
}

/// Zeroed memory of `bytes` bytes, or nothing where there is not that much. Zero bytes need no allocation.
pub(super) fn allocate(bytes: usize) -> Option<NonNull<u8>> {
    let layout = layout(bytes)?;
    if bytes == 0 {
        return NonNull::new(without_provenance_mut(ALIGN));
    }
    // SAFETY: the layout has a size.
    let base = NonNull::new(unsafe { alloc_zeroed(layout) })?;
    // At least one natural alignment further on, which is room for the address of the base.
    let offset = ALIGN - base.addr().get() % ALIGN;
    // SAFETY: `offset` is at most `ALIGN`, by which the allocation is larger, and at least `NATURAL_ALIGN`.
    let pointer = unsafe {
        let pointer = base.add(offset);
        pointer.cast::<NonNull<u8>>().sub(1).write(base);
        pointer
    };
    prefer_huge_pages_at(pointer.as_ptr(), bytes);
    Some(pointer)
}

/// Frees what [`allocate`] gave.
///
/// # Safety
///
/// `pointer` must come from `allocate(bytes)` and not be used again.
pub(super) unsafe fn free(pointer: NonNull<u8>, bytes: usize) {
    if bytes > 0 {
        // SAFETY: the caller vouches for the pointer, before which the base stands; the layout is that of the allocation.
        unsafe {
            let base = pointer.cast::<NonNull<u8>>().sub(1).read();
            dealloc(base.as_ptr(), layout(bytes).expect("it was allocated"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_and_zeroed_whatever_its_size() {
        for bytes in [1, 8, 63, 64, 65, 4096, (8 << 20) + 1] {
            let pointer = allocate(bytes).unwrap();
            assert_eq!(pointer.addr().get() % ALIGN, 0);
            // SAFETY: the memory is ours, and that long.
            let memory = unsafe { std::slice::from_raw_parts_mut(pointer.as_ptr(), bytes) };
            assert!(memory.iter().all(|&byte| byte == 0));
            memory.fill(0xff);
            // SAFETY: it was just allocated with that size.
            unsafe { free(pointer, bytes) };
        }
    }

    #[test]
    fn more_memory_than_there_is_is_nothing() {
        assert!(allocate(usize::MAX).is_none());
        assert!(allocate(isize::MAX as usize).is_none());
    }
}
