//! The CPU of this machine as a device: its launch limits, its failures, and its memory.
//!
//! Kernels run in [`cpu`](super::cpu).
//!
//! Memory is always zeroed, because reading it before it is written would be undefined. Large allocations come zeroed from the operating
//! system, page by page when they are first touched, but only with the allocator's default alignment: for a larger alignment, the allocator
//! clears all of the memory at once, on one thread. So the space for the alignment is a part of the allocation, and the data for freeing it
//! is before the first aligned byte.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::{NonNull, without_provenance_mut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::cpu::Checks;
use super::meter::Meter;
use super::pages::prefer_huge_pages_at;
use crate::Result;
use crate::dims::Limits;
use crate::failure::KernelFailure;

/// The CPU takes what every GPU takes, so that a program that runs here also runs there.
pub(crate) static LIMITS: Limits = Limits { grid: [i32::MAX as u32, 65_535, 65_535], block: [1024, 1024, 64], threads: 1024 };

/// The dynamic shared memory of a block on the CPU: as much as any GPU has (227 KiB, of an H100).
pub(crate) const SHARED_BYTES: usize = 227 << 10;

/// The memory of arrays.
pub(super) static METER: Meter = Meter::new();

/// What the CPU is called.
pub(crate) fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| match std::thread::available_parallelism() {
        Ok(threads) => format!("CPU ({}, {threads} threads)", std::env::consts::ARCH),
        Err(_) => format!("CPU ({})", std::env::consts::ARCH),
    })
}

/// A stream of a handle to the CPU. Nothing waits in it: all that was asked for is done when the call returns. So a stream is only a
/// number, under which the handle keeps failures.
pub(crate) struct Queue {
    id: u64,
    is_of_stream: bool,
    handle: Arc<Handle>,
    failed: Mutex<Failed>,
}

/// The failures of a queue, reported or not.
#[derive(Default)]
struct Failed {
    count: u64,
    last: Option<KernelFailure>,
}

/// What a handle to the CPU and its streams have in common.
struct Handle {
    checks: Checks,
    /// The first failure of each queue that has not been reported, the oldest first.
    failures: Mutex<Vec<(u64, KernelFailure)>>,
}

impl Queue {
    /// The queue of a new handle, whose launches are checked if that is asked for, here or by the environment.
    pub(crate) fn new(checks: Checks) -> Self {
        let checks = if checks == Checks::None { checks_of_environment() } else { checks };
        Self::of(Arc::new(Handle { checks, failures: Mutex::default() }), false)
    }

    fn of(handle: Arc<Handle>, is_of_stream: bool) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self { id: LAST.fetch_add(1, Ordering::Relaxed) + 1, is_of_stream, handle, failed: Mutex::default() }
    }

    /// Another queue of this handle.
    pub(crate) fn stream(&self) -> Self {
        Self::of(Arc::clone(&self.handle), true)
    }

    /// Whether it is that of a stream.
    pub(crate) fn is_of_stream(&self) -> bool {
        self.is_of_stream
    }

    /// Its number, from 1, which no other queue of the CPU has.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Whether both are queues of one handle.
    pub(crate) fn is_of_handle_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.handle, &other.handle)
    }

    /// What launches are checked for.
    pub(crate) fn checks(&self) -> Checks {
        self.handle.checks
    }

    /// Keeps the failure of a launch until somebody waits for its results: the first one, with the number of all failed threads.
    pub(crate) fn keep_failure(&self, failure: &KernelFailure) {
        let mut failed = self.failed();
        failed.count += 1;
        failed.last = Some(failure.clone());
        let mut failures = self.handle.lock();
        match failures.iter_mut().find(|(queue, _)| *queue == self.id) {
            Some((_, first)) => first.failed_threads = first.failed_threads.saturating_add(failure.failed_threads),
            None => failures.push((self.id, failure.clone())),
        }
    }

    /// How many failures there were.
    pub(crate) fn failures_so_far(&self) -> u64 {
        self.failed().count
    }

    /// The last failure, if there was one since there were `before`.
    pub(crate) fn failed_since(&self, before: u64) -> Result<()> {
        let failed = self.failed();
        match &failed.last {
            Some(failure) if failed.count != before => Err(failure.clone().into()),
            _ => Ok(()),
        }
    }

    fn failed(&self) -> MutexGuard<'_, Failed> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `work` returns. A failure that it keeps for this queue is kept for `other` instead, if both are of one handle.
    pub(crate) fn on_behalf_of<R>(&self, other: &Self, work: impl FnOnce() -> R) -> R {
        let is_kept = |handle: &Handle| handle.lock().iter().any(|(queue, _)| *queue == self.id);
        let was_kept = is_kept(&self.handle);
        let result = work();
        if !was_kept
            && self.is_of_handle_of(other)
            && let Some(failure) = self.handle.take(|queue| queue == self.id)
        {
            other.keep_failure(&failure);
        }
        result
    }

    /// The failure that was kept, if any, as an error; forgets it.
    pub(crate) fn report_failure(&self) -> Result<()> {
        self.handle.report(|queue| queue == self.id)
    }

    /// That of the handle's queue with this number.
    pub(crate) fn report_failure_of(&self, queue: u64) -> Result<()> {
        self.handle.report(|other| other == queue)
    }

    /// The oldest failure of all queues of the handle.
    pub(crate) fn report_failure_of_any(&self) -> Result<()> {
        self.handle.report(|_| true)
    }
}

impl Handle {
    fn report(&self, of: impl Fn(u64) -> bool) -> Result<()> {
        self.take(of).map_or(Ok(()), |failure| Err(failure.into()))
    }

    fn take(&self, of: impl Fn(u64) -> bool) -> Option<KernelFailure> {
        let mut failures = self.lock();
        let index = failures.iter().position(|(queue, _)| of(*queue))?;
        Some(failures.remove(index).1)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u64, KernelFailure)>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What `GPU_RUNTIME_CHECK` asks for, as it was when the first device was opened.
fn checks_of_environment() -> Checks {
    static CHECKS: OnceLock<Checks> = OnceLock::new();
    *CHECKS.get_or_init(|| match std::env::var("GPU_RUNTIME_CHECK").as_deref() {
        Ok("1") => Checks::All,
        Ok("memory") => Checks::Memory,
        _ => Checks::None,
    })
}

/// A cache line, and the widest vector register there is.
const ALIGN: usize = 64;

/// What allocators give without being asked, on every platform there is.
const NATURAL_ALIGN: usize = 16;

/// The layout of an allocation for `bytes` bytes, if there can be one.
fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(ALIGN)?, NATURAL_ALIGN).ok()
}

/// Zeroed memory of `bytes` bytes, or nothing where there is not that much. Zero bytes need no allocation.
pub(crate) fn allocate(bytes: usize) -> Option<NonNull<u8>> {
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
pub(crate) unsafe fn free(pointer: NonNull<u8>, bytes: usize) {
    if bytes > 0 {
        // SAFETY: the caller guarantees the pointer, before which the base stands; the layout is that of the allocation.
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
