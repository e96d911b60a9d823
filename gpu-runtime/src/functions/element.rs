//! The functions behind an operator or a method, found from the types of the elements: real and complex numbers have different ones.
//!
//! A trait for each group of functions that both kinds have. It is implemented for all real numbers at once, by the functions that
//! `#[vectorize]` made, and for complex numbers in [`complex`](super::complex).

use super::{abs, add, div, equal, exp, ln, mul, neg, not_equal, powi, recip, sqrt, square, sub};
use crate::ops::arithmetic::sealed::Sealed;
use crate::scalar::{Float, Num, Signed};
use crate::source::Element;
use crate::ufunc::{Accumulator, ArrayFunction, Summand};

/// Elements with `+`, `-`, `*` and `/`, where those on the right are of the type `Right`: numbers with numbers of the same type, and with
/// the feature `complex`, complex numbers on the left with real ones on the right.
///
/// A real number on the left has one type on the right, so that rustc finds that of a literal or of a `cast` there: with complex ones too,
/// it could not infer the type of `(&p - 1.0 / &p).to_host()?`.
#[diagnostic::on_unimplemented(
    message = "arrays of `{Self}` have no arithmetic with `{Right}`",
    label = "the elements on the left are `{Self}`",
    note = "convert elements with `cast`, such as `array.cast::<f32>()`"
)]
pub trait ArithmeticElement<Right = Self>: Element + Sealed {
    /// The type of the results.
    type Output: Element;
    #[doc(hidden)]
    type Add: ArrayFunction<Args = (Self, Right), Output = Self::Output>;
    #[doc(hidden)]
    type Sub: ArrayFunction<Args = (Self, Right), Output = Self::Output>;
    #[doc(hidden)]
    type Mul: ArrayFunction<Args = (Self, Right), Output = Self::Output>;
    #[doc(hidden)]
    type Div: ArrayFunction<Args = (Self, Right), Output = Self::Output>;
}

impl<T: Num> ArithmeticElement for T {
    type Output = T;
    type Add = add::Function<T>;
    type Sub = sub::Function<T>;
    type Mul = mul::Function<T>;
    type Div = div::Function<T>;
}

/// An element on the right of an [`ArithmeticElement`] on the left: of the same type, or a real number with a complex one.
#[diagnostic::on_unimplemented(
    message = "an operator of an array of `{Left}` takes arrays or numbers of that type on the right, not of type `{Self}`",
    label = "the elements on the left are `{Left}`, those on the right `{Self}`",
    note = "convert numbers on one side, such as `lazy(&y).cast::<f64>()`",
    note = "of a complex and a real array, the complex one is on the left: `&z * &x`; for `-` and `/`, convert the real one: `lazy(&x).cast::<Complex<f32>>() - &z`"
)]
pub trait RightElement<Left>: Element + Sealed {
    /// The type itself. Where this is not implemented, rustc does not know it, and reports nothing else.
    #[doc(hidden)]
    type Item: Element;
}

impl<T: Num> RightElement<T> for T {
    type Item = T;
}

/// An element with `+`, `-`, `*` and `/`, where a single `Number` is on the left: of the same type, or a real and a complex one.
#[diagnostic::on_unimplemented(
    message = "a number of type `{Number}` has no arithmetic with arrays of `{Self}`",
    label = "the elements on the right are `{Self}`",
    note = "the number has the type of the elements, or one of them is complex and the other one real; convert elements with `cast`"
)]
pub trait RightOfNumber<Number>: Element + Sealed {
    /// The type of the results.
    type Output: Element;
    #[doc(hidden)]
    type Add: ArrayFunction<Args = (Number, Self), Output = Self::Output>;
    #[doc(hidden)]
    type Sub: ArrayFunction<Args = (Number, Self), Output = Self::Output>;
    #[doc(hidden)]
    type Mul: ArrayFunction<Args = (Number, Self), Output = Self::Output>;
    #[doc(hidden)]
    type Div: ArrayFunction<Args = (Number, Self), Output = Self::Output>;
}

impl<T: Num> RightOfNumber<T> for T {
    type Output = T;
    type Add = add::Function<T>;
    type Sub = sub::Function<T>;
    type Mul = mul::Function<T>;
    type Div = div::Function<T>;
}

