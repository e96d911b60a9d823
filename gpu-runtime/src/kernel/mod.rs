//! Kernels: what the macros say about one, its arguments, and its launch.

mod arguments;
mod definition;
mod failure;
mod launch;
mod shape;

pub use arguments::ArgumentBinder;
pub use definition::{DeviceFunction, KernelDefinition, KernelMeta, ProvedFor, Segment, Site, SiteKind, SourceUnit};
pub(crate) use failure::Work;
pub use failure::{FailureCause, KernelFailure};
pub use launch::{Launch, Proved, Safety, Unproved};

pub use crate::dims::LaunchDims;
