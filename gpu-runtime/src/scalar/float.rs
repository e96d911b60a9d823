//! The floats.

use super::cast::FromAs;
use super::math::DeviceMath;
use super::num::Signed;
use super::vectors;

/// Declares [`Float`].
macro_rules! declare {
    ($(#[$doc:meta] fn $name:ident(self $(, $arg:ident: $ty:ty)*) -> $out:ty;)*) => {
        /// `f32` or `f64`; with the feature `half`, also `half::f16` and `half::bf16`. A bound of generic device functions.
        ///
        /// The methods are std's, of the same names and with the same results. On a GPU each type has its own instructions: an
        /// instance for `f32` computes nothing in double precision.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// #[gpu_device]
        /// fn gaussian<T: Float>(x: T, sigma: T) -> T {
        ///     let z = x / sigma;
        ///     (T::from_f64(-0.5) * z * z).exp() / (sigma * (T::from_i32(2) * T::PI).sqrt())
        /// }
        ///
        /// #[gpu_kernel]
        /// fn weights(sigma: f32, precise: f64, out: &mut [f32]) {
        ///     let i = grid_1d();
        ///     if i < out.len() {
        ///         out[i] = gaussian(i as f32, sigma) + gaussian(i as f64, precise) as f32;
        ///     }
        /// }
        ///
        /// assert_eq!(gaussian(0.0f32, 1.0), 0.398_942_3);
        /// ```
        #[diagnostic::on_unimplemented(
            message = "`{Self}` is not a float",
            label = "not `f32` or `f64`",
            note = "convert an integer first: `x as f32`, or `lazy(&x).cast::<f32>()` for an array",
            note = "a complex number is not a float: compute with its parts, `z.re` and `z.im`",
            note = "a method of your own type with the name of a float's method is called by its path: `Vector::sqrt(v)`"
        )]
        pub trait Float: Signed + DeviceMath {
            /// Infinity.
            const INFINITY: Self;
            /// Negative infinity.
            const NEG_INFINITY: Self;
            /// Not a number.
            const NAN: Self;
            /// The difference between 1 and the next larger number.
            const EPSILON: Self;
            /// Half the circumference of the unit circle.
            const PI: Self;

            /// `value as Self`: the closest number of the type. A kernel contains the rounded number of a literal.
            ///
            /// ```
            /// # use gpu_runtime::prelude::*;
            /// assert_eq!(f32::from_f64(0.1), 0.1f32);
            /// ```
            fn from_f64(value: f64) -> Self;

            $(
                #[$doc]
                fn $name(self $(, $arg: $ty)*) -> $out;
            )*

            /// `exp` in array functions on the CPU.
            #[doc(hidden)]
            #[inline(always)]
            fn vector_exp(self) -> Self {
                self.exp()
            }

            /// `ln` there.
            #[doc(hidden)]
            #[inline(always)]
            fn vector_ln(self) -> Self {
                self.ln()
            }

            /// `tanh` there.
            #[doc(hidden)]
            #[inline(always)]
            fn vector_tanh(self) -> Self {
                self.tanh()
            }
        }
    };
}

