//! `a op b` where the types of `a` and `b` may differ: a complex number and a real one, a vector and a number, or what the macro cannot tell to be equal.
//!
//! Where both operands ought to have one type, [`add`](super::add) and similar functions tell rustc so, which then finds that type for
//! literals in either of them. Here it finds the type of a literal from the other operand alone.

use super::arithmetic::Arithmetic;
use super::division::{Divide, Undefined, defined};
use crate::backend::cpu::{Stop, Thread};
use crate::source::Site;

/// A type with `+`, `-` and `*` in kernels, where the other operand is of type `Other`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no arithmetic with `{Other}` in kernels",
    label = "not a number of that type",
    note = "both operands of `+`, `-`, `*` and `/` are numbers of the same type, or a complex number or vector and a number of its parts' type"
)]
///
/// # Safety
///
/// The CUDA C must compute the same, with functions of the same names.
pub unsafe trait ArithmeticWith<Other>: Copy {
    /// The type of the result.
    type Output;
    #[doc(hidden)]
    fn add(self, other: Other) -> Self::Output;
    #[doc(hidden)]
    fn sub(self, other: Other) -> Self::Output;
    #[doc(hidden)]
    fn mul(self, other: Other) -> Self::Output;
}

// SAFETY: `Arithmetic` is sealed, and `ops.cu` has its functions.
unsafe impl<T: Arithmetic> ArithmeticWith<T> for T {
    type Output = T;
    #[inline]
    fn add(self, other: T) -> T {
        Arithmetic::add(self, other)
    }
    #[inline]
    fn sub(self, other: T) -> T {
        Arithmetic::sub(self, other)
    }
    #[inline]
    fn mul(self, other: T) -> T {
        Arithmetic::mul(self, other)
    }
}

/// A type that can be divided by a value of the type `Divisor` in kernels.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be divided by `{Divisor}` in kernels",
    label = "not a number of that type",
    note = "both operands of `+`, `-`, `*` and `/` are numbers of the same type, or a complex number or vector and a number of its parts' type"
)]
///
/// # Safety
///
/// The CUDA C must compute the same, with functions of the same names.
pub unsafe trait DivideBy<Divisor>: Copy {
    /// The type of the result.
    type Output;
    #[doc(hidden)]
    fn div(self, divisor: Divisor) -> Result<Self::Output, Undefined>;
}

// SAFETY: `Divide` is sealed, and `ops.cu` has its functions.
unsafe impl<T: Divide> DivideBy<T> for T {
    type Output = T;
    #[inline]
    fn div(self, divisor: T) -> Result<T, Undefined> {
        Divide::div(self, divisor)
    }
}

/// `a + b`
#[inline]
pub fn sum<A: ArithmeticWith<B>, B>(a: A, b: B) -> A::Output {
    a.add(b)
}

/// `a - b`
#[inline]
pub fn difference<A: ArithmeticWith<B>, B>(a: A, b: B) -> A::Output {
    a.sub(b)
}

/// `a * b`
#[inline]
pub fn product<A: ArithmeticWith<B>, B>(a: A, b: B) -> A::Output {
    a.mul(b)
}

/// `a / b`
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn quotient<A: DivideBy<B>, B>(thread: &Thread<'_>, a: A, b: B, site: Site) -> Result<A::Output, Stop> {
    defined(thread, a.div(b), site)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_takes_the_type_of_the_other_operand() {
        let (x, n): (f32, i64) = (3.0, i64::MAX);
        assert_eq!(product(0.1, x), 0.1f32 * x);
        assert_eq!(sum(n, 1), i64::MIN);
    }
}
