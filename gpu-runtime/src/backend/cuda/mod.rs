//! Runs kernels on NVIDIA GPUs through the driver API.
//!
//! # One context, and its streams
//!
//! A [`Gpu`] is a physical GPU: its primary context, which other CUDA libraries of the process share, its properties and loaded modules. A
//! [`Queue`] is a stream of it, on which all operations run in the order of the program's calls. The first one is that of the device; each
//! [`Stream`](crate::Stream) has another one. The memory that operations use orders them with those on other queues: see [`order`]. Because
//! of this order, it is safe to drop arrays while a kernel uses them (the free waits for the kernel), to share them between threads, and to
//! overwrite them from the host. The streams are blocking streams: work that another library puts on the legacy default stream is ordered
//! with them too.
//!
//! Every call makes its GPU's context current on the calling thread and leaves it current, as CUDA's own runtime does: code that uses
//! another GPU through another library on the same thread must select it again.
//!
//! GPUs are opened on first use and never closed, so that everything here can be `&'static` and a launch needs neither
//! reference counts nor locks.
//!
//! # What a launch does
//!
//! After a kernel's first launch: one look into a table of the calling thread ([`Kernel::load`](crate::kernel::Kernel::load)), make the
//! context current if it is not, a comparison for each array, `cuLaunchKernelEx`, another comparison for each array. No allocation, no lock,
//! no event, while the arrays are used on one stream.
//!
//! A kernel may be started before the one in front is done: see [`early_start`]. One with a grid barrier is launched differently: see
//! [`cooperative`].
//!
//! # Host arrays
//!
//! They are streamed through the GPU in chunks, with one more stream for the copies in each direction: see [`pipeline`].
//!
//! # How a kernel reports a failure
//!
//! See [`record`].
//!
//! # How a kernel prints
//!
//! See [`print`].

mod attributes;
mod callback;
mod cooperative;
mod driver;
mod early_start;
mod event;
mod gpu;
pub(crate) mod graph;
mod instances;
mod interop;
mod kernels;
#[cfg(any(feature = "blas", feature = "cluster", feature = "fft", feature = "linalg"))]
pub(crate) mod libraries;
mod link;
mod managed;
mod mapped;
mod memory;
pub(crate) mod order;
#[cfg(test)]
mod order_tests;
mod page_locked;
mod peer;
pub(crate) mod pipeline;
mod print;
mod queue;
mod queues;
mod record;
mod scratch;
mod slots;
mod staging;
mod summary;
/// What `usage` shares between threads: the tests in `tests/loom` replace it.
mod sync {
    pub(super) use std::sync::atomic::{AtomicU64, Ordering};
    pub(super) use std::sync::{Mutex, MutexGuard};
}
mod sys;
mod timing;
mod usage;
mod variable;

pub use attributes::KernelAttributes;
pub(crate) use driver::{driver_version, gpu_count};
pub(crate) use event::Event;
pub(crate) use gpu::Gpu;
#[cfg(test)]
pub(crate) use kernels::fake_kernel_node;
pub(crate) use kernels::{Launch, LoadedKernel};
pub use managed::MemoryAdvice;
pub(crate) use page_locked::PageLocked;
pub(crate) use queue::Queue;
pub(crate) use scratch::{ItemWords, ReductionTargets, blocks_of_reduction};
pub(crate) use slots::Slots;
pub(crate) use staging::Staging;
pub use summary::GpuSummary;
#[cfg(test)]
pub(crate) use sys::fake;
pub(crate) use usage::{Access, MemoryUse, Usage};
