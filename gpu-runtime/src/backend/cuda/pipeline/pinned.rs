//! Page-locked host memory, which the GPU can copy from and to directly.

use std::ptr;

use super::super::driver::read;
use super::super::sys;
use crate::Result;

/// Memory that is pinned, for the host to read as well as to write: not write-combined. Any contents.
#[derive(Debug)]
pub(in crate::backend::cuda) struct Pinned {
    start: *mut u8,
    bytes: usize,
}

// SAFETY: the memory is owned, and belongs to no thread.
unsafe impl Send for Pinned {}

impl Pinned {
    pub(in crate::backend::cuda) const NONE: Self = Self { start: std::ptr::null_mut(), bytes: 0 };

    /// At least `bytes` bytes in the current context: the same as before, if they were enough.
    ///
    /// # Safety
    ///
    /// No operation may use them any more.
    pub(in crate::backend::cuda) unsafe fn grow(&mut self, bytes: usize) -> Result<*mut u8> {
        if bytes > self.bytes {
            // Freed first, so that old and new do not count twice.
            *self = Self::NONE;
            // Portable: the driver then knows it as pinned in every context.
            let flags = sys::CU_MEMHOSTALLOC_PORTABLE;
            let start = read("cuMemHostAlloc", ptr::null_mut(), |start| {
                // SAFETY: the memory is freed by `drop`, or not at all.
                unsafe { sys::call!(cuMemHostAlloc(start, bytes, flags)) }
            })?;
            *self = Self { start: start.cast(), bytes };
        }
        Ok(self.start)
    }

    /// Where it begins; null if there is none.
    pub(in crate::backend::cuda) fn start(&self) -> *mut u8 {
        self.start
    }

    /// How much there is.
    pub(in crate::backend::cuda) fn bytes(&self) -> usize {
        self.bytes
    }

    #[cfg(test)]
    pub(super) fn range(&self) -> (*const u8, usize) {
        (self.start, self.bytes)
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if !self.start.is_null() {
            // SAFETY: the memory comes from `cuMemHostAlloc`, and its owner is gone. An error cannot be reported.
            let _ = unsafe { sys::call!(cuMemFreeHost(self.start.cast())) };
        }
    }
}
