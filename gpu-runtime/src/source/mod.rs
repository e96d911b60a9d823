//! What generated code says in CUDA C: functions, the types of their values, and the places where they can fail.
//!
//! `#[gpu_kernel]`, `#[gpu_device]` and `#[derive(DeviceType)]` write all of it, and [`compile`](crate::compile) makes one text of what
//! belongs to a kernel. Nothing here knows a device.

mod associated;
mod conversion;
mod ctype;
mod default;
mod device_type;
mod element;
mod enum_unit;
mod evidence;
mod function;
mod instance;
mod kernel_type;
mod lent;
mod option;
mod options;
mod print;
mod site;
pub mod template;
mod tuples;
mod unit;

pub use associated::{AssociatedFunction, Found, Refused, any, callee_of, output, place, racing_callee_of, value};
pub use conversion::ConvertFrom;
pub(crate) use ctype::tuple_name;
pub use ctype::{CType, StructField, StructUnit};
pub use default::DefaultValue;
pub use device_type::{DeviceType, DeviceTypesCannotImplementDeref, c_type};
pub(crate) use element::is_same;
pub use element::{Element, element_name};
pub use enum_unit::{EnumUnit, VariantUnit};
pub use evidence::{
    Arguments, Const, ConstBool, ConstEvidence, ConstI32, ConstU32, ConstUsize, Evidence, Explicit, Inside, Known, LengthEvidence, Lent,
    Unknown, Whole,
};
pub use function::{DeviceFunction, DeviceInstance, NamedFunction};
pub use instance::InstanceName;
pub use kernel_type::KernelType;
pub use lent::{NoArray, check_no_array, lent};
pub use options::{Features, KernelOptions};
pub(crate) use print::PrintValue;
pub use print::{PrintFormat, Printable};
pub(crate) use site::Place;
pub use site::{Site, SiteKind, Sites};
pub use unit::{Callee, Region, Segment, SourceUnit};
