//! What they have in common with all numbers: [`Num`] and [`Signed`], and the casts from every other number.

use half::{bf16, f16};

use super::round::{natural_to_odd, to_odd};
use crate::scalar::{FromAs, Num, Ordered, Signed};

macro_rules! numbers {
    ($($T:ident)*) => {$(
        impl FromAs for $T {
            numbers! { @exact in f64: i8 from_as_i8, i16 from_as_i16, i32 from_as_i32, u8 from_as_u8, u16 from_as_u16, u32 from_as_u32 }
            numbers! { @signed i64 from_as_i64, isize from_as_isize }
            numbers! { @unsigned u64 from_as_u64, usize from_as_usize }

            #[inline(always)]
            fn from_as_f32(value: f32) -> Self {
                Self::from_f32(value)
            }
            #[inline(always)]
            fn from_as_f64(value: f64) -> Self {
                Self::from_f32(to_odd(value))
            }
        }

        impl Num for $T {
            const ZERO: Self = $T::ZERO;
            const ONE: Self = $T::ONE;
            const MIN: Self = $T::MIN;
            const MAX: Self = $T::MAX;

            #[inline(always)]
            fn from_i32(value: i32) -> Self {
                Self::from_as_i32(value)
            }
            #[inline(always)]
            fn cast<U: Num>(self) -> U {
                // `f32` has all values.
                U::from_as_f32(self.to_f32())
            }
            #[inline(always)]
            fn div_euclid(self, divisor: Self) -> Self {
                Self::from_f32(self.to_f32().div_euclid(divisor.to_f32()))
            }
            #[inline(always)]
            fn rem_euclid(self, divisor: Self) -> Self {
                Self::from_f32(self.to_f32().rem_euclid(divisor.to_f32()))
            }
        }

        impl Signed for $T {
            #[inline(always)]
            fn abs(self) -> Self {
                Self::from_bits(self.to_bits() & 0x7fff)
            }
            #[inline(always)]
            fn signum(self) -> Self {
                <$T>::signum(self)
            }
        }

        impl Ordered for $T {
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                <$T>::min(self, other)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                <$T>::max(self, other)
            }
            #[inline(always)]
            fn clamp(self, lowest: Self, highest: Self) -> Self {
                <$T>::clamp(self, lowest, highest)
            }
        }
    )*};
    (@exact in f64: $($I:ident $from:ident),*) => {$(
        #[inline(always)]
        fn $from(value: $I) -> Self {
            Self::from_as_f64(f64::from(value))
        }
    )*};
    (@signed $($I:ident $from:ident),*) => {$(
        #[inline(always)]
        fn $from(value: $I) -> Self {
            let size = natural_to_odd(value.unsigned_abs() as u64);
            Self::from_as_f64(if value < 0 { -size } else { size })
        }
    )*};
    (@unsigned $($I:ident $from:ident),*) => {$(
        #[inline(always)]
        fn $from(value: $I) -> Self {
            Self::from_as_f64(natural_to_odd(value as u64))
        }
    )*};
}

numbers! { f16 bf16 }
