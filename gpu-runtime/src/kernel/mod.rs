//! Kernels: what the macros say about one, its arguments, and its launch.

mod arguments;
mod definition;
mod evidence;
mod failure;
mod forall;
mod instance;
mod launch;
mod shape;

pub use arguments::ArgumentBinder;
pub use definition::{
    Callee, DeviceFunction, DeviceInstance, KernelDefinition, KernelMeta, NamedFunction, ProvedFor, Segment, Site, SiteKind, SourceUnit,
};
pub use evidence::{Const, ConstBool, ConstEvidence, ConstI32, ConstU32, ConstUsize, Evidence, Explicit, Known, Unknown};
pub(crate) use failure::Work;
pub use failure::{FailureCause, KernelFailure};
pub use forall::{ELEMENTS_PER_THREAD, FORALL_BLOCK};
pub use instance::InstanceName;
pub use launch::{Launch, Proved, Safety, Unproved};

pub use crate::dims::LaunchDims;
