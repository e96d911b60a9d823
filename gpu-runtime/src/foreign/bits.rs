//! The bits of floats whose type the macro does not see.

use crate::backend::cpu::{Stop, Thread};
use crate::source::AssociatedFunction;

/// `to_bits` of a type that a kernel knows by name alone: an alias of a float, or a float of 16 bits.
pub trait FloatBits: Copy + 'static {
    #[doc(hidden)]
    type Bits;
    #[doc(hidden)]
    fn gpu_device_to_bits(self, thread: &Thread<'_>) -> Result<Self::Bits, Stop>;
    #[doc(hidden)]
    fn gpu_code_to_bits(self) -> impl AssociatedFunction<Output = Self::Bits>;
}

macro_rules! float_bits {
    ($($T:ty: $Bits:ident in $snippet:literal, $bits:literal;)*) => {$(
        impl FloatBits for $T {
            type Bits = $Bits;
            #[inline(always)]
            fn gpu_device_to_bits(self, _: &Thread<'_>) -> Result<$Bits, Stop> {
                Ok(self.to_bits())
            }
            fn gpu_code_to_bits(self) -> impl AssociatedFunction<Output = $Bits> {
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
