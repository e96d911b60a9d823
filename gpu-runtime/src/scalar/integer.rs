//! The integers.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, ShlAssign, Shr, ShrAssign};

use super::bits::DeviceBits;
use super::num::Num;
use crate::ops;

/// Declares [`Integer`] with methods that all integers have, under the name after `as`.
macro_rules! integer_methods {
    ($(#[$doc:meta] fn $name:ident as $std:ident(self $(, $arg:ident: $ty:ty)*) -> $out:ty;)*) => {
        /// Any integer, `usize` and `isize` too. A bound of generic device functions.
        ///
        /// Values have the operators `& | ^ ! << >>` beside those of [`Num`]. The methods are std's, with the results of a release
        /// build.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// /// Euclid's algorithm.
        /// #[gpu_device]
        /// fn gcd<T: Integer>(a: T, b: T) -> T {
        ///     let (mut a, mut b) = (a, b);
        ///     while b != T::ZERO {
        ///         (a, b) = (b, a % b);
        ///     }
        ///     a
        /// }
        ///
        /// #[gpu_kernel]
        /// fn shares_a_factor(x: &[u64], n: u64, out: &mut [bool]) {
        ///     let i = grid_1d();
        ///     if i < out.len() {
        ///         let common: u64 = gcd(x[i], n);
        ///         out[i] = common != 1;
        ///     }
        /// }
        ///
        /// assert_eq!((gcd(12u8, 18), gcd(35usize, 64)), (6, 1));
        /// ```
        #[diagnostic::on_unimplemented(
            message = "`{Self}` is not an integer",
            label = "not an integer",
            note = "the powers of floats are `x.powi(2)` and `x.powf(0.5)`"
        )]
        pub trait Integer:
            Num
            + DeviceBits
            + Eq
            + Not<Output = Self>
            + BitAnd<Output = Self>
            + BitOr<Output = Self>
            + BitXor<Output = Self>
            + BitAndAssign
            + BitOrAssign
            + BitXorAssign
            + Shl<u32, Output = Self>
            + Shr<u32, Output = Self>
            + ShlAssign<u32>
            + ShrAssign<u32>
            + ops::Bits
            + ops::Shift
            + ops::ShiftAmount
        {
            $(
                #[$doc]
                fn $name(self $(, $arg: $ty)*) -> $out;
            )*
        }

        integer_methods! { @each [$($name $std($($arg: $ty),*) -> $out;)*] i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
    };
    (@each $methods:tt $($T:ident)*) => { $(integer_methods! { @impl $T $methods })* };
    (@impl $T:ident [$($name:ident $std:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*]) => {
        impl Integer for $T {
            $(
                #[inline(always)]
                fn $name(self $(, $arg: $ty)*) -> $out {
                    <$T>::$std(self $(, $arg)*)
                }
            )*
        }
    };
}

integer_methods! {
    /// `self` to this power, modulo 2 to the number of bits.
    fn pow as wrapping_pow(self, exponent: u32) -> Self;
    /// `self + other`, modulo 2 to the number of bits.
    fn wrapping_add as wrapping_add(self, other: Self) -> Self;
    /// `self - other`, modulo 2 to the number of bits.
    fn wrapping_sub as wrapping_sub(self, other: Self) -> Self;
    /// `self * other`, modulo 2 to the number of bits.
    fn wrapping_mul as wrapping_mul(self, other: Self) -> Self;
    /// `-self`, modulo 2 to the number of bits.
    fn wrapping_neg as wrapping_neg(self) -> Self;
    /// `self << amount`, the amount modulo the number of bits.
    fn wrapping_shl as wrapping_shl(self, amount: u32) -> Self;
    /// `self >> amount`, the amount modulo the number of bits.
    fn wrapping_shr as wrapping_shr(self, amount: u32) -> Self;
    /// The same as `pow`.
    fn wrapping_pow as wrapping_pow(self, exponent: u32) -> Self;
    /// `self / divisor`, with `MIN / -1` wrapped around. It fails for a zero divisor.
    fn wrapping_div as wrapping_div(self, divisor: Self) -> Self;
    /// `self % divisor`, with 0 for `MIN % -1`. It fails for a zero divisor.
    fn wrapping_rem as wrapping_rem(self, divisor: Self) -> Self;
    /// The quotient of the Euclidean division, with `MIN / -1` wrapped around. It fails for a zero divisor.
    fn wrapping_div_euclid as wrapping_div_euclid(self, divisor: Self) -> Self;
    /// The remainder of the Euclidean division, with 0 for `MIN % -1`. It fails for a zero divisor.
    fn wrapping_rem_euclid as wrapping_rem_euclid(self, divisor: Self) -> Self;
    /// `self << amount`, or 0 if `amount` is not less than the number of bits.
    fn unbounded_shl as unbounded_shl(self, amount: u32) -> Self;
    /// `self >> amount`, or 0 or -1 if `amount` is not less than the number of bits.
    fn unbounded_shr as unbounded_shr(self, amount: u32) -> Self;
    /// `self / divisor`, saturated at the limits of the type. It fails for a zero divisor.
    fn saturating_div as saturating_div(self, divisor: Self) -> Self;
    /// `self` to this power, saturated at the limits of the type.
    fn saturating_pow as saturating_pow(self, exponent: u32) -> Self;
    /// `self + other`, saturated at the limits of the type.
    fn saturating_add as saturating_add(self, other: Self) -> Self;
    /// `self - other`, saturated at the limits of the type.
    fn saturating_sub as saturating_sub(self, other: Self) -> Self;
    /// `self * other`, saturated at the limits of the type.
    fn saturating_mul as saturating_mul(self, other: Self) -> Self;
    /// `self + other`, wrapped, and whether it wrapped.
    fn overflowing_add as overflowing_add(self, other: Self) -> (Self, bool);
    /// `self - other`, wrapped, and whether it wrapped.
    fn overflowing_sub as overflowing_sub(self, other: Self) -> (Self, bool);
    /// `self * other`, wrapped, and whether it wrapped.
    fn overflowing_mul as overflowing_mul(self, other: Self) -> (Self, bool);
    /// `self / divisor`, wrapped, and whether it wrapped. It fails for a zero divisor.
    fn overflowing_div as overflowing_div(self, divisor: Self) -> (Self, bool);
    /// `self % divisor`, and whether the quotient wrapped. It fails for a zero divisor.
    fn overflowing_rem as overflowing_rem(self, divisor: Self) -> (Self, bool);
    /// `self` to this power, wrapped, and whether it wrapped.
    fn overflowing_pow as overflowing_pow(self, exponent: u32) -> (Self, bool);
    /// `-self`, wrapped, and whether it wrapped.
    fn overflowing_neg as overflowing_neg(self) -> (Self, bool);
    /// `self << amount`, the amount modulo the number of bits, and whether it was reduced.
    fn overflowing_shl as overflowing_shl(self, amount: u32) -> (Self, bool);
    /// `self >> amount`, the amount modulo the number of bits, and whether it was reduced.
    fn overflowing_shr as overflowing_shr(self, amount: u32) -> (Self, bool);
    /// `self + other`, or `None` if it overflows.
    fn checked_add as checked_add(self, other: Self) -> Option<Self>;
    /// `self - other`, or `None` if it overflows.
    fn checked_sub as checked_sub(self, other: Self) -> Option<Self>;
    /// `self * other`, or `None` if it overflows.
    fn checked_mul as checked_mul(self, other: Self) -> Option<Self>;
    /// `self / divisor`, or `None` for a division by zero and for `MIN / -1`.
    fn checked_div as checked_div(self, divisor: Self) -> Option<Self>;
    /// `self % divisor`, or `None` for a division by zero and for `MIN % -1`.
    fn checked_rem as checked_rem(self, divisor: Self) -> Option<Self>;
    /// `-self`, or `None` if it overflows.
    fn checked_neg as checked_neg(self) -> Option<Self>;
    /// `self << amount`, or `None` if `amount` is not less than the number of bits.
    fn checked_shl as checked_shl(self, amount: u32) -> Option<Self>;
    /// `self >> amount`, or `None` if `amount` is not less than the number of bits.
    fn checked_shr as checked_shr(self, amount: u32) -> Option<Self>;
    /// The quotient of the Euclidean division, or `None` for a division by zero and for `MIN / -1`.
    fn checked_div_euclid as checked_div_euclid(self, divisor: Self) -> Option<Self>;
    /// The remainder of the Euclidean division, or `None` for a division by zero and for `MIN % -1`.
    fn checked_rem_euclid as checked_rem_euclid(self, divisor: Self) -> Option<Self>;
    /// `self` to this power, or `None` if it overflows.
    fn checked_pow as checked_pow(self, exponent: u32) -> Option<Self>;
    /// The logarithm to base 2, rounded down. It fails for numbers that are not positive.
    fn ilog2 as ilog2(self) -> u32;
    /// The logarithm to base 10, rounded down. It fails for numbers that are not positive.
    fn ilog10 as ilog10(self) -> u32;
    /// How many bits are 1.
    fn count_ones as count_ones(self) -> u32;
    /// How many bits are 0.
    fn count_zeros as count_zeros(self) -> u32;
    /// The number of leading zero bits.
    fn leading_zeros as leading_zeros(self) -> u32;
    /// The number of trailing zero bits.
    fn trailing_zeros as trailing_zeros(self) -> u32;
    /// The number of leading one bits.
    fn leading_ones as leading_ones(self) -> u32;
    /// The number of trailing one bits.
    fn trailing_ones as trailing_ones(self) -> u32;
    /// The bits rotated to the left.
    fn rotate_left as rotate_left(self, amount: u32) -> Self;
    /// The bits rotated to the right.
    fn rotate_right as rotate_right(self, amount: u32) -> Self;
    /// The bytes in reverse order.
    fn swap_bytes as swap_bytes(self) -> Self;
    /// The bits in reverse order.
    fn reverse_bits as reverse_bits(self) -> Self;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parity<T: Integer>(x: T) -> bool {
        x.count_ones() & 1 == 1
    }

    #[test]
    fn methods_are_those_of_the_type() {
        assert!(parity(7u8) && !parity(-1i64));
        assert_eq!(Integer::leading_zeros(1i16), 15);
    }

    #[test]
    fn powers_wrap_in_every_build_profile() {
        assert_eq!(Integer::pow(3i8, 5), 3i8.wrapping_pow(5));
    }
}
