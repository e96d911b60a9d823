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
//! submit          cuLaunchKernelEx, cuMemcpy…Async
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
//! the queue, that waits for the device, or that reads an array which the queue has written last: so a thread that reads wrong data gets the failure.
//! A stream that is dropped leaves its failure to whoever waits for the device.
//!
//! # Graphs
//!
//! While a thread [records](recording), what it asks of a queue becomes a node of a graph. A launch of the graph is work of a queue like any
//! other, [ordered](Queue::ordered) by its arguments.
//!
//! # Several devices
//!
//! A copy from another GPU is put on the queue of the target, after an event of the queue of the source, which waits for an event after the
//! copy: `cuda::peer`.

pub(crate) mod cpu;
pub(crate) mod cuda;
mod event;
pub(crate) mod host;
mod interop;
mod memory;
mod meter;
mod order;
pub(crate) mod pages;
pub(crate) mod recording;

use std::fmt;
use std::sync::Arc;

pub(crate) use self::cpu::Checks;
pub(crate) use self::cuda::{Access, MemoryUse, Usage};
pub(crate) use self::event::Event;
pub use self::memory::{MemoryInfo, MemoryUsage};
pub(crate) use self::order::{Reports, Writers};
use crate::Result;
use crate::dims::Limits;

/// What a device does in order: see [the module](self).
#[derive(Clone)]
pub(crate) struct Queue(Kind);

/// Only the modules of [`Queue`] know of it: this one, `order`, `memory`, `event`, `interop` and `recording`.
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

/// The device of a queue.
impl Queue {
    /// A queue of the CPU, with failures of its own.
    pub(crate) fn of_cpu(checks: Checks) -> Self {
        Self(Kind::Cpu(Arc::new(host::Queue::new(checks))))
    }

    /// What launches are checked for.
    pub(crate) fn checks(&self) -> Checks {
        match &self.0 {
            Kind::Cpu(queue) => queue.checks(),
            Kind::Gpu(..) => Checks::None,
        }
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

/// The device: `GPU 0 (NVIDIA H200)`, or the name of the CPU.
impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Cpu(_) => f.write_str(host::name()),
            Kind::Gpu(queue, _) => write!(f, "GPU {} ({})", queue.gpu().ordinal(), queue.gpu().name()),
        }
    }
}
