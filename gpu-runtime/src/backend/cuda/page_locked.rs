//! Page-locked memory of the program: the GPU copies from and to it directly.
//!
//! Large copies go through pinned slots of the pipeline, unless the memory is pinned itself. The driver can say so, but the answer takes
//! longer than a look into this list.

use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use super::driver::check;
use super::memory::Address;
use super::pipeline::Pinned;
use super::{Queue, sys};
use crate::Result;

/// The addresses of all of it.
static RANGES: RwLock<Vec<Range<usize>>> = RwLock::new(Vec::new());

/// Page-locked bytes, zero at first.
pub(crate) struct PageLocked {
    memory: Pinned,
}

impl PageLocked {
    pub(crate) fn start(&self) -> *mut u8 {
        self.memory.start()
    }
}

impl Queue {
    /// Page-locked memory of `bytes` bytes, at least one.
    pub(crate) fn allocate_page_locked(&self, bytes: usize) -> Result<PageLocked> {
        self.gpu().make_current()?;
        let mut memory = Pinned::NONE;
        // SAFETY: nothing uses memory that is not there.
        let start = unsafe { memory.grow(bytes)? };
        // SAFETY: the memory is that long and ours.
        unsafe { start.write_bytes(0, bytes) };
        RANGES.write().unwrap_or_else(PoisonError::into_inner).push(start.addr()..start.addr() + bytes);
        Ok(PageLocked { memory })
    }

    /// Puts a copy to the device on the queue, from memory that must not change until it is done. Must be [ordered](Self::ordered).
    ///
    /// # Safety
    ///
    /// `source` must have `bytes` bytes, and `target` be device memory of the queue's GPU for as many.
    pub(crate) unsafe fn start_upload_in_place(&self, source: &PageLocked, target: Address, bytes: usize) -> Result<()> {
        self.gpu().make_current()?;
        let source = source.start().cast();
        // SAFETY: the caller guarantees both.
        check("cuMemcpyHtoDAsync", unsafe { sys::call!(cuMemcpyHtoDAsync_v2(target, source, bytes, self.stream)) })
    }

    /// Puts a copy from the device on the queue, to memory that nothing else may use until it is done. Must be [ordered](Self::ordered).
    ///
    /// # Safety
    ///
    /// `source` must be device memory of the queue's GPU for `bytes` bytes, and `target` have as many.
    pub(crate) unsafe fn start_download_in_place(&self, source: Address, target: &PageLocked, bytes: usize) -> Result<()> {
        self.gpu().make_current()?;
        let target = target.start().cast();
        // SAFETY: the caller guarantees both.
        check("cuMemcpyDtoHAsync", unsafe { sys::call!(cuMemcpyDtoHAsync_v2(target, source, bytes, self.stream)) })
    }
}

impl Drop for PageLocked {
    fn drop(&mut self) {
        let start = self.start().addr();
        RANGES.write().unwrap_or_else(PoisonError::into_inner).retain(|range| range.start != start);
    }
}

/// Whether all of this memory is page-locked memory of this module.
pub(super) fn contains(start: *const u8, bytes: usize) -> bool {
    let ranges = RANGES.read().unwrap_or_else(PoisonError::into_inner);
    ranges.iter().any(|range| range.start <= start.addr() && start.addr() + bytes <= range.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend;

    #[test]
    fn memory_is_known_as_page_locked_until_it_is_freed() {
        let device = backend::Queue::of_fake_gpu();
        let queue = device.dispatch(|| unreachable!("a GPU"), |queue| queue);
        let memory = queue.allocate_page_locked(100).unwrap();
        let start = memory.start();
        assert!(contains(start, 100) && contains(start.wrapping_add(40), 60));
        assert!(!contains(start.wrapping_add(40), 61) && !contains(start.wrapping_sub(1), 10));
        drop(memory);
        assert!(!contains(start, 1));
    }
}
