//! The [`functions`] as methods of arrays.

use super::array_like::give_to_arrays;
use super::{Apply, ArrayLike, CastElement, IntoLazy, Lazy};
use crate::functions::table::methods_of_numbers;
use crate::functions::{self, ComplexElement, ElementaryElement, EqualElement, SignedElement};
use crate::scalar::{Float, Integer, Num, Signed};
use crate::source::Element;

/// Methods of arrays of such elements that call the function of the same name, or the one after `as`.
macro_rules! methods {
    ($Bound:ident: $($(#[$doc:meta])* fn $name:ident $(as $function:ident)?($($arg:ident: $A:ident<$T:ty>),*);)*) => {$(
        methods! { @method $Bound $(#[$doc])* $name [$($function)? $name] ($($arg: $A<$T>),*) }
    )*};
    (@method $Bound:ident $(#[$doc:meta])* $name:ident [$function:ident $($rest:ident)?] ($($arg:ident: $A:ident<$T:ty>),*)) => {
        $(#[$doc])*
        fn $name<$($A: IntoLazy<$T>),*>(
            self $(, $arg: $A)*
        ) -> Lazy<Apply<functions::$function::Function<Self::Item>, (Self::Expression, $($A::Expression,)*)>>
        where
            Self::Item: $Bound,
        {
            functions::$function::map(self.lazy() $(, $arg)*)
        }
    };
}

/// Methods of arrays whose function depends on the kind of their elements: the type after `as`, of the trait.
macro_rules! of_elements {
    ($Trait:ident: $($(#[$doc:meta])* fn $name:ident as $Function:ident($($arg:ident: $A:ident<$T:ty>),*);)*) => {$(
        $(#[$doc])*
        #[allow(clippy::type_complexity, reason = "the type is the expression")]
        fn $name<$($A: IntoLazy<$T>),*>(
            self $(, $arg: $A)*
        ) -> Lazy<Apply<<Self::Item as $Trait>::$Function, (Self::Expression, $($A::Expression,)*)>>
        where
            Self::Item: $Trait,
        {
            Lazy::new(Apply::new((self.lazy().into_inner(), $($arg.into_lazy().into_inner(),)*)))
        }
    )*};
}

/// Methods of arrays for the rows of [`methods_of_numbers`].
macro_rules! rows {
    ($Bound:ident: $($(#[$doc:meta])* fn $name:ident($($arg:ident: $A:ident)?) -> $Out:tt;)*) => {$(
        rows! { @method $Bound $(#[$doc])* $name($($arg: $A)?) }
    )*};
    (@method $Bound:ident $(#[$doc:meta])* $name:ident($arg:ident: T)) => { methods! { $Bound: $(#[$doc])* fn $name($arg: A<Self::Item>); } };
    (@method $Bound:ident $(#[$doc:meta])* $name:ident($($arg:ident: $A:ident)?)) => { methods! { $Bound: $(#[$doc])* fn $name($($arg: A<$A>)?); } };
}

/// Functions of each element, as methods of arrays: NumPy's universal functions, under std's names.
///
/// They compute nothing themselves: each returns a larger expression. Arguments are arrays, lazy arrays or numbers, as for the
/// [`functions`] of these names. Arrays also have operators, such as `2.0 * &x + &y` and `!mask`.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let x = device.to_device(&[-2.0f32, 0.0, 3.0])?;
/// assert_eq!((&x * &x + 7.0).sqrt().floor().to_host()?, [3.0, 2.0, 4.0]);
/// assert_eq!(x.lt(0.0).select(0.0, &x).to_host()?, [0.0, 0.0, 3.0]);
/// assert_eq!((lazy(&[1u8, 2, 3]) << 1).cast::<f64>().on(&device).to_host()?, [2.0, 4.0, 6.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[allow(clippy::wrong_self_convention, reason = "the names are those of std, whose `self` is the number")]
pub trait Elementwise: ArrayLike {
    methods! {
        Num:
        /// The squares.
        fn square();
        /// The quotients of the Euclidean division, whose remainders are not negative.
        fn div_euclid(divisor: A<Self::Item>);
        /// The remainders of the Euclidean division, which are not negative.
        fn rem_euclid(divisor: A<Self::Item>);
        /// The smaller of two elements; for a number and NaN, the number (std: `min`, NumPy: `fmin`).
        fn min_with as min(other: A<Self::Item>);
        /// The larger of two elements; for a number and NaN, the number (std: `max`, NumPy: `fmax`).
        fn max_with as max(other: A<Self::Item>);
        /// The smaller of two elements, or NaN if one of them is (NumPy: `minimum`).
        fn minimum(other: A<Self::Item>);
        /// The larger of two elements, or NaN if one of them is (NumPy: `maximum`).
        fn maximum(other: A<Self::Item>);
        /// The closest numbers from `lowest` to `highest`. It fails if these are out of order.
        fn clamp(lowest: A<Self::Item>, highest: B<Self::Item>);
        /// Whether the elements are less than those of `other`.
        fn lt as less(other: A<Self::Item>);
        /// Whether the elements are less than or equal to those of `other`.
        fn le as less_equal(other: A<Self::Item>);
        /// Whether the elements are greater than those of `other`.
        fn gt as greater(other: A<Self::Item>);
        /// Whether the elements are greater than or equal to those of `other`.
        fn ge as greater_equal(other: A<Self::Item>);
    }

    of_elements! {
        EqualElement:
        /// Whether the elements equal those of `other`. NaN equals nothing.
        fn eq as Equal(other: A<Self::Item>);
        /// Whether the elements differ from those of `other`. NaN differs from everything.
        fn ne as NotEqual(other: A<Self::Item>);
    }

    methods! {
        Signed:
        /// The signs as std has them: −1, 0 or 1 of integers, −1, 1 or NaN of floats, of ±0.0 ±1.
        fn signum();
        /// The signs as NumPy has them: −1, 0 or 1, of −0.0 too, and NaN of NaN.
        fn sign();
    }

    of_elements! {
        SignedElement:
        /// The absolute values. Those of complex numbers are real (num-complex: `norm`).
        fn abs as Abs();
    }

    of_elements! {
        ElementaryElement:
        /// 1 / x.
        fn recip as Recip();
        /// The square roots; of negative floats NaN, of complex numbers the ones with a real part that is not negative.
        fn sqrt as Sqrt();
        /// eˣ.
        fn exp as Exp();
        /// The natural logarithms.
        fn ln as Ln();
        /// The elements to whole powers, by multiplication.
        fn powi as Powi(exponent: A<i32>);
    }

    of_elements! {
        ComplexElement:
        /// The real parts of complex numbers.
        fn re as Re();
        /// The imaginary parts of complex numbers.
        fn im as Im();
        /// The squares of the absolute values of complex numbers.
        fn norm_sqr as NormSqr();
        /// The angles of complex numbers in radians, from −π to π (NumPy: `angle`).
        fn arg as Arg();
        /// The complex conjugates.
        fn conj as Conj();
    }

    methods! {
        Float:
        /// The positive elements, and 0 for the others.
        fn relu();
        /// 1 / (1 + e⁻ˣ).
        fn sigmoid();
        /// x / (1 + e⁻ˣ), which is also called swish.
        fn silu();
        /// x times the probability that a standard normal variable is at most x.
        fn gelu();
        /// ln(1 + eˣ), without overflow.
        fn softplus();
        /// x · factor + summand with one rounding.
        fn mul_add(factor: A<Self::Item>, summand: B<Self::Item>);
        /// The elements with the signs of `sign`.
        fn copysign(sign: A<Self::Item>);
        /// Whether the elements are NaN.
        fn is_nan();
        /// Whether the elements are infinities.
        fn is_infinite();
        /// Whether the elements are neither infinities nor NaN.
        fn is_finite();
        /// Whether the sign bits are set, as in `-0.0`.
        fn is_sign_negative();
        /// The cube roots.
        fn cbrt();
        /// √(x² + other²).
        fn hypot(other: A<Self::Item>);
        /// The elements to powers.
        fn powf(exponent: A<Self::Item>);
        /// 2ˣ.
        fn exp2();
        /// eˣ − 1, exact near 0.
        fn exp_m1();
        /// The natural logarithms of 1 + x, exact near 0.
        fn ln_1p();
        /// The logarithms to base 2.
        fn log2();
        /// The logarithms to base 10.
        fn log10();
        /// The logarithms to this base.
        fn log(base: A<Self::Item>); // the natural logarithm: `x.ln()`
        /// The largest whole numbers that are not larger.
        fn floor();
        /// The smallest whole numbers that are not smaller.
        fn ceil();
        /// The closest whole numbers; half-way, the ones away from 0.
        fn round();
        /// The closest whole numbers; half-way, the even ones.
        fn round_ties_even();
        /// The whole parts.
        fn trunc();
        /// What is left without the whole parts.
        fn fract();
        /// The sines of angles in radians.
        fn sin();
        /// The cosines of angles in radians.
        fn cos();
        /// The sines and the cosines: two arrays.
        fn sin_cos();
        /// The tangents of angles in radians.
        fn tan();
        /// The arcsines; NaN outside `-1..=1`.
        fn asin();
        /// The arccosines; NaN outside `-1..=1`.
        fn acos();
        /// The arctangents.
        fn atan();
        /// The angles of the points (x, y), of which the elements are the y.
        fn atan2(x: A<Self::Item>);
        /// The hyperbolic sines.
        fn sinh();
        /// The hyperbolic cosines.
        fn cosh();
        /// The hyperbolic tangents.
        fn tanh();
        /// The inverse hyperbolic sines.
        fn asinh();
        /// The inverse hyperbolic cosines; NaN below 1.
        fn acosh();
        /// The inverse hyperbolic tangents.
        fn atanh();
        /// Radians as degrees.
        fn to_degrees();
        /// Degrees as radians.
        fn to_radians();
    }

    methods! {
        Integer:
        /// The elements to these powers. They wrap around.
        fn pow(exponent: A<u32>);
        /// How many bits are 1.
        fn count_ones();
        /// How many bits from the top are 0.
        fn leading_zeros();
        /// How many bits from the bottom are 0.
        fn trailing_zeros();
    }

    methods_of_numbers! { rows }

    /// The elements `as U` (NumPy: `astype`): a conversion from float to integer saturates, with 0 for NaN; a conversion from integer to
    /// integer keeps the low bits. `true` is 1, and a float becomes the real part of a complex number.
    fn cast<U: Element>(self) -> Lazy<<Self::Item as CastElement<U>>::Cast<Self::Expression>>
    where
        Self::Item: CastElement<U>,
    {
        Lazy::new(CastElement::cast(self.lazy().into_inner()))
    }

    /// The elements of `if_true` where the condition holds, and those of `if_false` otherwise (NumPy: `where`). Both are computed.
    #[allow(clippy::type_complexity, reason = "the type is the expression")]
    fn select<T: Element, A: IntoLazy<T>, B: IntoLazy<T>>(
        self,
        if_true: A,
        if_false: B,
    ) -> Lazy<Apply<functions::select::Function<T>, (Self::Expression, A::Expression, B::Expression)>>
    where
        Self: ArrayLike<Item = bool>,
    {
        functions::select::map(self.lazy(), if_true, if_false)
    }
}

give_to_arrays! { Elementwise }
