//! `/`, `%` and their relatives, which can fail for integers.

use super::arithmetic::sealed::Sealed;
use crate::backend::cpu::{Stop, Thread};

/// Why an integer division has no result. The numbers are the values that [`SiteKind::Division`] assigns to them.
///
/// [`SiteKind::Division`]: crate::source::SiteKind::Division
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undefined {
    ByZero = 0,
    Overflow = 1,
}

/// A type with `/` in kernels.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no division in kernels",
    label = "not a number",
    note = "both operands of `/` and `%` are numbers of the same type"
)]
pub trait Divide: Copy + Sealed {
    #[doc(hidden)]
    fn div(self, divisor: Self) -> Result<Self, Undefined>;
}

/// A type with `%`, `div_euclid` and `rem_euclid` in kernels.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no division with a remainder in kernels",
    label = "not a number",
    note = "both operands of `/` and `%` are numbers of the same type"
)]
pub trait Remainder: Copy + Sealed {
    #[doc(hidden)]
    fn rem(self, divisor: Self) -> Result<Self, Undefined>;
    #[doc(hidden)]
    fn quotient_euclid(self, divisor: Self) -> Result<Self, Undefined>;
    #[doc(hidden)]
    fn remainder_euclid(self, divisor: Self) -> Result<Self, Undefined>;
}

/// A type with `div_ceil` in kernels.
#[diagnostic::on_unimplemented(message = "`{Self}` has no `div_ceil`", label = "not an unsigned integer")]
pub trait DivideUnsigned: Copy + Sealed {
    #[doc(hidden)]
    fn div_ceil(self, divisor: Self) -> Result<Self, Undefined>;
}

/// `a / b`
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn div<T: Divide>(thread: &Thread<'_>, a: T, b: T, site: u32) -> Result<T, Stop> {
    defined(thread, a.div(b), site)
}

/// `a % b`
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn rem<T: Remainder>(thread: &Thread<'_>, a: T, b: T, site: u32) -> Result<T, Stop> {
    defined(thread, a.rem(b), site)
}

/// `a.div_euclid(b)`
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn div_euclid<T: Remainder>(thread: &Thread<'_>, a: T, b: T, site: u32) -> Result<T, Stop> {
    defined(thread, a.quotient_euclid(b), site)
}

/// `a.rem_euclid(b)`
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn rem_euclid<T: Remainder>(thread: &Thread<'_>, a: T, b: T, site: u32) -> Result<T, Stop> {
    defined(thread, a.remainder_euclid(b), site)
}

/// `a.div_ceil(b)`
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn div_ceil<T: DivideUnsigned>(thread: &Thread<'_>, a: T, b: T, site: u32) -> Result<T, Stop> {
    defined(thread, a.div_ceil(b), site)
}

/// Ends the thread if there is no result.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn defined<T>(thread: &Thread<'_>, result: Result<T, Undefined>, site: u32) -> Result<T, Stop> {
    result.map_err(|why| thread.fail(site, [why as u64, 0]))
}

/// Gives `Divide` and `Remainder` to integers; `$overflows` says whether `a / b` does not fit.
macro_rules! integers {
    (|$a:ident, $b:ident| $overflows:expr; $($integer:ty)+) => {$(
        impl Divide for $integer {
            integers! { @operators |$a, $b| $overflows; div: wrapping_div }
        }

        impl Remainder for $integer {
            integers! { @operators |$a, $b| $overflows; rem: wrapping_rem, quotient_euclid: wrapping_div_euclid, remainder_euclid: wrapping_rem_euclid }
        }
    )+};
    (@operators |$a:ident, $b:ident| $overflows:expr; $($operator:ident: $function:ident),+) => {$(
        #[inline]
        fn $operator(self, divisor: Self) -> Result<Self, Undefined> {
            let ($a, $b) = (self, divisor);
            if $b == 0 {
                Err(Undefined::ByZero)
            } else if $overflows {
                Err(Undefined::Overflow)
            } else {
                // The conditions are excluded above: `wrapping_*` only spares a second test.
                Ok(self.$function(divisor))
            }
        }
    )+};
}

macro_rules! unsigned {
    ($($integer:ty)+) => {$(
        impl DivideUnsigned for $integer {
            #[inline]
            fn div_ceil(self, divisor: Self) -> Result<Self, Undefined> {
                if divisor == 0 { Err(Undefined::ByZero) } else { Ok(self.div_ceil(divisor)) }
            }
        }
    )+};
}

macro_rules! floats {
    ($($float:ty)+) => {$(
        impl Divide for $float {
            #[inline]
            fn div(self, divisor: Self) -> Result<Self, Undefined> {
                Ok(self / divisor)
            }
        }

        impl Remainder for $float {
            #[inline]
            fn rem(self, divisor: Self) -> Result<Self, Undefined> {
                Ok(self % divisor)
            }
            #[inline]
            fn quotient_euclid(self, divisor: Self) -> Result<Self, Undefined> {
                Ok(self.div_euclid(divisor))
            }
            #[inline]
            fn remainder_euclid(self, divisor: Self) -> Result<Self, Undefined> {
                Ok(self.rem_euclid(divisor))
            }
        }
    )+};
}

integers! { |a, b| a == Self::MIN && b == -1; i8 i16 i32 i64 isize }
integers! { |_a, b| false; u8 u16 u32 u64 usize }
unsigned! { u8 u16 u32 u64 usize }
floats! { f32 f64 }

#[cfg(test)]
mod tests {
    use super::Undefined::{ByZero, Overflow};
    use super::*;

    #[test]
    fn integers_divide_as_in_rust() {
        assert_eq!(Divide::div(-7, 2), Ok(-3));
        assert_eq!(Remainder::rem(-7, 2), Ok(-1));
        assert_eq!(Remainder::quotient_euclid(-7, 2), Ok(-4));
        assert_eq!(Remainder::remainder_euclid(-7i64, 2), Ok(1));
        assert_eq!(DivideUnsigned::div_ceil(7u8, 2), Ok(4));
    }

    #[test]
    fn a_zero_divisor_and_an_overflow_have_no_result() {
        assert_eq!(Divide::div(1u32, 0), Err(ByZero));
        assert_eq!(Remainder::rem(1i8, 0), Err(ByZero));
        assert_eq!(DivideUnsigned::div_ceil(1usize, 0), Err(ByZero));
        assert_eq!(Divide::div(i32::MIN, -1), Err(Overflow));
        assert_eq!(Remainder::rem(i64::MIN, -1), Err(Overflow));
        assert_eq!(Remainder::remainder_euclid(i16::MIN, -1), Err(Overflow));
        assert_eq!(Divide::div(u8::MAX, u8::MAX), Ok(1));
    }

    #[test]
    fn floats_always_have_a_quotient() {
        assert_eq!(Divide::div(1.0f32, 0.0), Ok(f32::INFINITY));
        assert!(Remainder::rem(1.0f64, 0.0).is_ok_and(f64::is_nan));
        assert_eq!(Remainder::rem(-7.5, 2.0), Ok(-1.5));
        assert_eq!(Remainder::remainder_euclid(-7.5, 2.0), Ok(0.5));
    }
}
