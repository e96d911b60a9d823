//! Kernels: what the macros say about one, its arguments, and its launch.

mod arguments;
mod associated;
mod attributes;
mod ctype;
mod definition;
mod enum_unit;
mod evidence;
mod failure;
mod forall;
mod instance;
mod launch;
mod options;
mod print;
mod shape;

pub use arguments::ArgumentBinder;
pub use associated::{AssociatedFunction, Found, Refused, any, callee_of, output, value};
pub use attributes::KernelAttributes;
pub(crate) use ctype::tuple_name;
pub use ctype::{CType, StructField, StructUnit};
pub use definition::{
    Callee, DeviceFunction, DeviceInstance, KernelDefinition, KernelMeta, NamedFunction, ProvedFor, Segment, Site, SiteKind, SourceUnit,
};
pub use enum_unit::{EnumUnit, VariantUnit};
pub use evidence::{
    Const, ConstBool, ConstEvidence, ConstI32, ConstU32, ConstUsize, Evidence, Explicit, Inside, Known, LengthEvidence, Unknown,
};
pub(crate) use failure::Work;
pub use failure::{FailureCause, KernelFailure};
pub use forall::{ELEMENTS_PER_THREAD, FORALL_BLOCK};
pub use instance::InstanceName;
pub use launch::{Launch, Proved, Safety, Unproved};
pub use options::KernelOptions;
pub(crate) use print::PrintValue;
pub use print::{PrintFormat, Printable};
pub(crate) use shape::block_extents;

pub use crate::dims::LaunchDims;
