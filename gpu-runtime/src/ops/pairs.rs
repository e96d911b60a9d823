//! The runtime's own operators of operands whose types may differ: a complex number and a real one, a vector and a number.
//!
//! Where both operands ought to have one type, [`add`](super::add) and similar functions tell rustc so, which then finds that type for
//! literals in either of them. Here it finds the type of a literal from the other operand alone.

use super::arithmetic::Arithmetic;
use super::division::{Divide, Undefined};
use crate::failure::{IntegerOperation, IntegerOverflow};

/// A type with `+`, `-` and `*` in kernels, where the other operand is of type `Other`.
///
/// # Safety
///
/// The CUDA C must compute the same, with functions of the same names.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no arithmetic with `{Other}` in kernels",
    label = "not a number of that type",
    note = "both operands of `+`, `-`, `*` and `/` are numbers of the same type, or a complex number or vector and a number of its parts' type"
)]
pub unsafe trait ArithmeticWith<Other>: Copy {
    /// The type of the result.
    type Output;
    #[doc(hidden)]
    fn add(self, other: Other) -> Self::Output;
    #[doc(hidden)]
    fn sub(self, other: Other) -> Self::Output;
    #[doc(hidden)]
    fn mul(self, other: Other) -> Self::Output;
    /// Whether this operation overflows.
    #[doc(hidden)]
    #[inline]
    fn overflow(self, _operation: IntegerOperation, _other: &Other) -> Option<IntegerOverflow> {
        None
    }
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
    #[inline]
    fn overflow(self, operation: IntegerOperation, other: &T) -> Option<IntegerOverflow> {
        Arithmetic::overflow(self, operation, *other)
    }
}

/// A type that can be divided by a value of the type `Divisor` in kernels.
///
/// # Safety
///
/// The CUDA C must compute the same, with functions of the same names.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be divided by `{Divisor}` in kernels",
    label = "not a number of that type",
    note = "both operands of `+`, `-`, `*` and `/` are numbers of the same type, or a complex number or vector and a number of its parts' type"
)]
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
