//! Programs for several devices and for several processes.
//!
//! A launcher (`srun`, `mpirun`, `torchrun`) starts one process for each GPU or CPU. [`Communicator::from_env`] connects them, and its calls
//! combine and exchange the elements of their arrays.
//!
//! # What happens in a call
//!
//! ```text
//! rank 1 ── call 7, all_reduce of 10 f32 ──▶ hub (threads of rank 0's process)
//! rank 0 ── call 7, all_reduce of 10 f32 ──▶   all ranks there, all descriptions equal ── go ──▶ every rank
//!                                              another description, a lost connection,
//!                                              a rank that is overdue              ── failure ──▶ every rank, the same
//! rank 0 ◀──── elements, over TCP or by NCCL ────▶ rank 1
//! ```
//!
//! * `room` decides; `hub` has the connections; `control` is a rank's end. Every rank has one connection to the hub for each communicator,
//!   so a process that ends is noticed at once, by its connections, in all of its communicators.
//! * The hub keeps the first failure. A rank that sees another connection end asks the hub, and blames whom the hub blames.
//! * Ranks measure the time. The one that has waited long enough tells the hub, which knows who is missing. So the hub needs no clock.
//! * Between CPUs, elements go from rank to rank through `mesh`, after the ranks have met: so both ends know what is sent (`tcp`).
//! * Between GPUs, a collective of NCCL is put on the stream (`gpu`), and `watch` ends it if it does not end by itself.
//!
//! There is no authentication, as for MPI and NCCL: whoever reaches the port of rank 0 can take a rank. Use it in a network that you trust.

mod call;
mod communicator;
mod connect;
mod control;
mod failure;
mod gpu;
mod group;
mod hosts;
mod hub;
mod mesh;
mod reduce;
mod rendezvous;
mod room;
mod sharded;
mod tcp;
mod threads;
mod watch;
mod wire;
mod world;

pub use communicator::Communicator;
pub use failure::{ClusterCause, ClusterError, ClusterFailure};
pub use group::Group;
pub use reduce::{Operation, Reducible};
pub use rendezvous::Rendezvous;
pub use sharded::{ParMap, Shard, Sharded};
pub use threads::{on_all_devices, on_devices};
pub use world::World;
