//! Conversions, and what else kernels call of the crate and of no other number.

use half::{bf16, f16};

use super::round::to_odd;
use crate::backend::cpu::{Stop, Thread};
use crate::source::AssociatedFunction;

/// The functions of floats of 16 bits that kernels call.
pub trait HalfFunctions: Copy + 'static {
    #[doc(hidden)]
    fn gpu_device_from_f32(value: f32, thread: &Thread<'_>) -> Result<Self, Stop>;
    #[doc(hidden)]
    fn gpu_code_from_f32(value: f32) -> impl AssociatedFunction<Output = Self>;
    #[doc(hidden)]
    fn gpu_device_from_f64(value: f64, thread: &Thread<'_>) -> Result<Self, Stop>;
    #[doc(hidden)]
    fn gpu_code_from_f64(value: f64) -> impl AssociatedFunction<Output = Self>;
    #[doc(hidden)]
    fn gpu_device_from_bits(bits: u16, thread: &Thread<'_>) -> Result<Self, Stop>;
    #[doc(hidden)]
    fn gpu_code_from_bits(bits: u16) -> impl AssociatedFunction<Output = Self>;
    #[doc(hidden)]
    fn gpu_device_to_f32(self, thread: &Thread<'_>) -> Result<f32, Stop>;
    #[doc(hidden)]
    fn gpu_code_to_f32(self) -> impl AssociatedFunction<Output = f32>;
    #[doc(hidden)]
    fn gpu_device_to_f64(self, thread: &Thread<'_>) -> Result<f64, Stop>;
    #[doc(hidden)]
    fn gpu_code_to_f64(self) -> impl AssociatedFunction<Output = f64>;
}

macro_rules! functions {
    ($($T:ident $rounded:literal $of_bits:literal;)*) => {$(
        impl HalfFunctions for $T {
            #[inline(always)]
            fn gpu_device_from_f32(value: f32, _: &Thread<'_>) -> Result<Self, Stop> {
                Ok(Self::from_f32(value))
            }
            fn gpu_code_from_f32(_: f32) -> impl AssociatedFunction<Output = $T> {
                code!("half_from_f32" in "half", (value: f32) -> $T, $rounded)
            }

            #[inline(always)]
            fn gpu_device_from_f64(value: f64, _: &Thread<'_>) -> Result<Self, Stop> {
                Ok(Self::from_f32(to_odd(value)))
            }
            fn gpu_code_from_f64(_: f64) -> impl AssociatedFunction<Output = $T> {
                code!("half_from_f64" in "half", (value: f64) -> $T, $rounded)
            }

            #[inline(always)]
            fn gpu_device_from_bits(bits: u16, _: &Thread<'_>) -> Result<Self, Stop> {
                Ok(Self::from_bits(bits))
            }
            fn gpu_code_from_bits(_: u16) -> impl AssociatedFunction<Output = $T> {
                code!("half_from_bits" in "half", (bits: u16) -> $T, $of_bits)
            }

            #[inline(always)]
            fn gpu_device_to_f32(self, _: &Thread<'_>) -> Result<f32, Stop> {
                Ok(self.to_f32())
            }
            fn gpu_code_to_f32(self) -> impl AssociatedFunction<Output = f32> {
                code!("half_to_f32" in "half", (value: $T) -> f32, "(f32)value")
            }

            #[inline(always)]
            fn gpu_device_to_f64(self, _: &Thread<'_>) -> Result<f64, Stop> {
                Ok(self.to_f64())
            }
            fn gpu_code_to_f64(self) -> impl AssociatedFunction<Output = f64> {
                code!("half_to_f64" in "half", (value: $T) -> f64, "(f64)value")
            }
        }
    )*};
}

functions! {
    f16 "gr_f16(value)" "gr_f16::of(bits)";
    bf16 "gr_bf16(value)" "gr_bf16::of(bits)";
}
