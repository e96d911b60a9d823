//! Pinned host memory for copies that nobody waits for on the spot.
//!
//! A copy to memory that a program owns could be in flight when the memory is freed, for example if a future is dropped. So these copies go to
//! memory of this module. It belongs to the copy and to whoever waits for it, and is used again when both are done with it.

use std::ops::Deref;
use std::slice;
use std::sync::{Arc, Mutex, PoisonError};

use super::driver::check;
use super::memory::Address;
use super::pipeline::Pinned;
use super::{Queue, sys};
use crate::Result;

/// What is kept for later copies, at most.
const KEPT_BYTES: usize = 256 << 20;

/// Memory that no copy uses.
static IDLE: Mutex<Vec<Pinned>> = Mutex::new(Vec::new());

/// Pinned memory, of which the first `len` bytes are used.
pub(crate) struct Staging {
    memory: Pinned,
    len: usize,
}

// SAFETY: through a shared reference, the bytes are only read.
unsafe impl Sync for Staging {}

impl Staging {
    /// Memory for `len` bytes in the current context. Must not be called by the driver.
    fn new(len: usize) -> Result<Self> {
        let (mut memory, surplus) = {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            let fitting = idle.iter().enumerate().filter(|(_, memory)| (len..=len.saturating_mul(4)).contains(&memory.bytes()));
            let best = fitting.min_by_key(|(_, memory)| memory.bytes()).map(|(index, _)| index);
            (best.map_or(Pinned::NONE, |index| idle.swap_remove(index)), surplus(&mut idle))
        };
        // Freed here and not when a copy is done: the driver must not be called there.
        drop(surplus);
        // SAFETY: no copy uses memory that is idle.
        unsafe { memory.grow(len.next_power_of_two())? };
        Ok(Self { memory, len })
    }
}

/// Takes the oldest memory beyond what is kept.
fn surplus(idle: &mut Vec<Pinned>) -> Vec<Pinned> {
    let mut bytes: usize = idle.iter().map(Pinned::bytes).sum();
    let mut surplus = Vec::new();
    while bytes > KEPT_BYTES {
        let oldest = idle.remove(0);
        bytes -= oldest.bytes();
        surplus.push(oldest);
    }
    surplus
}

/// The bytes, once the copy to them is done.
impl Deref for Staging {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the memory is that long and was cleared or copied to; nobody writes it when the copy is done, for which whoever has it waits.
        unsafe { slice::from_raw_parts(self.memory.start(), self.len) }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let memory = std::mem::replace(&mut self.memory, Pinned::NONE);
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
    }
}

impl Queue {
    /// Puts a copy from the device on the queue, to memory that must be kept until it is done. Must be [ordered](Self::ordered).
    ///
    /// # Safety
    ///
    /// `source` must be device memory of the queue's GPU for `bytes` bytes.
    pub(crate) unsafe fn start_download(&self, source: Address, bytes: usize) -> Result<Arc<Staging>> {
        self.gpu().make_current()?;
        let staging = Staging::new(bytes.max(1))?;
        let target = staging.memory.start();
        // SAFETY: the caller guarantees the source, and the target is that long.
        check("cuMemcpyDtoHAsync", unsafe { sys::call!(cuMemcpyDtoHAsync_v2(target.cast(), source, bytes, self.stream)) })?;
        Ok(Arc::new(staging))
    }

    /// Puts a copy to the device on the queue, from memory that must be kept until it is done. Must be [ordered](Self::ordered).
    ///
    /// # Safety
    ///
    /// `source` must be readable, and `target` be device memory of the queue's GPU, for `bytes` bytes.
    pub(crate) unsafe fn start_upload(&self, source: *const u8, target: Address, bytes: usize) -> Result<Arc<Staging>> {
        self.gpu().make_current()?;
        let staging = Staging::new(bytes.max(1))?;
        let start = staging.memory.start();
        // SAFETY: the staging memory has room for the bytes, and nobody else has it yet. The caller guarantees the rest.
        unsafe {
            start.copy_from_nonoverlapping(source, bytes);
            check("cuMemcpyHtoDAsync", sys::call!(cuMemcpyHtoDAsync_v2(target, start.cast(), bytes, self.stream)))?;
        }
        Ok(Arc::new(staging))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cuda::fake;

    #[test]
    fn memory_is_used_again_if_it_is_not_much_too_large() {
        fake::install();
        let start = |bytes| Staging::new(bytes).map(|staging| (staging.memory.start(), staging)).unwrap();
        let (first, staging) = start(1000);
        let (other, _kept) = start(1000);
        assert_ne!(first, other, "the first is still in use");
        drop(staging);
        assert_ne!(start(100).0, first, "too large");
        assert_eq!(start(700).0, first);
    }
}
