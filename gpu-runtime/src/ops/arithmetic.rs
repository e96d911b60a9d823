//! `+`, `-`, `*` and the unary `-`.

use crate::failure::{IntegerOperation, IntegerOverflow};

/// A type with `+`, `-` and `*` in kernels.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no arithmetic in kernels",
    label = "not a number",
    note = "both operands of `+`, `-` and `*` are numbers of the same type; for a type of your own, write `#[gpu_device]` above its `impl Add`, `impl Sub` or `impl Mul`"
)]
pub trait Arithmetic: Copy + sealed::Sealed {
    #[doc(hidden)]
    fn add(self, other: Self) -> Self;
    #[doc(hidden)]
    fn sub(self, other: Self) -> Self;
    #[doc(hidden)]
    fn mul(self, other: Self) -> Self;
    /// Whether this operation overflows.
    #[doc(hidden)]
    #[inline]
    fn overflow(self, _operation: IntegerOperation, _other: Self) -> Option<IntegerOverflow> {
        None
    }
}

/// A type with the unary `-` in kernels.
#[diagnostic::on_unimplemented(message = "`{Self}` cannot be negated", label = "not a signed number")]
pub trait Negate: Copy + sealed::Sealed {
    #[doc(hidden)]
    fn neg(self) -> Self;
    /// Whether this operation, the negation or `abs`, overflows.
    #[doc(hidden)]
    #[inline]
    fn negation_overflow(self, _operation: IntegerOperation) -> Option<IntegerOverflow> {
        None
    }
}

/// `a + b`
#[inline]
pub fn add<T: Arithmetic>(a: T, b: T) -> T {
    a.add(b)
}

/// `a - b`
#[inline]
pub fn sub<T: Arithmetic>(a: T, b: T) -> T {
    a.sub(b)
}

/// `a * b`
#[inline]
pub fn mul<T: Arithmetic>(a: T, b: T) -> T {
    a.mul(b)
}

/// `-a`
#[inline]
pub fn neg<T: Negate>(a: T) -> T {
    a.neg()
}

pub(crate) mod sealed {
    /// Keeps the operator traits to the types that both backends have.
    pub trait Sealed {}
}

macro_rules! integers {
    ($($integer:ty)+) => {$(
        impl sealed::Sealed for $integer {}

        impl Arithmetic for $integer {
            #[inline]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline]
            fn overflow(self, operation: IntegerOperation, other: Self) -> Option<IntegerOverflow> {
                let (_, overflows) = match operation {
                    IntegerOperation::Addition => self.overflowing_add(other),
                    IntegerOperation::Subtraction => self.overflowing_sub(other),
                    _ => self.overflowing_mul(other),
                };
                let (left, right) = (self as i128, other as i128);
                overflows.then(|| IntegerOverflow { operation, left, right, ty: stringify!($integer) })
            }
        }
    )+};
}

macro_rules! floats {
    ($($float:ty)+) => {$(
        impl sealed::Sealed for $float {}

        impl Arithmetic for $float {
            #[inline]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline]
            fn mul(self, other: Self) -> Self {
                self * other
            }
        }

        impl Negate for $float {
            #[inline]
            fn neg(self) -> Self {
                -self
            }
        }
    )+};
}

macro_rules! signed_integers {
    ($($integer:ty)+) => {$(
        impl Negate for $integer {
            #[inline]
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
            #[inline]
            fn negation_overflow(self, operation: IntegerOperation) -> Option<IntegerOverflow> {
                (self == Self::MIN).then_some(IntegerOverflow { operation, left: self as i128, right: 0, ty: stringify!($integer) })
            }
        }
    )+};
}

integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
signed_integers! { i8 i16 i32 i64 isize }
floats! { f32 f64 }

#[cfg(feature = "half")]
floats! { half::f16 half::bf16 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_in_every_build_profile() {
        assert_eq!(add(i32::MAX, 1), i32::MIN);
        assert_eq!(sub(0u8, 1), 255);
        assert_eq!(mul(i64::MAX, 2), -2);
        assert_eq!(neg(i16::MIN), i16::MIN);
    }

    #[test]
    fn floats_follow_ieee() {
        assert_eq!(add(f32::MAX, f32::MAX), f32::INFINITY);
        assert!(sub(f64::INFINITY, f64::INFINITY).is_nan());
        assert!(neg(0.0f32).is_sign_negative());
    }

    #[test]
    fn a_literal_takes_the_type_of_the_other_operand() {
        let x: f32 = 3.0;
        let y = mul(2.0, add(x, 1.0));
        assert_eq!(y.to_bits(), 8.0f32.to_bits());
    }
}
