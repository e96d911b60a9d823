//! `Polar::from(point)` in kernels.

use super::AssociatedFunction;
use crate::backend::cpu::{Stop, Thread};

/// A type with a `#[gpu_device] impl From<T>`: what kernels call.
pub trait ConvertFrom<T>: Sized {
    #[doc(hidden)]
    fn gpu_device_from(value: T, thread: &Thread<'_>) -> Result<Self, Stop>;

    #[doc(hidden)]
    fn gpu_code_from(value: T) -> impl AssociatedFunction<Output = Self>;
}
