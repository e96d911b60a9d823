//! The bounds of all numbers.

use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

use super::cast::FromAs;
use crate::backend::cpu::SharedElement;
use crate::constant::ConstantValue;
use crate::intrinsics::WarpValue;
use crate::ops;
use crate::source::{Element, Printable};

/// Any number: the integers (with `usize` and `isize`) and the floats. A bound of generic device functions.
///
/// Values have the operators `+ - * / %`, comparisons, and the methods `min`, `max` and `clamp` of std. In a kernel or device
/// function, arithmetic of integers wraps and a division by zero is reported, as for concrete types.
///
/// CUDA C++: a template parameter. Numba: an argument's type.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// /// `x` as far into `lowest..=highest` as it goes, in steps of `step`.
/// #[gpu_device]
/// fn quantised<T: Num>(x: T, lowest: T, highest: T, step: T) -> T {
///     let steps = (x.clamp(lowest, highest) - lowest) / step;
///     lowest + steps * step
/// }
///
/// #[gpu_kernel]
/// fn quantise(x: &[u8], out: &mut [u8]) {
///     let i = grid_1d();
///     if i < out.len() {
///         out[i] = quantised(x[i], 16, 235, 10);
///     }
/// }
///
/// assert_eq!(quantised(77u8, 16, 235, 10), 76);
/// assert_eq!(quantised(-9i64, 0, 10, 3), 0);
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is not a number", label = "not an integer or a float")]
pub trait Num:
    Element
    + PartialOrd
    + Debug
    + Display
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + RemAssign
    + ops::Arithmetic
    + ops::Compare
    + ops::Divide
    + ops::Remainder
    + ConstantValue
    + FromAs
    + Ordered
    + WarpValue
    + SharedElement
    + Printable
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The smallest value; for a float, the smallest finite value.
    const MIN: Self;
    /// The largest value; for a float, the largest finite value.
    const MAX: Self;

    /// `value as Self`: integers keep the low bits, floats round.
    ///
    /// ```
    /// # use gpu_runtime::prelude::*;
    /// assert_eq!(u8::from_i32(300), 44);
    /// assert_eq!(f32::from_i32(-3), -3.0);
    /// ```
    fn from_i32(value: i32) -> Self;

    /// `self as U`: a conversion from float to integer saturates, with 0 for NaN; a conversion from integer to integer keeps the low bits.
    ///
    /// ```
    /// # use gpu_runtime::prelude::*;
    /// #[gpu_device]
    /// fn bin<T: Float>(x: T, width: T) -> usize {
    ///     (x / width).floor().cast::<usize>()
    /// }
    /// assert_eq!(bin(7.5f32, 2.0), 3);
    /// assert_eq!(bin(-7.5f64, 2.0), 0);
    /// ```
    fn cast<U: Num>(self) -> U;

    /// The quotient of Euclidean division, whose remainder is not negative.
    ///
    /// # Panics
    ///
    /// For integers, if `divisor` is 0 or the quotient does not fit. A kernel reports that.
    fn div_euclid(self, divisor: Self) -> Self;

    /// The remainder of Euclidean division, which is not negative.
    ///
    /// # Panics
    ///
    /// For integers, if `divisor` is 0 or the quotient does not fit. A kernel reports this.
    fn rem_euclid(self, divisor: Self) -> Self;
}

/// A number that can be negative: the signed integers and the floats. A bound of generic device functions.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_device]
/// fn mirrored<T: Signed>(x: T) -> T {
///     if x.signum() < T::ZERO { x } else { -x }
/// }
///
/// assert_eq!((mirrored(3i8), mirrored(-2.5f64)), (-3, -2.5));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a signed number",
    label = "not a signed integer or a float",
    note = "a method of this name of your own type is called by its path, `Vector::abs(v)`"
)]
pub trait Signed: Num + Neg<Output = Self> + ops::Negate {
    /// The absolute value. The absolute value of the smallest integer wraps to itself.
    fn abs(self) -> Self;

    /// The sign: -1, 0 or 1 for an integer; -1, 1 or NaN for a float.
    fn signum(self) -> Self;
}

