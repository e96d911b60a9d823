//! Kernels: what the macros say about one, its arguments, and its launch.

mod arguments;
mod definition;
mod failure;
mod forall;
mod launch;
mod shape;

pub use arguments::ArgumentBinder;
pub use definition::{DeviceFunction, KernelDefinition, KernelMeta, ProvedFor, Segment, Site, SiteKind, SourceUnit};
pub use failure::{FailureCause, KernelFailure};
pub use forall::{ELEMENTS_PER_THREAD, FORALL_BLOCK};
pub use launch::{Launch, Proved, Safety, Unproved};

pub use crate::dims::LaunchDims;
