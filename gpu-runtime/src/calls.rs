//! How a call of a device function finds its instance. Like `__private` for generated code alone, but under a name that rustc's
//! messages about such a call can show.

pub use crate::kernel::{
    Callee, Const, ConstBool, ConstEvidence, ConstI32, ConstU32, ConstUsize, DeviceFunction, DeviceInstance, Evidence, Explicit, Known,
    NamedFunction, Unknown,
};