/// The items of `impl Float for $T`, whose header is written out because rustc shows it in messages.
macro_rules! implement {
    ($T:ident $(#[$doc:meta] fn $name:ident(self $(, $arg:ident: $ty:ty)*) -> $out:ty;)*) => {
        const INFINITY: Self = $T::INFINITY;
        const NEG_INFINITY: Self = $T::NEG_INFINITY;
        const NAN: Self = $T::NAN;
        const EPSILON: Self = $T::EPSILON;
        const PI: Self = std::$T::consts::PI;

        #[inline(always)]
        fn from_f64(value: f64) -> Self {
            Self::from_as_f64(value)
        }

        $(
            #[inline(always)]
            fn $name(self $(, $arg: $ty)*) -> $out {
                <$T>::$name(self $(, $arg)*)
            }
        )*
    };
}

/// Calls a macro with the methods that both floats have under that name.
macro_rules! with_methods {
    ($then:ident $($T:ident)?) => {
        $then! {
            $($T)?
            /// The sine of an angle in radians.
            fn sin(self) -> Self;
            /// The cosine of an angle in radians.
            fn cos(self) -> Self;
            /// The tangent of an angle in radians.
            fn tan(self) -> Self;
            /// The arcsine, in radians; NaN outside `-1..=1`.
            fn asin(self) -> Self;
            /// The arccosine, in radians; NaN outside `-1..=1`.
            fn acos(self) -> Self;
            /// The arctangent, in radians.
            fn atan(self) -> Self;
            /// The hyperbolic sine.
            fn sinh(self) -> Self;
            /// The hyperbolic cosine.
            fn cosh(self) -> Self;
            /// The hyperbolic tangent.
            fn tanh(self) -> Self;
            /// The inverse hyperbolic sine.
            fn asinh(self) -> Self;
            /// The inverse hyperbolic cosine; NaN below 1.
            fn acosh(self) -> Self;
            /// The inverse hyperbolic tangent.
            fn atanh(self) -> Self;
            /// e to the power of `self`.
            fn exp(self) -> Self;
            /// 2 to the power of `self`.
            fn exp2(self) -> Self;
            /// `self.exp() - 1`, exact near 0.
            fn exp_m1(self) -> Self;
            /// The natural logarithm.
            fn ln(self) -> Self;
            /// The natural logarithm of `1 + self`, exact near 0.
            fn ln_1p(self) -> Self;
            /// The logarithm to base 2.
            fn log2(self) -> Self;
            /// The logarithm to base 10.
            fn log10(self) -> Self;
            /// The square root; NaN of a negative number.
            fn sqrt(self) -> Self;
            /// The cube root.
            fn cbrt(self) -> Self;
            /// The largest whole number that is not larger.
            fn floor(self) -> Self;
            /// The smallest whole number that is not smaller.
            fn ceil(self) -> Self;
            /// The closest whole number; for ties, the one away from 0.
            fn round(self) -> Self;
            /// The closest whole number; for ties, the even one.
            fn round_ties_even(self) -> Self;
            /// The whole part.
            fn trunc(self) -> Self;
            /// The fractional part.
            fn fract(self) -> Self;
            /// `1 / self`.
            fn recip(self) -> Self;
            /// Radians as degrees.
            fn to_degrees(self) -> Self;
            /// Degrees as radians.
            fn to_radians(self) -> Self;
            /// The angle, in radians, of the point with this `y` and the given `x`.
            fn atan2(self, x: Self) -> Self;
            /// The logarithm to this base.
            fn log(self, base: Self) -> Self;
            /// The length of the hypotenuse over these legs.
            fn hypot(self, other: Self) -> Self;
            /// `self` to this power.
            fn powf(self, exponent: Self) -> Self;
            /// `self` to this whole power, by multiplication.
            fn powi(self, exponent: i32) -> Self;
            /// `self * factor + summand` with one rounding.
            fn mul_add(self, factor: Self, summand: Self) -> Self;
            /// `self` with the sign of `sign`.
            fn copysign(self, sign: Self) -> Self;
            /// The smallest number that is larger.
            fn next_up(self) -> Self;
            /// The largest number that is smaller.
            fn next_down(self) -> Self;
            /// The sine and the cosine of an angle in radians.
            fn sin_cos(self) -> (Self, Self);
            /// Whether it is NaN.
            fn is_nan(self) -> bool;
            /// Whether it is an infinity.
            fn is_infinite(self) -> bool;
            /// Whether it is neither an infinity nor NaN.
            fn is_finite(self) -> bool;
            /// Whether the sign bit is set, as in `-0.0`.
            fn is_sign_negative(self) -> bool;
            /// Whether the sign bit is clear.
            fn is_sign_positive(self) -> bool;
        }
    };
}

with_methods! { declare }

impl Float for f32 {
    with_methods! { implement f32 }

    #[inline(always)]
    fn vector_exp(self) -> Self {
        vectors::exp(self)
    }

    #[inline(always)]
    fn vector_ln(self) -> Self {
        vectors::ln(self)
    }

    #[inline(always)]
    fn vector_tanh(self) -> Self {
        vectors::tanh(self)
    }
}

impl Float for f64 {
    with_methods! { implement f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle<T: Float>(radius: T) -> T {
        T::PI * radius.powi(2)
    }

    #[test]
    fn methods_are_those_of_the_type() {
        assert_eq!(circle(2.0f32), std::f32::consts::PI * 4.0);
        assert_eq!(circle(2.0f64), std::f64::consts::PI * 4.0);
        assert_eq!(Float::sin(0.5f32), 0.5f32.sin());
        assert!(Float::is_nan(<f64 as Float>::NAN));
    }
}
