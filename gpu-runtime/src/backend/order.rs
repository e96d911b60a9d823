//! The order of what a queue does, waiting for it, and its failures: see [the backends](super).

use std::sync::Arc;

use super::cuda::{self, PageLocked, Staging};
use super::recording::{self, Unrecordable};
use super::{Access, Event, Kind, MemoryUse, Queue, Usage, host};
use crate::failure::KernelFailure;
use crate::{Result, fork, observe};

/// Queues that may have written some memory.
pub(crate) struct Writers(WritersOf);

enum WritersOf {
    /// By its number.
    Cpu(u64),
    Gpu(Vec<&'static cuda::Queue>),
}

/// How many failures of a queue there were.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reports(u64);

impl Queue {
    /// Waits until everything on the queue is done.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed since the last report.
    pub(crate) fn synchronize(&self) -> Result<()> {
        recording::refuse(Unrecordable::Wait)?;
        match &self.0 {
            Kind::Cpu(queue) => queue.report_failure(),
            Kind::Gpu(queue, _) => queue.synchronize(),
        }
    }

    /// Waits until everything on all queues of the device is done.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed on one of them since the last report.
    pub(crate) fn synchronize_device(&self) -> Result<()> {
        recording::refuse(Unrecordable::Wait)?;
        match &self.0 {
            Kind::Cpu(queue) => queue.report_failure_of_any(),
            Kind::Gpu(queue, _) => queue.gpu().synchronize(),
        }
    }

    /// Keeps a failure of a kernel that ran on the CPU for whoever waits next through the same handle. A GPU has kept its own.
    pub(crate) fn keep_failure(&self, failure: &KernelFailure) {
        match &self.0 {
            Kind::Cpu(queue) => queue.keep_failure(failure),
            Kind::Gpu(..) => {}
        }
    }

