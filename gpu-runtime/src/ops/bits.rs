//! `!`, `&`, `|`, `^`, `<<` and `>>`.

use super::arithmetic::sealed::Sealed;
use crate::failure::{IntegerOperation, IntegerOverflow};

/// A type with `!`, `&`, `|` and `^` in kernels: the integers and `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no bitwise operators in kernels",
    label = "not an integer or `bool`",
    note = "both operands of `&`, `|` and `^` are integers or `bool`s of the same type"
)]
pub trait Bits: Copy + Sealed {
    #[doc(hidden)]
    fn not(self) -> Self;
    #[doc(hidden)]
    fn bitand(self, other: Self) -> Self;
    #[doc(hidden)]
    fn bitor(self, other: Self) -> Self;
    #[doc(hidden)]
    fn bitxor(self, other: Self) -> Self;
}

/// A type that can be shifted in kernels.
#[diagnostic::on_unimplemented(message = "`{Self}` cannot be shifted", label = "not an integer")]
pub trait Shift: Copy + Sealed {
    #[doc(hidden)]
    fn shl(self, amount: u32) -> Self;
    #[doc(hidden)]
    fn shr(self, amount: u32) -> Self;
    /// Whether this shift overflows.
    #[doc(hidden)]
    fn shift_overflow(self, operation: IntegerOperation, amount: i128) -> Option<IntegerOverflow>;
    /// Whether the power overflows.
    #[doc(hidden)]
    fn power_overflow(self, exponent: u32) -> Option<IntegerOverflow>;
}

/// A type by which a number can be shifted: any integer, as in Rust.
#[diagnostic::on_unimplemented(message = "cannot shift by `{Self}`", label = "not an integer")]
pub trait ShiftAmount: Copy + Sealed {
    /// The low bits, of which a shift uses the lowest three to six.
    #[doc(hidden)]
    fn low_bits(self) -> u32;
    /// All of it.
    #[doc(hidden)]
    fn value(self) -> i128;
}

/// `!a`
#[inline]
pub fn not<T: Bits>(a: T) -> T {
    a.not()
}

/// `a & b`
#[inline]
pub fn bitand<T: Bits>(a: T, b: T) -> T {
    a.bitand(b)
}

/// `a | b`
#[inline]
pub fn bitor<T: Bits>(a: T, b: T) -> T {
    a.bitor(b)
}

/// `a ^ b`
#[inline]
pub fn bitxor<T: Bits>(a: T, b: T) -> T {
    a.bitxor(b)
}

/// `a << amount`, with the amount reduced modulo the width of `a`.
#[inline]
pub fn shl<T: Shift, U: ShiftAmount>(a: T, amount: U) -> T {
    a.shl(amount.low_bits())
}

/// `a >> amount`, with the amount reduced modulo the width of `a`. Copies the sign of a signed number.
#[inline]
pub fn shr<T: Shift, U: ShiftAmount>(a: T, amount: U) -> T {
    a.shr(amount.low_bits())
}

macro_rules! bits {
    ($($type:ty)+) => {$(
        impl Bits for $type {
            #[inline]
            fn not(self) -> Self {
                !self
            }
            #[inline]
            fn bitand(self, other: Self) -> Self {
                self & other
            }
            #[inline]
            fn bitor(self, other: Self) -> Self {
                self | other
            }
            #[inline]
            fn bitxor(self, other: Self) -> Self {
                self ^ other
            }
        }
    )+};
}

macro_rules! shifts {
    ($($integer:ty)+) => {$(
        impl Shift for $integer {
            #[inline]
            fn shl(self, amount: u32) -> Self {
                self.wrapping_shl(amount)
            }
            #[inline]
            fn shr(self, amount: u32) -> Self {
                self.wrapping_shr(amount)
            }
            #[inline]
            fn shift_overflow(self, operation: IntegerOperation, amount: i128) -> Option<IntegerOverflow> {
                let overflows = !(0..i128::from(Self::BITS)).contains(&amount);
                overflows.then_some(IntegerOverflow { operation, left: self as i128, right: amount, ty: stringify!($integer) })
            }
            #[inline]
            fn power_overflow(self, exponent: u32) -> Option<IntegerOverflow> {
                let overflows = self.checked_pow(exponent).is_none();
                let (operation, left, right) = (IntegerOperation::Power, self as i128, exponent.into());
                overflows.then_some(IntegerOverflow { operation, left, right, ty: stringify!($integer) })
            }
        }

        impl ShiftAmount for $integer {
            #[inline]
            fn low_bits(self) -> u32 {
                self as u32
            }
            #[inline]
            fn value(self) -> i128 {
                self as i128
            }
        }
    )+};
}

impl Sealed for bool {}

bits! { bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
shifts! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shift_amounts_are_reduced_modulo_the_width() {
        assert_eq!(shl(1u32, 33), 2);
        assert_eq!(shl(1u64, 33u8), 1 << 33);
        assert_eq!(shr(0x80u8, 15usize), 1);
        assert_eq!(shr(-8i32, 1i64), -4);
        assert_eq!(shl(1i32, -1), i32::MIN);
    }

    #[test]
    fn bitwise_operators_work_on_integers_and_bools() {
        assert_eq!(not(0u8), 255);
        assert!(!not(true));
        assert_eq!(bitand(0b1100, 0b1010), 0b1000);
        assert_eq!(bitor(0b1100u16, 0b1010), 0b1110);
        assert!(bitxor(true, false));
    }
}
