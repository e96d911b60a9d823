//! Runs kernels on NVIDIA GPUs through the driver API.
//!
//! # One context, one stream
//!
//! A [`Gpu`] is a physical GPU: its primary context, which other CUDA libraries of the process share, its properties and loaded
//! modules. A [`Queue`] is a stream of it, on which everything happens in the order in which the program asked for it. There is one for
//! each GPU; [`backend`](super) says what more of them need. That order is what makes arrays safe to drop
//! while a kernel uses them (the free waits its turn), to share between threads, and to overwrite from the host. The
//! stream is a blocking one: work that another library puts on the legacy default stream is ordered with it too.
//!
//! Every call makes its GPU's context current on the calling thread and leaves it so, as CUDA's own runtime does: code that
//! uses another GPU through another library on the same thread selects it again.
//!
//! GPUs are opened on first use and never closed, so that everything here can be `&'static` and a launch needs neither
//! reference counts nor locks.
//!
//! # What a launch does
//!
//! After a kernel's first launch: one look into a table of the calling thread ([`loaded_kernel`](crate::kernel::loaded_kernel)), make the
//! context current if it is not, `cuLaunchKernel`. No allocation, no lock, no event.
//!
//! A kernel whose threads wait for those of the whole grid is launched another way: see [`cooperative`].
//!
//! # Arrays of the host
//!
//! They are streamed through in chunks, with a stream for the copies in each direction beside the one: see [`pipeline`].
//!
//! # How a kernel reports a failure
//!
//! See [`record`].
//!
//! # How a kernel prints
//!
//! See [`print`].

mod attributes;
mod cooperative;
mod driver;
mod gpu;
mod kernels;
mod link;
mod mapped;
mod memory;
pub(crate) mod pipeline;
mod print;
mod queue;
mod record;
mod scratch;
mod slots;
mod summary;
mod sys;
mod variable;

pub use attributes::KernelAttributes;
pub(crate) use driver::{driver_version, gpu_count};
pub(crate) use gpu::Gpu;
pub(crate) use kernels::LoadedKernel;
pub(crate) use queue::Queue;
pub(crate) use slots::Slots;
pub use summary::GpuSummary;