    /// Whether what one of them keeps is reported by the other's handle too.
    pub(crate) fn shares_failures_with(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Cpu(one), Kind::Cpu(other)) => one.is_of_handle_of(other),
            _ => true,
        }
    }

    /// Calls `submit`, which puts work on this queue that uses memory in these ways, in order with the work of other queues that uses it.
    #[inline]
    pub(crate) fn ordered(&self, uses: &[MemoryUse<'_>], submit: impl FnOnce() -> Result<()>) -> Result<()> {
        match &self.0 {
            Kind::Cpu(queue) => {
                if recording::is_active() {
                    return self.ordered_by_recording(queue, uses, Box::new(submit));
                }
                recording::refuse_borrowed(uses)?;
                fork::check()?;
                observe::note_bytes(|| MemoryUse::total_bytes(uses));
                let result = submit();
                uses.iter().filter(|used| used.access == Access::Write).for_each(|used| used.usage.set_host_writer(queue.id()));
                result
            }
            Kind::Gpu(queue, _) => queue.ordered(uses, submit),
        }
    }

    /// The same for a copy from the host, which is over when `copy` returns.
    pub(crate) fn fill(&self, target: &MemoryUse<'_>, copy: impl FnOnce() -> Result<()>) -> Result<()> {
        recording::refuse(Unrecordable::CopyFromHost)?;
        match &self.0 {
            Kind::Cpu(_) => self.ordered(std::slice::from_ref(target), copy),
            Kind::Gpu(queue, _) => queue.ordered_and_done(std::slice::from_ref(target), copy),
        }
    }

    /// Notes that new memory was filled by what was put on this queue so far.
    pub(crate) fn settle(&self, usage: &Usage) {
        if recording::is_active() {
            return recording::settle(usage.bytes().start);
        }
        if let Kind::Gpu(queue, _) = &self.0 {
            usage.settle(queue);
        }
    }

    /// Notes that memory at these addresses is filled, as far as the code that is recorded has created it.
    pub(crate) fn note_filled(&self, targets: &[*mut u8]) {
        if recording::is_active() {
            targets.iter().for_each(|target| recording::settle(target.addr() as u64));
        }
    }

    /// Whether the calling thread records a graph.
    #[cfg(feature = "blas")]
    pub(crate) fn is_recorded() -> bool {
        recording::is_active()
    }

    /// Refuses copies from the host that an operation makes by itself, while it is recorded.
    pub(crate) fn check_host_inputs(&self) -> Result<()> {
        recording::refuse(Unrecordable::CopyFromHost)
    }

    /// Calls `copy`, which copies from memory to the host, waits, and reports failures of this queue; in order with the work of other
    /// queues.
    ///
    /// # Errors
    ///
    /// Those of `copy`, and [`Error::KernelFailed`] if a kernel failed on a queue that has written the memory.
    pub(crate) fn read_back(&self, source: &MemoryUse<'_>, copy: impl FnOnce() -> Result<()>) -> Result<()> {
        let source = std::slice::from_ref(source);
        self.with_failures_of_writers(source, || match &self.0 {
            Kind::Cpu(_) => copy(),
            Kind::Gpu(queue, _) => queue.ordered_and_done(source, copy),
        })
    }

    /// What `work` returns, which uses memory in these ways, and waits. Fails also if a kernel failed on another queue that has written the
    /// memory last, and nobody has got the report.
    pub(crate) fn with_failures_of_writers<T>(&self, uses: &[MemoryUse<'_>], work: impl FnOnce() -> Result<T>) -> Result<T> {
        recording::refuse(Unrecordable::HostResult)?;
        match &self.0 {
            Kind::Cpu(queue) => {
                let value = work()?;
                report_host_writers(queue, uses)?;
                Ok(value)
            }
            Kind::Gpu(queue, _) => {
                let writers = other_writers(queue, uses);
                let value = work()?;
                report_all(&writers)?;
                Ok(value)
            }
        }
    }

    /// What `work` returns, which launches something, waits for it, and returns its failure. Fails also if another host thread got the
    /// report of it meanwhile.
    pub(crate) fn with_failures_of_others<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        match &self.0 {
            // Whoever runs a kernel here gets its failure from the call itself.
            Kind::Cpu(_) => work(),
            Kind::Gpu(queue, _) => queue.with_failures_of_others(work),
        }
    }

    /// The queues that may have written the memory last, besides this one.
    pub(crate) fn writers(&self, used: &MemoryUse<'_>) -> Writers {
        Writers(match &self.0 {
            Kind::Cpu(_) => WritersOf::Cpu(used.usage.host_writer()),
            Kind::Gpu(queue, _) => WritersOf::Gpu(used.usage.other_writers(queue, &used.bytes)),
        })
    }

    /// The failures of those queues, whose work so far must have been waited for.
    pub(crate) fn report_writers(&self, Writers(writers): &Writers) -> Result<()> {
        match (&self.0, writers) {
            (Kind::Cpu(queue), WritersOf::Cpu(writer)) => queue.report_failure_of(*writer),
            (_, WritersOf::Cpu(_)) => Ok(()),
            (_, WritersOf::Gpu(queues)) => report_all(queues),
        }
    }

    /// Starts a copy from memory of the device to the host, in order with the work of other queues. It goes to memory that must be kept until
    /// everything on the queue so far is done; on the CPU there is none, as the host can read the memory where it is.
    ///
    /// # Safety
    ///
    /// `source` must be memory of the device for `bytes` bytes, as `used` says.
    pub(crate) unsafe fn start_download(&self, used: &MemoryUse<'_>, source: *const u8, bytes: usize) -> Result<Option<Arc<Staging>>> {
        recording::refuse(Unrecordable::HostResult)?;
        match &self.0 {
            Kind::Cpu(_) => Ok(None),
            Kind::Gpu(queue, _) => {
                // SAFETY: the caller guarantees the source.
                queue.ordered(std::slice::from_ref(used), || unsafe { queue.start_download(source.addr() as u64, bytes) }).map(Some)
            }
        }
    }

    /// Starts a copy from the host, in order with the work of other queues. The source may change again when this returns: the copy comes from
    /// memory that must be kept until everything on the queue so far is done; on the CPU there is none, as the copy is done.
    ///
    /// # Safety
    ///
    /// `source` must be readable, and `to` be memory of the device that nothing else uses, as `target` says, for `bytes` bytes.
    pub(crate) unsafe fn start_upload(
        &self,
        target: &MemoryUse<'_>,
        source: *const u8,
        to: *mut u8,
        bytes: usize,
    ) -> Result<Option<Arc<Staging>>> {
        recording::refuse(Unrecordable::CopyFromHost)?;
        let target = std::slice::from_ref(target);
        match &self.0 {
            Kind::Cpu(_) => {
                let copy = || {
                    // SAFETY: the caller guarantees both ranges; an exclusive one overlaps no other.
                    unsafe { source.copy_to_nonoverlapping(to, bytes) };
                    Ok(())
                };
                self.ordered(target, copy).map(|()| None)
            }
            // SAFETY: as above.
            Kind::Gpu(queue, _) => queue.ordered(target, || unsafe { queue.start_upload(source, to.addr() as u64, bytes) }).map(Some),
        }
    }

    /// The same from page-locked memory of the program, without a copy in between. The source must not change or be freed before the event
    /// that is returned.
    ///
    /// # Safety
    ///
    /// `source` must have `bytes` bytes that are initialized, and `to` be memory of the device that nothing else uses, as `target` says, for as
    /// many.
    pub(crate) unsafe fn start_upload_in_place(
        &self,
        target: &MemoryUse<'_>,
        source: &PageLocked,
        to: *mut u8,
        bytes: usize,
    ) -> Result<Event> {
        recording::refuse(Unrecordable::CopyFromHost)?;
        let copy = || match &self.0 {
            Kind::Cpu(_) => {
                // SAFETY: the caller guarantees both ranges; an exclusive one overlaps no other.
                unsafe { source.start().copy_to_nonoverlapping(to, bytes) };
                Ok(())
            }
            // SAFETY: as above, for as long as the copy takes.
            Kind::Gpu(queue, _) => unsafe { queue.start_upload_in_place(source, to.addr() as u64, bytes) },
        };
        self.ordered(std::slice::from_ref(target), copy)?;
        self.end_of_copy()
    }

    /// The same in the other direction. The target must not be accessed or freed before the event that is returned.
    ///
    /// # Safety
    ///
    /// `from` must be memory of the device, as `source` says, for `bytes` bytes, and `target` have as many.
    pub(crate) unsafe fn start_download_in_place(
        &self,
        source: &MemoryUse<'_>,
        from: *const u8,
        target: &PageLocked,
        bytes: usize,
    ) -> Result<Event> {
        recording::refuse(Unrecordable::HostResult)?;
        let copy = || match &self.0 {
            Kind::Cpu(_) => {
                // SAFETY: the caller guarantees both ranges; page-locked memory is no array's.
                unsafe { from.copy_to_nonoverlapping(target.start(), bytes) };
                Ok(())
            }
            // SAFETY: as above, for as long as the copy takes.
            Kind::Gpu(queue, _) => unsafe { queue.start_download_in_place(from.addr() as u64, target, bytes) },
        };
        self.ordered(std::slice::from_ref(source), copy)?;
        self.end_of_copy()
    }

    /// The point after a copy that was just put on the queue.
    fn end_of_copy(&self) -> Result<Event> {
        self.record().inspect_err(|_| {
            // Without an event, nobody could wait for the copy.
            let _ = self.synchronize();
        })
    }

    /// The failures on this queue that were reported so far.
    pub(crate) fn reports(&self) -> Reports {
        Reports(match &self.0 {
            Kind::Cpu(queue) => queue.failures_so_far(),
            Kind::Gpu(queue, _) => queue.reports_so_far(),
        })
    }

    /// The last failure on this queue that came after those, whoever got the report. The queue must have been waited for.
    pub(crate) fn reported_since(&self, Reports(before): &Reports) -> Result<()> {
        match &self.0 {
            Kind::Cpu(queue) => queue.failed_since(*before),
            Kind::Gpu(queue, _) => queue.reported_since(*before),
        }
    }
}

/// The failures of the queues of the CPU that have written the memory last.
fn report_host_writers(queue: &host::Queue, uses: &[MemoryUse<'_>]) -> Result<()> {
    uses.iter().try_for_each(|used| queue.report_failure_of(used.usage.host_writer()))
}

/// The queues of GPUs that may have written the memory last, besides this one.
fn other_writers(queue: &cuda::Queue, uses: &[MemoryUse<'_>]) -> Vec<&'static cuda::Queue> {
    let mut writers = Vec::new();
    for used in uses {
        writers.append(&mut used.usage.other_writers(queue, &used.bytes));
    }
    writers
}

fn report_all(queues: &[&'static cuda::Queue]) -> Result<()> {
    queues.iter().try_for_each(|queue| queue.report())
}
