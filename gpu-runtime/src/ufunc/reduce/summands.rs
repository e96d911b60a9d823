//! The elements of the ready-made reductions, and in which type each is summed.

use crate::Result;
use crate::functions::ArithmeticElement;
#[cfg(feature = "half")]
use crate::functions::cast;
use crate::memory::DeviceArray;
use crate::ops::arithmetic::sealed::Sealed;
use crate::scalar::Num;
use crate::source::Element;
#[cfg(feature = "half")]
use crate::ufunc::Apply;
use crate::ufunc::{Expression, Lazy};

/// An element that can be added and multiplied: a number, and with the feature `complex`, a complex number.
#[diagnostic::on_unimplemented(
    message = "this reduction does not support elements of type `{Self}`",
    label = "not a number or a complex number",
    note = "count truth values with `count`; convert other elements first, such as `array.cast::<f32>()`"
)]
pub trait Summand: Element + Sealed {
    /// In what their sums and products are computed, and rounded once: `f32` for `f16` and `bf16`, the type itself for all others.
    type Sum: Accumulator;
    /// What the mean of such elements is: `f64` for integers, the type itself for floats and complex numbers.
    type Mean: Summand<Sum = <Self::Sum as Accumulator>::Mean>;
    #[doc(hidden)]
    type Widened<E: Expression<Item = Self>>: Expression<Item = Self::Sum>;
    /// The elements, as their sums have them.
    #[doc(hidden)]
    fn widened<E: Expression<Item = Self>>(elements: Lazy<E>) -> Lazy<Self::Widened<E>>;
    /// What the result is for a sum.
    #[doc(hidden)]
    fn rounded(sum: Self::Sum) -> Self;
    /// The same for each of several.
    #[doc(hidden)]
    fn rounded_elements(sums: DeviceArray<Self::Sum>) -> Result<DeviceArray<Self>>;
}

/// A type in which sums and products are computed: integers, `f32`, `f64`, and with the feature `complex`, complex numbers.
#[diagnostic::on_unimplemented(
    message = "this reduction does not support elements of type `{Self}`",
    label = "not a number or a complex number",
    note = "count truth values with `count`; convert other elements first, such as `array.cast::<f32>()`"
)]
pub trait Accumulator: Element + Sealed {
    #[doc(hidden)]
    const ZERO: Self;
    #[doc(hidden)]
    const ONE: Self;
    /// `self + other`, wrapping around.
    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    /// `self * other`, wrapping around.
    #[doc(hidden)]
    fn times(self, other: Self) -> Self;
    /// In what means of such elements are computed.
    type Mean: Accumulator<Mean = Self::Mean, Count = Self::Count> + ArithmeticElement<Self::Count, Output = Self::Mean>;
    /// What a sum is divided by: a float.
    #[doc(hidden)]
    type Count: Element;
    #[doc(hidden)]
    fn to_mean(self) -> Self::Mean;
    /// A number of elements, to divide by.
    #[doc(hidden)]
    fn count(elements: usize) -> Self::Count;
    #[doc(hidden)]
    fn divide(sum: Self::Mean, count: Self::Count) -> Self::Mean;
}

impl<T: Accumulator> Summand for T {
    type Sum = T;
    type Mean = T::Mean;
    type Widened<E: Expression<Item = T>> = E;

    fn widened<E: Expression<Item = T>>(elements: Lazy<E>) -> Lazy<E> {
        elements
    }

    fn rounded(sum: T) -> T {
        sum
    }

    fn rounded_elements(sums: DeviceArray<T>) -> Result<DeviceArray<T>> {
        Ok(sums)
    }
}

/// Floats that are too short to be summed: `short as wide`.
#[cfg(feature = "half")]
macro_rules! short_floats {
    ($($T:ty as $Wide:ty;)*) => {$(
        impl Summand for $T {
            type Sum = $Wide;
            type Mean = $T;
            type Widened<E: Expression<Item = $T>> = Apply<cast::Function<$T, $Wide>, (E,)>;

            fn widened<E: Expression<Item = $T>>(elements: Lazy<E>) -> Lazy<Self::Widened<E>> {
                Lazy::new(Apply::new((elements.into_inner(),)))
            }

            fn rounded(sum: $Wide) -> $T {
                sum.cast()
            }

            #[track_caller]
            fn rounded_elements(sums: DeviceArray<$Wide>) -> Result<DeviceArray<$T>> {
                cast::map::<$Wide, $T, _>(sums).collect()
            }
        }

        impl Number for $T {
            #[inline(always)]
            fn is_not_a_number(self) -> bool {
                self.is_nan()
            }
        }
    )*};
}

#[cfg(feature = "half")]
short_floats! {
    half::f16 as f32;
    half::bf16 as f32;
}

/// A number: every [`Element`] but `bool` and complex numbers.
#[diagnostic::on_unimplemented(
    message = "this reduction does not support elements of type `{Self}`",
    label = "not an integer or a float",
    note = "convert the elements first, such as `array.cast::<f32>()`"
)]
pub trait Number: Num + Summand<Sum: Num> {
    #[doc(hidden)]
    fn is_not_a_number(self) -> bool;
}

macro_rules! integers {
    ($($T:ident)*) => {
        $(
            impl Accumulator for $T {
                const ZERO: Self = 0;
                const ONE: Self = 1;

                #[inline(always)]
                fn plus(self, other: Self) -> Self {
                    self.wrapping_add(other)
                }

                #[inline(always)]
                fn times(self, other: Self) -> Self {
                    self.wrapping_mul(other)
                }

                type Mean = f64;
                type Count = f64;

                #[inline(always)]
                fn to_mean(self) -> f64 {
                    self as f64
                }

                fn count(elements: usize) -> f64 {
                    elements as f64
                }

                #[inline(always)]
                fn divide(sum: f64, count: f64) -> f64 {
                    sum / count
                }
            }

            impl Number for $T {
                #[inline(always)]
                fn is_not_a_number(self) -> bool {
                    false
                }
            }
        )*
    };
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! accumulators {
    ($($T:ty, $Count:ty: $zero:expr, $one:expr)*) => {
        $(
            impl Accumulator for $T {
                const ZERO: Self = $zero;
                const ONE: Self = $one;

                #[inline(always)]
                fn plus(self, other: Self) -> Self {
                    self + other
                }

                #[inline(always)]
                fn times(self, other: Self) -> Self {
                    self * other
                }

                type Mean = $T;
                type Count = $Count;

                #[inline(always)]
                fn to_mean(self) -> $T {
                    self
                }

                fn count(elements: usize) -> $Count {
                    elements as $Count
                }

                #[inline(always)]
                fn divide(sum: $T, count: $Count) -> $T {
                    sum / count
                }
            }
        )*
    };
}

#[cfg(feature = "complex")]
accumulators! {
    num_complex::Complex<f32>, f32: num_complex::Complex::ZERO, num_complex::Complex::ONE
    num_complex::Complex<f64>, f64: num_complex::Complex::ZERO, num_complex::Complex::ONE
}

macro_rules! floats {
    ($($T:ident)*) => {
        $(
            accumulators! { $T, $T: 0.0, 1.0 }

            impl Number for $T {
                #[inline(always)]
                fn is_not_a_number(self) -> bool {
                    self.is_nan()
                }
            }
        )*
    };
}

floats!(f32 f64);

/// `bool`: the bound of functions of truth values.
pub trait Flag: Element + Sealed + Into<bool> + From<bool> {}

impl Flag for bool {}
