//! Functions that floats have, and complex numbers too.

use crate::scalar::Float;

/// A type with these functions in kernels, where the macro does not know the type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a float",
    label = "not `f32`, `f64` or a complex number",
    note = "a method of your own type with the name of a float's method is called by its path: `Vector::sqrt(v)`"
)]
pub trait Elementary: Copy {
    #[doc(hidden)]
    fn exp(self) -> Self;
    #[doc(hidden)]
    fn ln(self) -> Self;
    #[doc(hidden)]
    fn sqrt(self) -> Self;
    #[doc(hidden)]
    fn powi(self, exponent: i32) -> Self;
}

impl<T: Float> Elementary for T {
    #[inline(always)]
    fn exp(self) -> Self {
        Float::exp(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Float::ln(self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Float::sqrt(self)
    }
    #[inline(always)]
    fn powi(self, exponent: i32) -> Self {
        Float::powi(self, exponent)
    }
}
