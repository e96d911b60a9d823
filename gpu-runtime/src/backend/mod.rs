//! The backends, which run kernels: NVIDIA GPUs through CUDA's driver, and the cores of this machine.
//!
//! # Devices and queues
//!
//! ```text
//! Device, Stream ┐
//! Launch ────────┼──▶ Queue ──┬──▶ host::Queue   number, failures                       the twins: cpu
//! RawMemory ─────┘   (below)  └──▶ cuda::Queue   stream, order, failure record, ──▶ Gpu  context, properties, loaded modules,
//!                                                scratch memory                          queues, printed text
//! ```
//!
//! A [`Queue`] is a sequence of operations of one device. A `Device` is a handle to one, and a `Stream` is a `Device` with a queue of its
//! own. The layers above only use a device through a queue, which is the only place that knows the kinds of devices:
//!
//! | what | a queue of the CPU | a queue of a GPU |
//! |---|---|---|
//! | a launch, a copy, a free | is over when the call returns | is put at the end of the stream |
//! | [`synchronize`](Queue::synchronize) | has nothing to wait for | waits for the stream |
//! | a failure of a kernel | is [kept](Queue::keep_failure) with the handle until someone synchronizes | is kept in the queue's record |
//! | memory | is the host's, which [can read it in place](Queue::memory_is_the_hosts) | is far away |
//! | [order](Queue::ordered) with other queues | is that of the calls | is that of the calls that use the same memory |
//! | a [point](Queue::record) | is a time | is an event |
//!
//! Work that has nothing in common on both, such as the kernels of an array function, is [dispatched](Queue::dispatch).
//!
//! # Several queues of one device
//!
//! Order follows the data. Everything that uses memory of a device says so with a [`MemoryUse`]: which allocation, which bytes, reading or
//! writing. On a GPU, [`cuda::Queue::ordered`] is the way of each launch, copy and array function:
//!
//! ```text
//! for each use    has another queue used the allocation?           one comparison; what follows only if so
//!                     the marks of uses that conflict              under the lock of the allocation
//!                     wait for each, unless this queue has done so or the host has: record its event, cuStreamWaitEvent
//! submit          cuLaunchKernel, cuMemcpy…Async
//! for each use    store the mark (queue, epoch), unless it is there already
//! ```
//!
//! [`cuda::order`] explains marks and epochs, why this is correct when several threads do it, and its locks.
//!
//! * **What makes it right**: an event captures all work on its stream at the time of `cuEventRecord`; `cuStreamWaitEvent` takes the event as
//!   it was recorded last, and later records do not change what waits. So a queue needs one event. Memory comes from `cuMemAllocAsync`, in
//!   the order of the queue that asked for it, and goes back with `cuMemFreeAsync` on one of the queues that used it, after the marks of the
//!   others.
//! * **Which queue**: `on(&stream)` says; otherwise the handle with which the first array was created. So a program that passes a `&Stream`
//!   in place of a `&Device` runs on the stream.
//! * **Handles**: the arrays of a stream have a handle to it. When the last handle is dropped, the queue is kept for the next stream, so
//!   queues live forever, a mark is always valid, and nothing waits in a `drop`.
//! * **The CPU's queues** have nothing to order. Their uses only note which queue has written an array last, because whoever reads the array
//!   gets the failure of its kernel.
//! * **The legacy default stream** is not used, except to set variables of a module when it is loaded. All streams are blocking streams, so
//!   they come after that.
//!
//! # Failures
//!
//! A failure belongs to the queue of its launch, which has a record (`cuda::record`). It is returned once, by the first call that waits for
//! the queue, that waits for the device, or that reads an array which the queue has written last: so who reads wrong data is told.
//! A stream that is dropped leaves its failure to whoever waits for the device.
//!
//! # Graphs
//!
//! While a thread [records](recording), what it asks of a queue becomes a node of a graph. A launch of the graph is work of a queue like any
//! other, [ordered](Queue::ordered) by its arguments.
//!
//! # Several devices
//!
//! A copy from another GPU is put on the queue of the target, after an event of the queue of the source, which waits for an event behind the
//! copy: `cuda::peer`.

