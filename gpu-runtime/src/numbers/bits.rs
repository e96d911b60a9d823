//! Floats whose type the macro does not see: their bits, and what has all digits of those of 16 bits.

use crate::backend::cpu::{Stop, Thread};
use crate::kernel::Callee;

/// `to_bits` of a type that a kernel knows by name alone: an alias of a float, or a float of 16 bits.
pub trait FloatBits: Copy + 'static {
    #[doc(hidden)]
    type Bits;
    #[doc(hidden)]
    fn gpu_device_to_bits(self, thread: &Thread<'_>) -> Result<Self::Bits, Stop>;
    #[doc(hidden)]
    fn gpu_code_to_bits() -> Callee;
}

macro_rules! float_bits {
    ($($T:ty: $Bits:ident in $snippet:literal, $bits:literal;)*) => {$(
        impl FloatBits for $T {
            type Bits = $Bits;
            #[inline(always)]
            fn gpu_device_to_bits(self, _: &Thread<'_>) -> Result<$Bits, Stop> {
                Ok(self.to_bits())
            }
            fn gpu_code_to_bits() -> Callee {
                code!("float_to_bits" in $snippet, (value: $T) -> $Bits, $bits)
            }
        }
    )*};
}

float_bits! {
    f32: u32 in "types", "__float_as_uint(value)";
    f64: u64 in "types", "(u64)__double_as_longlong(value)";
}

#[cfg(feature = "half")]
float_bits! {
    half::f16: u16 in "half", "value.bits";
    half::bf16: u16 in "half", "value.bits";
}

/// A float of 16 bits that is a part of a struct: of the whole, a kernel knows the name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a float of 16 bits",
    label = "not an `f16` or a `bf16`",
    note = "a method of a struct's field is called on a variable of a declared type, such as `let p: Particle = …;`"
)]
pub trait Widened {
    #[doc(hidden)]
    fn to_f32(self) -> f32;
    #[doc(hidden)]
    fn to_f64(self) -> f64;
}

#[cfg(feature = "half")]
macro_rules! widened {
    ($($T:ident)*) => {$(
        impl Widened for half::$T {
            #[inline(always)]
            fn to_f32(self) -> f32 {
                half::$T::to_f32(self)
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                half::$T::to_f64(self)
            }
        }
    )*};
}

#[cfg(feature = "half")]
widened! { f16 bf16 }