/// An element that is equal to another or not: numbers, `bool`, and with the feature `complex`, complex numbers.
#[diagnostic::on_unimplemented(message = "elements of type `{Self}` cannot be compared", label = "not a number or `bool`")]
pub trait EqualElement: Element {
    #[doc(hidden)]
    type Equal: ArrayFunction<Args = (Self, Self), Output = bool>;
    #[doc(hidden)]
    type NotEqual: ArrayFunction<Args = (Self, Self), Output = bool>;
}

impl<T: Num> EqualElement for T {
    type Equal = equal::Function<T>;
    type NotEqual = not_equal::Function<T>;
}

impl EqualElement for bool {
    type Equal = of_bool::equal::Function;
    type NotEqual = of_bool::not_equal::Function;
}

#[allow(unreachable_pub, reason = "the types of the functions are those of the trait")]
mod of_bool {
    use crate::vectorize;

    #[vectorize]
    pub fn equal(a: bool, b: bool) -> bool {
        a == b
    }

    #[vectorize]
    pub fn not_equal(a: bool, b: bool) -> bool {
        a != b
    }
}

/// An element with a sign: signed numbers, and with the feature `complex`, complex numbers.
#[diagnostic::on_unimplemented(message = "`{Self}` has no sign", label = "not a signed number or a complex number")]
pub trait SignedElement: Element + Sealed {
    #[doc(hidden)]
    type Neg: ArrayFunction<Args = (Self,), Output = Self>;
    #[doc(hidden)]
    type Abs: ArrayFunction<Args = (Self,), Output: Element>;
}

impl<T: Signed> SignedElement for T {
    type Neg = neg::Function<T>;
    type Abs = abs::Function<T>;
}

/// An element with powers, roots and logarithms: floats, and with the feature `complex`, complex numbers.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a float or a complex number", label = "convert the elements with `cast`")]
pub trait ElementaryElement: Element + Sealed {
    #[doc(hidden)]
    type Recip: ArrayFunction<Args = (Self,), Output = Self>;
    #[doc(hidden)]
    type Sqrt: ArrayFunction<Args = (Self,), Output = Self>;
    #[doc(hidden)]
    type Exp: ArrayFunction<Args = (Self,), Output = Self>;
    #[doc(hidden)]
    type Ln: ArrayFunction<Args = (Self,), Output = Self>;
    #[doc(hidden)]
    type Powi: ArrayFunction<Args = (Self, i32), Output = Self>;
}

impl<T: Float> ElementaryElement for T {
    type Recip = recip::Function<T>;
    type Sqrt = sqrt::Function<T>;
    type Exp = exp::Function<T>;
    type Ln = ln::Function<T>;
    type Powi = powi::Function<T>;
}

/// An element with a variance: floats, and with the feature `complex`, complex numbers.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` have no variance",
    label = "not a float or a complex number",
    note = "convert the elements first, such as `array.cast::<f64>()`"
)]
pub trait VarianceElement: Summand<Sum: VarianceSum> {
    /// The type of the variance: a float.
    type Real: Float + Summand<Sum: Float>;
    /// The square of the distance from 0.
    #[doc(hidden)]
    type NormSqr: ArrayFunction<Args = (Self::Sum,), Output = <Self::Real as Summand>::Sum>;
}

impl<T: Float + Summand<Sum: Float + VarianceSum>> VarianceElement for T {
    type Real = T;
    type NormSqr = square::Function<T::Sum>;
}

/// In what a variance is computed: its mean has the same type.
#[doc(hidden)]
pub trait VarianceSum: Accumulator<Mean = Self> + ArithmeticElement<Output = Self> {}

impl<T: Accumulator<Mean = T> + ArithmeticElement<Output = T>> VarianceSum for T {}

/// A complex number, with the feature `complex`.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a complex number", label = "not `Complex<f32>` or `Complex<f64>`")]
pub trait ComplexElement: Element + Sealed {
    #[doc(hidden)]
    type Re: ArrayFunction<Args = (Self,), Output: Element>;
    #[doc(hidden)]
    type Im: ArrayFunction<Args = (Self,), Output: Element>;
    #[doc(hidden)]
    type NormSqr: ArrayFunction<Args = (Self,), Output: Element>;
    #[doc(hidden)]
    type Arg: ArrayFunction<Args = (Self,), Output: Element>;
    #[doc(hidden)]
    type Conj: ArrayFunction<Args = (Self,), Output = Self>;
}