pub(crate) mod cpu;
pub(crate) mod cuda;
pub(crate) mod host;
mod meter;
pub(crate) mod pages;
pub(crate) mod recording;

use std::fmt;
use std::ptr::{NonNull, without_provenance_mut};
use std::sync::Arc;
use std::time::Instant;

use self::cuda::Staging;
pub(crate) use self::cuda::{Access, MemoryUse, Usage};
use self::meter::Meter;
use self::recording::Unrecordable;
use crate::dims::Limits;
use crate::failure::KernelFailure;
use crate::observe::{self, Activity};
use crate::{Error, Result};

/// What a device does in order: see [the module](self).
#[derive(Clone)]
pub(crate) struct Queue(Kind);

/// No other module knows of it.
#[derive(Clone)]
enum Kind {
    Cpu(Arc<host::Queue>),
    Gpu(&'static cuda::Queue, Option<Arc<Lease>>),
}

/// Gives the queue of a stream back when the last handle to it is dropped.
struct Lease(&'static cuda::Queue);

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

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

/// The memory of a GPU in bytes: see [`Device::memory_info`](crate::Device::memory_info).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryInfo {
    /// What no program has taken.
    pub free: usize,
    /// All of it.
    pub total: usize,
}

/// The memory of a device that arrays of this process have, in bytes: see [`Device::memory`](crate::Device::memory).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUsage {
    /// That of all arrays at present.
    pub live: usize,
    /// The most that `live` has been.
    pub peak: usize,
    /// What this process has taken from the device for arrays, in use or not. On the CPU, the same as `live`.
    pub reserved: usize,
}

/// The device of a queue.
impl Queue {
    /// A queue of the CPU, with failures of its own.
    pub(crate) fn of_cpu(is_checked: bool) -> Self {
        Self(Kind::Cpu(Arc::new(host::Queue::new(is_checked))))
    }

    /// Whether launches run under the checker.
    pub(crate) fn is_checked(&self) -> bool {
        matches!(&self.0, Kind::Cpu(queue) if queue.is_checked())
    }

    /// The queue of the GPU with that number, which is opened on first use.
    pub(crate) fn of_gpu(ordinal: usize) -> Result<Self> {
        cuda::Queue::of_gpu(ordinal).map(|queue| Self(Kind::Gpu(queue, None)))
    }

    /// That of a GPU of a fake driver: see [`cuda::fake`].
    #[cfg(test)]
    pub(crate) fn of_fake_gpu() -> Self {
        let ordinal = cuda::fake::install();
        Self(Kind::Gpu(cuda::Queue::of_new_gpu(ordinal).expect("a GPU of the fake driver"), None))
    }

    /// A queue of the same device for a new stream. A GPU starts blocks of queues with a higher priority first.
    pub(crate) fn stream(&self, priority: u32) -> Result<Self> {
        match &self.0 {
            Kind::Cpu(queue) => Ok(Self(Kind::Cpu(Arc::new(queue.stream())))),
            Kind::Gpu(queue, _) => {
                let queue = cuda::Queue::lease(queue.gpu(), priority)?;
                Ok(Self(Kind::Gpu(queue, Some(Arc::new(Lease(queue))))))
            }
        }
    }

    /// What the device is called.
    pub(crate) fn device_name(&self) -> &str {
        match &self.0 {
            Kind::Cpu(_) => host::name(),
            Kind::Gpu(queue, _) => queue.gpu().name(),
        }
    }

