//! How a call of a device function finds its instance. Like `__private` for generated code alone, but under a name that rustc's
//! messages about such a call can show.

pub use crate::kernel::{Callee, DeviceFunction, DeviceInstance, Evidence, Explicit, Known, Unknown};

/// What a call of an `async` device function is without `.await`.
#[derive(Debug)]
#[must_use = "the threads of the block wait for each other in this function: write `.await` after its call"]
pub struct NeedsAwait;