/// `min`, `max` and `clamp`. For integers, std also has them in a trait, `Ord`: if both traits were in scope, `i.min(j)` would be
/// ambiguous. As a hidden supertrait, they are available for a `T: Num` only.
pub trait Ordered: Sized {
    /// The smaller of two numbers. For a number and NaN, the number.
    fn min(self, other: Self) -> Self;
    /// The larger of two numbers. For a number and NaN, the number.
    fn max(self, other: Self) -> Self;
    /// The closest number from `lowest` to `highest`.
    fn clamp(self, lowest: Self, highest: Self) -> Self;
}

macro_rules! numbers {
    ($zero:literal $one:literal; $($T:ident $from:ident)*) => {$(
        impl Num for $T {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            const MIN: Self = <$T>::MIN;
            const MAX: Self = <$T>::MAX;

            #[inline(always)]
            fn from_i32(value: i32) -> Self {
                Self::from_as_i32(value)
            }
            #[inline(always)]
            fn cast<U: Num>(self) -> U {
                U::$from(self)
            }
            #[inline(always)]
            fn div_euclid(self, divisor: Self) -> Self {
                <$T>::div_euclid(self, divisor)
            }
            #[inline(always)]
            fn rem_euclid(self, divisor: Self) -> Self {
                <$T>::rem_euclid(self, divisor)
            }
        }
    )*};
}

macro_rules! ordered {
    ($($T:ident)*: $std:ident) => {$(
        impl Ordered for $T {
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                ordered!(@call $std $T min)(self, other)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                ordered!(@call $std $T max)(self, other)
            }
            #[inline(always)]
            fn clamp(self, lowest: Self, highest: Self) -> Self {
                ordered!(@call $std $T clamp)(self, lowest, highest)
            }
        }
    )*};
    (@call Ord $T:ident $name:ident) => { <$T as Ord>::$name };
    (@call inherent $T:ident $name:ident) => { <$T>::$name };
}

macro_rules! signed {
    ($($T:ident: $abs:ident),*) => {$(
        impl Signed for $T {
            #[inline(always)]
            fn abs(self) -> Self {
                <$T>::$abs(self)
            }
            #[inline(always)]
            fn signum(self) -> Self {
                <$T>::signum(self)
            }
        }
    )*};
}

numbers! { 0 1; i8 from_as_i8 i16 from_as_i16 i32 from_as_i32 i64 from_as_i64 isize from_as_isize }
numbers! { 0 1; u8 from_as_u8 u16 from_as_u16 u32 from_as_u32 u64 from_as_u64 usize from_as_usize }
numbers! { 0.0 1.0; f32 from_as_f32 f64 from_as_f64 }
ordered! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize: Ord }
ordered! { f32 f64: inherent }
signed! { i8: wrapping_abs, i16: wrapping_abs, i32: wrapping_abs, i64: wrapping_abs, isize: wrapping_abs, f32: abs, f64: abs }

#[cfg(test)]
mod tests {
    use super::*;

    fn extremes<T: Num>(a: T, b: T) -> (T, T, T) {
        (a.min(b), a.max(b), a.clamp(T::ZERO, T::ONE))
    }

    #[test]
    fn minimum_and_maximum_are_those_of_std() {
        assert_eq!(extremes(3u8, 7), (3, 7, 1));
        assert_eq!(extremes(-3i64, -7), (-7, -3, 0));
        assert_eq!(extremes(0.25f32, f32::NAN), (0.25, 0.25, 0.25));
    }

    #[test]
    fn casts_are_those_of_as() {
        assert_eq!(300i32.cast::<u8>(), 44);
        assert_eq!((-1i8).cast::<usize>(), usize::MAX);
        assert_eq!(1e20f32.cast::<i32>(), i32::MAX);
        assert_eq!(f64::NAN.cast::<i64>(), 0);
        assert_eq!(u64::MAX.cast::<f32>(), u64::MAX as f32);
        assert_eq!(f64::from_i32(-7), -7.0);
    }

    #[test]
    fn the_smallest_integer_has_no_positive_counterpart() {
        assert_eq!(Signed::abs(i8::MIN), i8::MIN);
        assert_eq!(Signed::abs(-2.5f32), 2.5);
    }
}
