//! `half::f16` and `half::bf16`.
//!
//! On the CPU, the crate itself computes, but for the conversions that it rounds twice ([`round`]). `half.cu` does the same in CUDA C.
//! Both are numbers like Rust's own: a [`Float`](crate::Float), with everything that is a bound of that.

mod functions;
mod math;
mod numbers;
mod round;

pub use functions::HalfFunctions;

use half::{bf16, f16};

use crate::backend::cpu::SharedElement;
use crate::constant::{ConstantValue, TableElement};
use crate::intrinsics::WarpValue;
use crate::ops::{Compare, Divide, Remainder, Undefined};
use crate::source::{CType, DeviceType, KernelType, PrintValue, Printable};

macro_rules! halves {
    ($($T:ident $c_type:literal;)*) => {$(
        // SAFETY: both are the bits, of which any are a value, and 0 is made of zeros.
        unsafe impl DeviceType for $T {
            const ANY_BITS: bool = true;
            const MAY_HAVE_PADDING: bool = false;
        }

        // SAFETY: a type of the snippet.
        unsafe impl KernelType for $T {
            fn c_type() -> CType {
                const { assert!(size_of::<Self>() == 2 && align_of::<Self>() == 2) };
                CType::Library { name: $c_type, snippet: "half" }
            }
        }

        // SAFETY: any bytes are a value. These are `NaN`.
        unsafe impl SharedElement for $T {
            const POISON: u8 = 0xff;
        }

        impl WarpValue for $T {
            #[inline(always)]
            fn into_lane(self) -> u64 {
                self.to_bits().into()
            }
            #[inline(always)]
            fn from_lane(bits: u64) -> Self {
                Self::from_bits(bits as u16)
            }
        }

        // SAFETY: the bits of the number.
        unsafe impl ConstantValue for $T {
            fn c_literal(self) -> String {
                format!(concat!($c_type, "::of({:#06x} /* {:?} */)"), self.to_bits(), self)
            }
        }

        // SAFETY: the name of the type, and the bits of the number.
        unsafe impl TableElement for $T {
            fn c_type() -> String {
                $c_type.to_owned()
            }
            fn initialiser(&self) -> String {
                self.c_literal()
            }
        }

        /// As the crate formats them: with the digits of `f32`.
        impl Printable for $T {
            #[inline]
            fn printed(self) -> PrintValue {
                PrintValue::F32(self.to_f32())
            }
        }

        impl Compare for $T {}

        impl Divide for $T {
            #[inline(always)]
            fn div(self, divisor: Self) -> Result<Self, Undefined> {
                Ok(self / divisor)
            }
        }

        impl Remainder for $T {
            #[inline(always)]
            fn rem(self, divisor: Self) -> Result<Self, Undefined> {
                Ok(self % divisor)
            }
            #[inline(always)]
            fn quotient_euclid(self, divisor: Self) -> Result<Self, Undefined> {
                Ok(crate::scalar::Num::div_euclid(self, divisor))
            }
            #[inline(always)]
            fn remainder_euclid(self, divisor: Self) -> Result<Self, Undefined> {
                Ok(crate::scalar::Num::rem_euclid(self, divisor))
            }
        }
    )*};
}

halves! {
    f16 "gr_f16";
    bf16 "gr_bf16";
}

#[cfg(test)]
mod tests;
