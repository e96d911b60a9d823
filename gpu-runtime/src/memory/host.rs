//! Memory of the CPU device: plain host memory, aligned for any vector instruction.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::{NonNull, without_provenance_mut};

/// A cache line, and the widest vector register there is.
const ALIGN: usize = 64;

/// Zeroed memory of `bytes` bytes, or nothing where there is not that much. Zero bytes need no allocation.
///
/// Memory is always zeroed, because reading it before it is written would be undefined; large allocations come zeroed
/// from the operating system at no cost.
pub(super) fn allocate(bytes: usize) -> Option<NonNull<u8>> {
    let layout = Layout::from_size_align(bytes, ALIGN).ok()?;
    if bytes == 0 {
        return NonNull::new(without_provenance_mut(ALIGN));
    }
    // SAFETY: the layout has a size.
    NonNull::new(unsafe { alloc_zeroed(layout) })
}

/// Frees what [`allocate`] gave.
///
/// # Safety
///
/// `pointer` must come from `allocate(bytes)` and not be used again.
pub(super) unsafe fn free(pointer: NonNull<u8>, bytes: usize) {
    if bytes > 0 {
        // SAFETY: the caller vouches for the pointer; the layout is that of the allocation, which was valid.
        unsafe { dealloc(pointer.as_ptr(), Layout::from_size_align_unchecked(bytes, ALIGN)) };
    }
}
