//! How a call of a device function finds its instance, and a type its name. Like `__private` for generated code alone, but under a name that rustc's
//! messages about such a call can show.

pub use crate::backend::cpu::{PassView, PassViewMut};
pub use crate::kernel::{Callee, DeviceFunction, DeviceInstance, Evidence, Explicit, Known, StructField, Unknown};
pub use crate::memory::c_type;
