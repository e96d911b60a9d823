//! Device memory, all of it in the order of a queue.

use std::ffi::c_void;
use std::ops::Range;

use super::driver::check;
use super::sys;
use super::{Queue, Usage};
use crate::backend::recording;
use crate::{Error, Result};

/// An address in device memory. Zero stands for memory of no bytes.
pub(crate) type Address = sys::CUdeviceptr;

/// Allocations consist of whole words: an atomic of 8 or 16 bits reads and writes the word that it lies in.
const WORD: usize = 4;

/// The bytes of the words that hold so many.
pub(super) fn whole_words(bytes: usize) -> usize {
    bytes.next_multiple_of(WORD)
}

/// The bytes of a new allocation to clear. What fills the last word is never anybody's element, but read with one.
fn cleared_bytes(bytes: usize, zeroed: bool) -> Range<usize> {
    let start = if zeroed { 0 } else { bytes };
    start..whole_words(bytes)
}

impl Queue {
    /// Memory of `bytes` bytes, zeroed or with any contents.
    pub(crate) fn allocate(&self, bytes: usize, zeroed: bool) -> Result<Address> {
        if bytes == 0 {
            return Ok(0);
        }
        if let Some(queue) = self.recorded_on() {
            return queue.allocate_recorded(bytes, zeroed);
        }
        let address = self.allocate_words(bytes)?;
        let cleared = cleared_bytes(bytes, zeroed);
        if !cleared.is_empty() {
            let (start, length) = (address + cleared.start as Address, cleared.len());
            // SAFETY: the memory is ours, that long, and allocated before on the same stream.
            let cleared = check("cuMemsetD8Async", unsafe { sys::call!(cuMemsetD8Async(start, 0, length, self.stream)) });
            if cleared.is_err() {
                self.free(address);
            }
            cleared?;
        }
        Ok(address)
    }

    /// The same for code that is recorded. It is cleared whenever the graph runs.
    fn allocate_recorded(&self, bytes: usize, zeroed: bool) -> Result<Address> {
        let whole_words = whole_words(bytes);
        let address = match recording::gpu::reuse(whole_words) {
            Some(address) => address,
            None => self.allocate_words(bytes)?,
        };
        recording::gpu::note_created(address..address + whole_words as Address);
        let cleared = cleared_bytes(bytes, zeroed);
        if !cleared.is_empty() {
            recording::gpu::add(|graph, uses| graph.add_clear(address + cleared.start as Address, cleared.len(), uses))?;
        }
        Ok(address)
    }

    /// The queue of the graph that the calling thread records for this GPU, if it does.
    #[inline]
    pub(in crate::backend) fn recorded_on(&self) -> Option<&'static Self> {
        if recording::is_active() { recording::gpu::queue(self.gpu()) } else { None }
    }

    /// Memory for at least so many bytes, with any contents.
    fn allocate_words(&self, bytes: usize) -> Result<Address> {
        let out_of_memory = || Error::OutOfMemory { device: self.gpu().name().to_owned(), bytes };
        // The driver has other errors for sizes that no GPU could have.
        if bytes > self.gpu().memory {
            return Err(out_of_memory());
        }
        self.gpu().make_current()?;
        let mut address = 0;
        let whole_words = whole_words(bytes);
        // SAFETY: the calls write one address. Memory from the pool is used on the same stream only.
        let (call, status) = unsafe {
            if self.gpu().has_memory_pools {
                ("cuMemAllocAsync", sys::call!(cuMemAllocAsync(&mut address, whole_words, self.stream)))
            } else {
                ("cuMemAlloc", sys::call!(cuMemAlloc_v2(&mut address, whole_words)))
            }
        };
        if status == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return Err(out_of_memory());
        }
        check(call, status)?;
        Ok(address)
    }

    /// Frees memory once everything on the queue so far is done with it.
    ///
    /// Called from `drop`, so an error cannot be reported; the next call returns one that persists.
    pub(crate) fn free(&self, address: Address) {
        if address == 0 || self.gpu().make_current().is_err() {
            return;
        }
        // SAFETY: the address comes from `allocate` and its owner is being dropped. A plain free does not promise to wait
        // for the stream, so we do.
        unsafe {
            if self.gpu().has_memory_pools {
                let _ = sys::call!(cuMemFreeAsync(address, self.stream));
            } else {
                let _ = sys::call!(cuStreamSynchronize(self.stream));
                let _ = sys::call!(cuMemFree_v2(address));
            }
        }
    }

    /// Frees memory once everything on all queues so far is done with it. A graph keeps what its code has created.
    pub(crate) fn free_after(&'static self, address: Address, usage: &Usage) {
        let is_kept = |number| recording::is_active() && recording::gpu::number() == number && recording::gpu::take(self.gpu(), address);
        if address == 0 || usage.recording().is_some_and(is_kept) || self.gpu().make_current().is_err() {
            return;
        }
        match self.last_user(usage) {
            Ok(queue) => queue.free(address),
            // The context is lost, and its memory with it.
            Err(_) => self.free(address),
        }
    }

    /// Copies `bytes` to the device. The host memory may change again when this returns.
    ///
    /// # Safety
    ///
    /// `source` must be readable and `target` device memory of the queue's GPU for `bytes` bytes.
    pub(crate) unsafe fn upload(&self, source: *const c_void, target: Address, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.gpu().make_current()?;
        // SAFETY: the caller guarantees both ranges.
        check("cuMemcpyHtoDAsync", unsafe { sys::call!(cuMemcpyHtoDAsync_v2(target, source, bytes, self.stream)) })?;
        // Pageable memory has been read by now, but the slice may lie in memory that someone has pinned.
        self.wait()
    }

    /// Copies `bytes` from the device after everything on the queue so far; fails if a kernel failed.
    ///
    /// # Safety
    ///
    /// `source` must be device memory of the queue's GPU and `target` writable for `bytes` bytes.
    pub(crate) unsafe fn download(&self, source: Address, target: *mut c_void, bytes: usize) -> Result<()> {
        if bytes > 0 {
            self.gpu().make_current()?;
            // SAFETY: the caller guarantees both ranges.
            check("cuMemcpyDtoHAsync", unsafe { sys::call!(cuMemcpyDtoHAsync_v2(target, source, bytes, self.stream)) })?;
        }
        self.synchronize()
    }
}
