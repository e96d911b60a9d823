//! The backends, which run kernels: NVIDIA GPUs through CUDA's driver, and the cores of this machine.
//!
//! # Devices and queues
//!
//! ```text
//! Device ────────┐
//! Launch ────────┼──▶ Queue ──┬──▶ host::Queue   failures                        the twins: cpu
//! RawMemory ─────┘   (below)  └──▶ cuda::Queue   stream, scratch memory ──▶ Gpu   context, properties, loaded modules,
//!                                                                               failure record, printed text
//! ```
//!
//! A [`Queue`] is the sequence of operations of one device. The layers above only use a device through its queue, which is the only place
//! that knows the kinds of devices:
//!
//! | what | the CPU's queue | a GPU's queue |
//! |---|---|---|
//! | a launch, a copy, a free | is over when the call returns | is put at the end of the stream |
//! | [`synchronize`](Queue::synchronize) | has nothing to wait for | waits for the stream |
//! | a failure of a kernel | is [kept](Queue::keep_failure) with the handle until someone synchronizes | is kept in the GPU's record |
//! | memory | is the host's, which [can read it in place](Queue::memory_is_the_hosts) | is far away |
//!
//! Work that has nothing in common on both, such as the kernels of an array function, is [dispatched](Queue::dispatch).
//!
//! # Several queues of one device
//!
//! There is one queue for each GPU so far, which is why nothing orders two. What more of them need, and where it belongs:
//!
//! * **Streams of the user** are more `cuda::Queue`s with the same `Gpu`. What two queues must not share is in the queue already: the
//!   scratch memory of reductions, the state of a cooperative grid. What they share, `Gpu` protects by locks that no launch takes.
//! * **Order between queues follows memory.** `RawMemory` remembers a *mark* of the last write and of the reads since; a mark is a queue
//!   and its count of works. Before a launch, each argument asks its memory: a mark of the same queue costs one comparison; another queue
//!   records an event and waits for it. Memory is freed in the queue of its last use, after its other marks.
//! * **A failure record for each launch or stream.** The address of the record is a variable of a loaded module, which all queues share. It
//!   becomes the last parameter of a kernel that can fail, as the state of a cooperative grid is today.
//! * **Captured graphs** record what a queue is asked for. A launch neither allocates nor waits, so it can be captured; a reduction to one
//!   value waits, and must not be.
//! * **Waiting without blocking**: a mark is what a future of a launch waits for.
//! * **Peer copies** are put on the queue of the target, behind the mark of the source's last write.

pub(crate) mod cpu;
pub(crate) mod cuda;
pub(crate) mod host;
pub(crate) mod pages;

use std::fmt;
use std::ptr::{NonNull, without_provenance_mut};
use std::sync::Arc;

use crate::dims::Limits;
use crate::failure::KernelFailure;
use crate::{Error, Result};

/// What a device does in order: see [the module](self).
#[derive(Clone)]
pub(crate) struct Queue(Kind);

