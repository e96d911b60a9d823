//! Conversions of elements: `cast` of arrays.

use super::expression::ScalarInput;
use super::{Apply, Expression};
use crate::functions;
use crate::ops::arithmetic::sealed::Sealed;
use crate::scalar::Num;
use crate::source::Element;

/// An element that can be converted to a `U`: numbers to each other, `bool` to numbers, and with the feature `complex`, floats to complex
/// numbers with parts of their type, and complex numbers to each other.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cast to `{U}`",
    label = "numbers and `bool` are cast to numbers, floats to complex numbers of their type, and complex numbers to complex numbers"
)]
pub trait CastElement<U: Element>: Element + Sealed {
    /// The conversion of an expression.
    #[doc(hidden)]
    type Cast<E: Expression<Item = Self>>: Expression<Item = U>;

    #[doc(hidden)]
    fn cast<E: Expression<Item = Self>>(expression: E) -> Self::Cast<E>;
}

impl<T: Num, U: Num> CastElement<U> for T {
    type Cast<E: Expression<Item = Self>> = Apply<functions::cast::Function<T, U>, (E,)>;

    fn cast<E: Expression<Item = Self>>(expression: E) -> Self::Cast<E> {
        Apply::new((expression,))
    }
}

impl<U: Num> CastElement<U> for bool {
    type Cast<E: Expression<Item = Self>> = Apply<functions::select::Function<U>, (E, ScalarInput<U>, ScalarInput<U>)>;

    fn cast<E: Expression<Item = Self>>(expression: E) -> Self::Cast<E> {
        Apply::new((expression, ScalarInput(U::ONE), ScalarInput(U::ZERO)))
    }
}

#[cfg(feature = "complex")]
macro_rules! to_complex {
    ($($T:ty => $R:ty: $Function:ident;)*) => {$(
        impl CastElement<num_complex::Complex<$R>> for $T {
            type Cast<E: Expression<Item = Self>> = Apply<functions::$Function<$R>, (E,)>;

            fn cast<E: Expression<Item = Self>>(expression: E) -> Self::Cast<E> {
                Apply::new((expression,))
            }
        }
    )*};
}

#[cfg(feature = "complex")]
to_complex! {
    f32 => f32: ComplexOf;
    f64 => f64: ComplexOf;
    num_complex::Complex<f64> => f32: Narrow;
    num_complex::Complex<f32> => f64: Widen;
}