    /// Whether two queues are of the same device. All handles to the CPU are one device.
    #[inline]
    pub(crate) fn is_on_device_of(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Cpu(_), Kind::Cpu(_)) => true,
            (Kind::Gpu(one, _), Kind::Gpu(other, _)) => std::ptr::eq(one.gpu(), other.gpu()),
            _ => false,
        }
    }

    /// Whether it is that of a stream, rather than the one of its device.
    pub(crate) fn is_of_stream(&self) -> bool {
        match &self.0 {
            Kind::Cpu(queue) => queue.is_of_stream(),
            Kind::Gpu(_, lease) => lease.is_some(),
        }
    }

    /// Whether the device is a GPU.
    #[inline]
    pub(crate) fn is_gpu(&self) -> bool {
        matches!(self.0, Kind::Gpu(..))
    }

    /// The largest shapes that the device can launch.
    #[inline]
    pub(crate) fn limits(&self) -> &'static Limits {
        match &self.0 {
            Kind::Cpu(_) => &host::LIMITS,
            Kind::Gpu(queue, _) => queue.gpu().limits(),
        }
    }

    /// Gives each thread of later launches that many bytes of stack, where the device decides that.
    pub(crate) fn set_stack_size(&self, bytes: usize) -> Result<()> {
        match &self.0 {
            Kind::Cpu(_) => Ok(()),
            Kind::Gpu(queue, _) => queue.gpu().set_stack_size(bytes),
        }
    }

    /// The bytes of stack of each thread, where the device decides that.
    pub(crate) fn stack_size(&self) -> Result<Option<usize>> {
        match &self.0 {
            Kind::Cpu(_) => Ok(None),
            Kind::Gpu(queue, _) => queue.gpu().stack_size().map(Some),
        }
    }

    /// The memory that arrays have.
    pub(crate) fn memory_usage(&self) -> Result<MemoryUsage> {
        let meter = self.meter();
        let (live, peak) = (meter.live(), meter.peak());
        let reserved = match &self.0 {
            Kind::Cpu(_) => live,
            Kind::Gpu(queue, _) => queue.gpu().reserved_memory()?.unwrap_or(live),
        };
        Ok(MemoryUsage { live, peak, reserved })
    }

    /// Gives memory that no array has back to the device, where the process keeps some.
    pub(crate) fn trim_memory(&self) -> Result<()> {
        match &self.0 {
            Kind::Cpu(_) => Ok(()),
            Kind::Gpu(queue, _) => queue.gpu().trim_memory(),
        }
    }

    fn meter(&self) -> &'static Meter {
        match &self.0 {
            Kind::Cpu(_) => &host::METER,
            Kind::Gpu(queue, _) => &queue.gpu().meter,
        }
    }

    /// The memory of the device, if it has its own.
    pub(crate) fn memory_info(&self) -> Result<Option<MemoryInfo>> {
        match &self.0 {
            Kind::Cpu(_) => Ok(None),
            Kind::Gpu(queue, _) => queue.gpu().memory_info().map(Some),
        }
    }
}