/// No other module knows of it.
#[derive(Clone)]
enum Kind {
    Cpu(Arc<host::Queue>),
    Gpu(&'static cuda::Queue),
}

/// The memory of a GPU in bytes: see [`Device::memory_info`](crate::Device::memory_info).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryInfo {
    /// What no program has taken.
    pub free: usize,
    /// All of it.
    pub total: usize,
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
        cuda::Queue::of_gpu(ordinal).map(|queue| Self(Kind::Gpu(queue)))
    }

    /// What the device is called.
    pub(crate) fn device_name(&self) -> &str {
        match &self.0 {
            Kind::Cpu(_) => host::name(),
            Kind::Gpu(queue) => queue.gpu().name(),
        }
    }

    /// Whether two queues are of the same device. All handles to the CPU are one device.
    #[inline]
    pub(crate) fn is_on_device_of(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Cpu(_), Kind::Cpu(_)) => true,
            (Kind::Gpu(one), Kind::Gpu(other)) => std::ptr::eq(one.gpu(), other.gpu()),
            _ => false,
        }
    }

    /// Whether the device is a GPU.
    #[inline]
    pub(crate) fn is_gpu(&self) -> bool {
        matches!(self.0, Kind::Gpu(_))
    }

    /// The largest shapes that the device can launch.
    #[inline]
    pub(crate) fn limits(&self) -> &'static Limits {
        match &self.0 {
            Kind::Cpu(_) => &host::LIMITS,
            Kind::Gpu(queue) => queue.gpu().limits(),
        }
    }

    /// Gives each thread of later launches that many bytes of stack, where the device decides that.
    pub(crate) fn set_stack_size(&self, bytes: usize) -> Result<()> {
        match &self.0 {
            Kind::Cpu(_) => Ok(()),
            Kind::Gpu(queue) => queue.gpu().set_stack_size(bytes),
        }
    }

    /// The bytes of stack of each thread, where the device decides that.
    pub(crate) fn stack_size(&self) -> Result<Option<usize>> {
        match &self.0 {
            Kind::Cpu(_) => Ok(None),
            Kind::Gpu(queue) => queue.gpu().stack_size().map(Some),
        }
    }

    /// The memory of the device, if it has its own.
    pub(crate) fn memory_info(&self) -> Result<Option<MemoryInfo>> {
        match &self.0 {
            Kind::Cpu(_) => Ok(None),
            Kind::Gpu(queue) => queue.gpu().memory_info().map(Some),
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
        match &self.0 {
            Kind::Cpu(queue) => queue.report_failure(),
            Kind::Gpu(queue) => queue.synchronize(),
        }
    }

    /// Keeps a failure of a kernel that ran on the CPU for whoever waits next through the same handle. A GPU has kept its own.
    pub(crate) fn keep_failure(&self, failure: &KernelFailure) {
        match &self.0 {
            Kind::Cpu(queue) => queue.keep_failure(failure),
            Kind::Gpu(_) => {}
        }
    }

    /// What `work` returns, which launches something, waits for it, and returns its failure. Fails also if another host thread got the
    /// report of it meanwhile.
    pub(crate) fn with_failures_of_others<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        match &self.0 {
            // Whoever runs a kernel here gets its failure from the call itself.
            Kind::Cpu(_) => work(),
            Kind::Gpu(queue) => queue.with_failures_of_others(work),
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
            Kind::Gpu(queue) => on_gpu(argument, queue),
        }
    }
}

/// Memory of the device: a host pointer on the CPU; on a GPU a device address, which the host must not follow.
impl Queue {
    /// Memory of `bytes` bytes. Where not `zeroed`, its contents are any bytes.
    pub(crate) fn allocate(&self, bytes: usize, zeroed: bool) -> Result<*mut u8> {
        match &self.0 {
            Kind::Cpu(_) => {
                let out_of_memory = || Error::OutOfMemory { device: host::name().to_owned(), bytes };
                host::allocate(bytes).map(NonNull::as_ptr).ok_or_else(out_of_memory)
            }
            Kind::Gpu(queue) => Ok(without_provenance_mut(queue.allocate(bytes, zeroed)? as usize)),
        }
    }

    /// Frees memory once everything on the queue so far is done with it.
    ///
    /// # Safety
    ///
    /// `pointer` must come from `allocate(bytes, …)` of this queue, and its owner be gone.
    pub(crate) unsafe fn free(&self, pointer: *mut u8, bytes: usize) {
        match &self.0 {
            // SAFETY: the caller guarantees the pointer. Kernels on the CPU have ended when their launch returned.
            Kind::Cpu(_) => unsafe { host::free(NonNull::new_unchecked(pointer), bytes) },
            Kind::Gpu(queue) => queue.free(pointer.addr() as u64),
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
        match &self.0 {
            Kind::Cpu(_) => {
                // SAFETY: the caller guarantees both ranges; an exclusive one overlaps no other.
                unsafe { source.copy_to_nonoverlapping(target, bytes) };
                Ok(())
            }
            // SAFETY: the caller guarantees both ranges.
            Kind::Gpu(queue) => unsafe { cuda::pipeline::upload(queue, source, target.addr() as u64, bytes) },
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
        match &self.0 {
            Kind::Cpu(queue) => {
                // SAFETY: the caller guarantees both ranges; an exclusive one overlaps no other.
                unsafe { source.copy_to_nonoverlapping(target, bytes) };
                queue.report_failure()
            }
            // SAFETY: the caller guarantees both ranges.
            Kind::Gpu(queue) => unsafe { cuda::pipeline::download(queue, source.addr() as u64, target, bytes) },
        }
    }
}

/// The device: `GPU 0 (NVIDIA H200)`, or the name of the CPU.
impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Cpu(_) => f.write_str(host::name()),
            Kind::Gpu(queue) => write!(f, "GPU {} ({})", queue.gpu().ordinal(), queue.gpu().name()),
        }
    }
}
