//! [`Float`] and [`DeviceMath`]: what is exact by the bits, and everything else in `f32`, rounded once more.

use half::{bf16, f16};

use super::round::fused_to_odd;
use crate::scalar::{DeviceMath, Float, FromAs};

/// A function of `T` by that of `f32`.
macro_rules! by_single {
    ($Trait:ident for $T:ident: $($name:ident($($arg:ident: $Arg:ident),*) -> $Out:ident;)*) => {$(
        #[inline]
        fn $name(self $(, $arg: by_single!(@type $Arg))*) -> by_single!(@type $Out) {
            let result = $Trait::$name(self.to_f32() $(, by_single!(@widen $Arg $arg))*);
            by_single!(@round $Out result)
        }
    )*};
    (@type Half) => { Self };
    (@type Pair) => { (Self, Self) };
    (@type Parts) => { (Self, i32) };
    (@type $T:ident) => { $T };
    (@widen Half $arg:ident) => { $arg.to_f32() };
    (@widen $T:ident $arg:ident) => { $arg };
    (@round Half $result:ident) => { Self::from_f32($result) };
    (@round Pair $result:ident) => { (Self::from_f32($result.0), Self::from_f32($result.1)) };
    (@round Parts $result:ident) => { (Self::from_f32($result.0), $result.1) };
    (@round $T:ident $result:ident) => { $result };
}

/// The items of `impl Float for $T`, whose header is written out because rustc shows it in messages.
macro_rules! float {
    ($T:ident) => {
        const INFINITY: Self = $T::INFINITY;
        const NEG_INFINITY: Self = $T::NEG_INFINITY;
        const NAN: Self = $T::NAN;
        const EPSILON: Self = $T::EPSILON;
        const PI: Self = $T::PI;

        #[inline(always)]
        fn from_f64(value: f64) -> Self {
            Self::from_as_f64(value)
        }

        by_single! { Float for $T:
            sin() -> Half; cos() -> Half; tan() -> Half; asin() -> Half; acos() -> Half; atan() -> Half;
            sinh() -> Half; cosh() -> Half; tanh() -> Half; asinh() -> Half; acosh() -> Half; atanh() -> Half;
            exp() -> Half; exp2() -> Half; exp_m1() -> Half; ln() -> Half; ln_1p() -> Half; log2() -> Half; log10() -> Half;
            sqrt() -> Half; cbrt() -> Half; floor() -> Half; ceil() -> Half; round() -> Half; round_ties_even() -> Half;
            trunc() -> Half; fract() -> Half; recip() -> Half; to_degrees() -> Half; to_radians() -> Half;
            atan2(x: Half) -> Half; log(base: Half) -> Half; hypot(other: Half) -> Half; powf(exponent: Half) -> Half;
            powi(exponent: i32) -> Half; sin_cos() -> Pair;
        }

        #[inline]
        fn mul_add(self, factor: Self, summand: Self) -> Self {
            Self::from_f32(fused_to_odd(self.to_f32(), factor.to_f32(), summand.to_f32()))
        }
        #[inline(always)]
        fn copysign(self, sign: Self) -> Self {
            <$T>::copysign(self, sign)
        }
        #[inline]
        fn next_up(self) -> Self {
            match self.to_bits() {
                _ if <$T>::is_nan(self) || self == <$T>::INFINITY => self,
                0 | 0x8000 => Self::from_bits(1),
                bits => Self::from_bits(if bits >> 15 == 1 { bits - 1 } else { bits + 1 }),
            }
        }
        #[inline]
        fn next_down(self) -> Self {
            -Float::next_up(-self)
        }
        #[inline(always)]
        fn is_nan(self) -> bool {
            <$T>::is_nan(self)
        }
        #[inline(always)]
        fn is_infinite(self) -> bool {
            <$T>::is_infinite(self)
        }
        #[inline(always)]
        fn is_finite(self) -> bool {
            <$T>::is_finite(self)
        }
        #[inline(always)]
        fn is_sign_negative(self) -> bool {
            <$T>::is_sign_negative(self)
        }
        #[inline(always)]
        fn is_sign_positive(self) -> bool {
            <$T>::is_sign_positive(self)
        }
    };
}

impl Float for f16 {
    float! { f16 }
}

impl Float for bf16 {
    float! { bf16 }
}

macro_rules! device_math {
    ($($T:ident)*) => {$(
        impl DeviceMath for $T {
            by_single! { DeviceMath for $T:
                rsqrt() -> Half; rcbrt() -> Half; rhypot(other: Half) -> Half; exp10() -> Half;
                hypot3(y: Half, z: Half) -> Half; hypot4(y: Half, z: Half, w: Half) -> Half;
                rhypot3(y: Half, z: Half) -> Half; rhypot4(y: Half, z: Half, w: Half) -> Half;
                sin_pi() -> Half; cos_pi() -> Half; sin_cos_pi() -> Pair;
                erf() -> Half; erfc() -> Half; erfcx() -> Half; erfinv() -> Half; erfcinv() -> Half; norm_cdf() -> Half; norm_cdf_inv() -> Half;
                tgamma() -> Half; lgamma() -> Half;
                bessel_j0() -> Half; bessel_j1() -> Half; bessel_jn(n: i32) -> Half;
                bessel_y0() -> Half; bessel_y1() -> Half; bessel_yn(n: i32) -> Half;
                bessel_i0() -> Half; bessel_i1() -> Half; remquo(divisor: Half) -> Parts; saturate() -> Half;
                ieee_remainder(divisor: Half) -> Half; fdim(other: Half) -> Half; ldexp(n: i32) -> Half;
                frexp() -> Parts; modf() -> Pair; logb() -> Half; ilogb() -> i32;
                fast_sin() -> Half; fast_cos() -> Half; fast_tan() -> Half; fast_exp() -> Half; fast_exp2() -> Half;
                fast_exp10() -> Half; fast_ln() -> Half; fast_log2() -> Half; fast_log10() -> Half; fast_powf(exponent: Half) -> Half;
                fast_div(divisor: Half) -> Half; fast_sqrt() -> Half;
            }

            #[inline]
            fn next_after(self, towards: Self) -> Self {
                if <$T>::is_nan(self) || <$T>::is_nan(towards) {
                    self + towards
                } else if self == towards {
                    towards
                } else if self < towards {
                    Float::next_up(self)
                } else {
                    Float::next_down(self)
                }
            }
        }
    )*};
}

device_math! { f16 bf16 }
