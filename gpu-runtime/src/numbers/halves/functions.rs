//! Conversions, and what else kernels call of the crate and of no other number.

use half::{bf16, f16};

use super::round::to_odd;
use crate::backend::cpu::{Stop, Thread};
use crate::kernel::Callee;

/// The functions of floats of 16 bits that kernels call.
pub trait HalfFunctions: Copy + 'static {
    #[doc(hidden)]
    fn gpu_device_from_f32(thread: &Thread<'_>, value: f32) -> Result<Self, Stop>;
    #[doc(hidden)]
    fn gpu_code_from_f32() -> Callee;
    #[doc(hidden)]
    fn gpu_device_from_f64(thread: &Thread<'_>, value: f64) -> Result<Self, Stop>;
    #[doc(hidden)]
    fn gpu_code_from_f64() -> Callee;
    #[doc(hidden)]
    fn gpu_device_from_bits(thread: &Thread<'_>, bits: u16) -> Result<Self, Stop>;
    #[doc(hidden)]
    fn gpu_code_from_bits() -> Callee;
    #[doc(hidden)]
    fn gpu_device_to_f32(self, thread: &Thread<'_>) -> Result<f32, Stop>;
    #[doc(hidden)]
    fn gpu_code_to_f32() -> Callee;
    #[doc(hidden)]
    fn gpu_device_to_f64(self, thread: &Thread<'_>) -> Result<f64, Stop>;
    #[doc(hidden)]
    fn gpu_code_to_f64() -> Callee;
}

macro_rules! functions {
    ($($T:ident $rounded:literal $of_bits:literal;)*) => {$(
        impl HalfFunctions for $T {
            #[inline(always)]
            fn gpu_device_from_f32(_: &Thread<'_>, value: f32) -> Result<Self, Stop> {
                Ok(Self::from_f32(value))
            }
            fn gpu_code_from_f32() -> Callee {
                code!("half_from_f32" in "half", (value: f32) -> $T, $rounded)
            }

            #[inline(always)]
            fn gpu_device_from_f64(_: &Thread<'_>, value: f64) -> Result<Self, Stop> {
                Ok(Self::from_f32(to_odd(value)))
            }
            fn gpu_code_from_f64() -> Callee {
                code!("half_from_f64" in "half", (value: f64) -> $T, $rounded)
            }

            #[inline(always)]
            fn gpu_device_from_bits(_: &Thread<'_>, bits: u16) -> Result<Self, Stop> {
                Ok(Self::from_bits(bits))
            }
            fn gpu_code_from_bits() -> Callee {
                code!("half_from_bits" in "half", (bits: u16) -> $T, $of_bits)
            }

            #[inline(always)]
            fn gpu_device_to_f32(self, _: &Thread<'_>) -> Result<f32, Stop> {
                Ok(self.to_f32())
            }
            fn gpu_code_to_f32() -> Callee {
                code!("half_to_f32" in "half", (value: $T) -> f32, "(f32)value")
            }

            #[inline(always)]
            fn gpu_device_to_f64(self, _: &Thread<'_>) -> Result<f64, Stop> {
                Ok(self.to_f64())
            }
            fn gpu_code_to_f64() -> Callee {
                code!("half_to_f64" in "half", (value: $T) -> f64, "(f64)value")
            }
        }
    )*};
}

functions! {
    f16 "gr_f16(value)" "gr_f16::of(bits)";
    bf16 "gr_bf16(value)" "gr_bf16::of(bits)";
}