/// Waiting, and failures.
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
                    return self.ordered_by_recording(queue, uses, submit);
                }
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

    /// Whether the calling thread records a graph, which takes launches of kernels and no calls of libraries.
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
                uses.iter().try_for_each(|used| queue.report_failure_of(used.usage.host_writer()))?;
                Ok(value)
            }
            Kind::Gpu(queue, _) => {
                let writers: Vec<_> = uses.iter().flat_map(|used| used.usage.other_writers(queue, &used.bytes)).collect();
                let value = work()?;
                writers.into_iter().try_for_each(cuda::Queue::report)?;
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
            (_, WritersOf::Gpu(queues)) => queues.iter().try_for_each(|queue| queue.report()),
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

    /// Does one of the two.
    #[inline]
    pub(crate) fn dispatch<T>(&self, on_cpu: impl FnOnce() -> T, on_gpu: impl FnOnce(&'static cuda::Queue) -> T) -> T {
        self.dispatch_with((), |()| on_cpu(), |(), queue| on_gpu(queue))
    }

    /// Does one of the two, which both take `argument`.
    #[inline]
    pub(crate) fn dispatch_with<A, T>(
        &self,
        argument: A,
        on_cpu: impl FnOnce(A) -> T,
        on_gpu: impl FnOnce(A, &'static cuda::Queue) -> T,
    ) -> T {
        match &self.0 {
            Kind::Cpu(_) => on_cpu(argument),
            Kind::Gpu(queue, _) => on_gpu(argument, queue),
        }
    }
}

/// Memory of the device: a host pointer on the CPU; on a GPU a device address, which the host must not follow.
impl Queue {
    /// Memory of `bytes` bytes. Where not `zeroed`, its contents are any bytes.
    pub(crate) fn allocate(&self, bytes: usize, zeroed: bool) -> Result<(*mut u8, Usage)> {
        let allocated = self.allocate_uncounted(bytes, zeroed)?;
        self.meter().add(bytes);
        Ok(allocated)
    }

    fn allocate_uncounted(&self, bytes: usize, zeroed: bool) -> Result<(*mut u8, Usage)> {
        match &self.0 {
            Kind::Cpu(_) => {
                let out_of_memory = || Error::OutOfMemory { device: host::name().to_owned(), bytes };
                let pointer = host::allocate(bytes).ok_or_else(out_of_memory)?;
                if recording::is_active() {
                    let address = pointer.addr().get() as u64;
                    self.note_created(address..address + bytes as u64);
                }
                Ok((pointer.as_ptr(), Usage::unused()))
            }
            Kind::Gpu(queue, _) => {
                let address = queue.allocate(bytes, zeroed)?;
                let queue = queue.recorded_on().unwrap_or(queue);
                Ok((without_provenance_mut(address as usize), Usage::of_new(queue, address..address + bytes as u64)))
            }
        }
    }

    /// Frees memory once everything on all queues so far is done with it.
    ///
    /// # Safety
    ///
    /// `pointer` must come from `allocate(bytes, …)` of a queue of this device, as did `usage`, and its owner be gone.
    pub(crate) unsafe fn free(&self, pointer: *mut u8, bytes: usize, usage: &Usage) {
        self.meter().remove(bytes);
        match &self.0 {
            Kind::Cpu(_) => {
                if recording::is_active() {
                    self.note_dropped(pointer.addr() as u64);
                }
                // SAFETY: the caller guarantees the pointer. Kernels on the CPU have ended when their launch returned.
                unsafe { host::free(NonNull::new_unchecked(pointer), bytes) }
            }
            Kind::Gpu(queue, _) => queue.free_after(pointer.addr() as u64, usage),
        }
    }

    /// Whether the host can read and write the memory where it is.
    pub(crate) fn memory_is_the_hosts(&self) -> bool {
        matches!(self.0, Kind::Cpu(_))
    }

    /// Copies `bytes` from host memory to memory of the device. The source may change again when this returns.
    ///
    /// # Safety
    ///
    /// `source` must be readable, and `target` be memory of the device that nothing else uses, for `bytes` bytes.
    pub(crate) unsafe fn upload(&self, source: *const u8, target: *mut u8, bytes: usize) -> Result<()> {
        let _observed = observe::begin(Activity::Copy, "to the device", bytes as u64);
        match &self.0 {
            Kind::Cpu(_) => {
                // SAFETY: the caller guarantees both ranges; an exclusive one overlaps no other.
                unsafe { source.copy_to_nonoverlapping(target, bytes) };
                Ok(())
            }
            // SAFETY: the caller guarantees both ranges.
            Kind::Gpu(queue, _) => unsafe { cuda::pipeline::upload(queue, source, target.addr() as u64, bytes) },
        }
    }

    /// Copies `bytes` from memory of the device to host memory, once everything on the queue so far is done.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed.
    ///
    /// # Safety
    ///
    /// `source` must be memory of the device, and `target` be writable memory that nothing else uses, for `bytes` bytes.
    pub(crate) unsafe fn download(&self, source: *const u8, target: *mut u8, bytes: usize) -> Result<()> {
        let _observed = observe::begin(Activity::Copy, "to the host", bytes as u64);
        match &self.0 {
            Kind::Cpu(queue) => {
                // SAFETY: the caller guarantees both ranges; an exclusive one overlaps no other.
                unsafe { source.copy_to_nonoverlapping(target, bytes) };
                queue.report_failure()
            }
            // SAFETY: the caller guarantees both ranges.
            Kind::Gpu(queue, _) => unsafe { cuda::pipeline::download(queue, source.addr() as u64, target, bytes) },
        }
    }
}

/// Copies between devices.
impl Queue {
    /// Whether this device can use the memory of the other one directly.
    pub(crate) fn can_access(&self, other: &Self) -> Result<bool> {
        match (&self.0, &other.0) {
            (Kind::Cpu(_), Kind::Cpu(_)) => Ok(true),
            (Kind::Gpu(own, _), Kind::Gpu(other, _)) if std::ptr::eq(own.gpu(), other.gpu()) => Ok(true),
            (Kind::Gpu(own, _), Kind::Gpu(other, _)) => own.gpu().can_access(other.gpu()),
            _ => Ok(false),
        }
    }

    /// Copies `bytes` from memory of another device, or of this one, in order with the work of all queues that use it.
    ///
    /// # Safety
    ///
    /// `to` must be memory of this device as `target` says, and `from` memory of the device of `other` as `source` says, for `bytes` bytes.
    pub(crate) unsafe fn copy_from(
        &self,
        (target, to): (&MemoryUse<'_>, *mut u8),
        other: &Self,
        (source, from): (&MemoryUse<'_>, *const u8),
        bytes: usize,
    ) -> Result<()> {
        recording::refuse(Unrecordable::Transfer)?;
        if bytes == 0 {
            return Ok(());
        }
        match (&self.0, &other.0) {
            (Kind::Cpu(_), _) => {
                // SAFETY: the caller guarantees both ranges.
                let download = || other.read_back(source, || unsafe { other.download(from, to, bytes) });
                self.ordered(std::slice::from_ref(target), download)
            }
            // SAFETY: as above.
            (Kind::Gpu(..), Kind::Cpu(_)) => self.fill(target, || unsafe { self.upload(from, to, bytes) }),
            (Kind::Gpu(own, _), Kind::Gpu(other, _)) => {
                let _observed = observe::begin(Activity::Copy, "between devices", bytes as u64);
                // SAFETY: as above.
                unsafe { own.copy_from((target, to.addr() as u64), other, (source, from.addr() as u64), bytes) }
            }
        }
    }
}

/// Points of queues.
impl Queue {
    /// The point behind everything on the queue so far.
    pub(crate) fn record(&self) -> Result<Event> {
        recording::refuse(Unrecordable::Event)?;
        match &self.0 {
            Kind::Cpu(_) => Ok(Event::Cpu(Instant::now())),
            Kind::Gpu(queue, _) => queue.record_event().map(Event::Gpu),
        }
    }

    /// Calls `wake` when everything on the queue so far is done, on a thread that must not be made to wait; or returns it if that is the case
    /// already.
    pub(crate) fn when_done(&self, wake: Box<dyn FnOnce() + Send>) -> Result<Option<Box<dyn FnOnce() + Send>>> {
        recording::refuse(Unrecordable::Wait)?;
        match &self.0 {
            Kind::Cpu(_) => Ok(Some(wake)),
            Kind::Gpu(queue, _) => queue.when_done(wake),
        }
    }

    /// The failure of a kernel, after everything on the queue was waited for.
    pub(crate) fn report(&self) -> Result<()> {
        match &self.0 {
            Kind::Cpu(queue) => queue.report_failure(),
            Kind::Gpu(queue, _) => queue.report(),
        }
    }

    /// Lets what comes next on the queue wait for the point. On the CPU, and for points of the CPU, there is nothing to wait for.
    pub(crate) fn wait_for(&self, event: &Event) -> Result<()> {
        recording::refuse(Unrecordable::Event)?;
        match (&self.0, event) {
            (Kind::Gpu(queue, _), Event::Gpu(event)) => queue.wait_for_event(event),
            // What the CPU does next begins at once.
            (Kind::Cpu(_), Event::Gpu(event)) => event.synchronize(),
            (_, Event::Cpu(_)) => Ok(()),
        }
    }
}

/// A point of a queue.
pub(crate) enum Event {
    /// When it was reached.
    Cpu(Instant),
    Gpu(cuda::Event),
}

/// The device: `GPU 0 (NVIDIA H200)`, or the name of the CPU.
impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Cpu(_) => f.write_str(host::name()),
            Kind::Gpu(queue, _) => write!(f, "GPU {} ({})", queue.gpu().ordinal(), queue.gpu().name()),
        }
    }
}
