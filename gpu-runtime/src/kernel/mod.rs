//! Kernels: their definition by the macros, their arguments, and their launch.

mod argument;
mod arguments;
mod definition;
mod forall;
mod launch;
mod loaded;
mod parameters;
mod shape;

pub use argument::{Argument, Arguments, Ranked};
pub use arguments::ArgumentBinder;
pub use definition::{KernelDefinition, KernelMeta};
pub use forall::{ELEMENTS_PER_THREAD, FORALL_BLOCK};
pub use launch::{Launch, Proved, Safety, Unproved};
pub(crate) use loaded::loaded_kernel;
pub(crate) use parameters::Parameters;
pub(crate) use shape::block_extents;
