//! How a call of a device function finds its instance, and a type its name. Like `__private` for generated code alone, but under a name that rustc's
//! messages about such a call can show.

pub use crate::backend::cpu::{PassView, PassViewMut};
pub use crate::source::{
    AssociatedFunction, Callee, Const, ConstBool, ConstEvidence, ConstI32, ConstU32, ConstUsize, DeviceFunction, DeviceInstance, Evidence,
    Explicit, Found, Inside, Known, LengthEvidence, NamedFunction, Refused, StructField, Unknown, any, c_type, callee_of, output, value,
};

/// What a call of an `async` device function is without `.await`.
#[derive(Debug)]
#[must_use = "this device function is `async`: write `.await` after its call"]
pub struct NeedsAwait;
