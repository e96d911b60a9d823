//! Large copies between host and device, through the pipeline: pageable memory at the speed of pinned memory.
//!
//! The driver copies pageable memory through its own buffer with one thread: 10 GB/s to an H200, 16 back, and 1.7 into pages that do not
//! exist yet. The pipeline fills and drains its slots with several threads. The GPU only makes a copy within its memory, which costs little
//! compared with the bus.

use super::super::sys;

use super::{Chunk, HostInput, HostOutput, Settings, stream};
use crate::Result;
use crate::backend::cuda::Queue;
use crate::backend::cuda::driver::check;
use crate::backend::cuda::memory::Address;
use crate::backend::cuda::page_locked;

/// Copies of fewer bytes are left to the driver, as are those of page-locked memory.
const LARGE: usize = 8 << 20;

/// Copies `bytes` to the device, in the order of the GPU's stream. The host memory may change again when this returns.
///
/// # Safety
///
/// `source` must be readable, and `target` device memory of this GPU that nothing else uses, for `bytes` bytes.
pub(crate) unsafe fn upload(queue: &'static Queue, source: *const u8, target: Address, bytes: usize) -> Result<()> {
    if bytes < LARGE || page_locked::contains(source, bytes) {
        // SAFETY: the caller guarantees both ranges.
        return unsafe { queue.upload(source.cast(), target, bytes) };
    }
    // SAFETY: a chunk lies within the range that the caller guarantees, and slots are never part of an array.
    let mut launch = |chunk: Chunk<'_>| unsafe { copy(queue, chunk.inputs[0], target + chunk.first as u64, chunk.len) };
    // SAFETY: the caller guarantees the source.
    unsafe { stream(Settings::default(), queue, bytes, &[HostInput::from_raw(source, 1)], &[], &mut launch)? };
    queue.wait()
}

/// Copies `bytes` from the device after everything asked of it so far; fails if a kernel failed.
///
/// # Safety
///
/// `source` must be device memory of this GPU, and `target` writable memory that nothing else uses, for `bytes` bytes.
pub(crate) unsafe fn download(queue: &'static Queue, source: Address, target: *mut u8, bytes: usize) -> Result<()> {
    if bytes < LARGE || page_locked::contains(target, bytes) {
        // SAFETY: the caller guarantees both ranges.
        return unsafe { queue.download(source, target.cast(), bytes) };
    }
    // SAFETY: a chunk lies within the range that the caller guarantees, and slots are never part of an array.
    let mut launch = |chunk: Chunk<'_>| unsafe { copy(queue, source + chunk.first as u64, chunk.outputs[0], chunk.len) };
    // Making pages exist that do already is cheap.
    let output = HostOutput::from_raw(target, 1, true);
    // SAFETY: the caller guarantees the target.
    unsafe { stream(Settings::default(), queue, bytes, &[], &[output], &mut launch)? };
    queue.synchronize()
}

/// Puts a copy within the device's memory on the GPU's stream.
///
/// # Safety
///
/// Both must be device memory of this GPU for `bytes` bytes, and not overlap.
unsafe fn copy(queue: &Queue, source: Address, target: Address, bytes: usize) -> Result<()> {
    queue.gpu().make_current()?;
    // SAFETY: the caller guarantees both ranges.
    check("cuMemcpyDtoDAsync", unsafe { sys::call!(cuMemcpyDtoDAsync_v2(target, source, bytes, queue.stream)) })
}
