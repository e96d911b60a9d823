//! What is on the right of an operator of arrays.

use super::expression::{ArrayInput, HostInput, OwnedInput, ScalarInput};
use super::{Expression, IntoLazy, Lazy};
use crate::functions::RightElement;
use crate::memory::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut};
use crate::source::Element;

/// The right operand of `+`, `-`, `*` or `/` where the left one is an array of `Left`: an array or a number.
///
/// Its elements are of the type `Left`, or real where those are complex. Numbers are listed for each `Left`, so that rustc finds the type of a
/// literal, such as that of `&x * 2.0`, from the elements on the left.
#[diagnostic::on_unimplemented(
    message = "an operator of an array of `{Left}` takes arrays or numbers on the right, not `{Self}`",
    label = "not an array of `{Left}`, nor a number of that type",
    note = "write a number of type `{Left}`, or convert the array first: `lazy(&x).cast::<f64>() * 2.5`",
    note = "write a complex number on the left of a real array: `z * &x`",
    note = "pass an array as a reference, `&array`"
)]
pub trait Operand<Left: Element> {
    /// The type of its elements.
    type Item: Element;
    /// Its type in an expression.
    type Expression: Expression;

    /// The operand as an expression.
    fn into_operand(self) -> Self::Expression;
}

macro_rules! operands {
    ($([$($generics:tt)*] $Operand:ty as $Item:ty: $Expression:ty;)*) => {$(
        impl<$($generics)*, Left: Element> Operand<Left> for $Operand
        where
            $Item: RightElement<Left>,
        {
            type Item = <$Item as RightElement<Left>>::Item;
            type Expression = $Expression;

            fn into_operand(self) -> Self::Expression {
                IntoLazy::<$Item>::into_lazy(self).into_inner()
            }
        }
    )*};
}

operands! {
    [E: Expression<Item: Element>] Lazy<E> as E::Item: E;
    [E: Expression<Item: Element>] &Lazy<E> as E::Item: E;
    ['a, T: Element] &'a DeviceArray<T> as T: ArrayInput<'a, T>;
    ['a, T: Element] &'a mut DeviceArray<T> as T: ArrayInput<'a, T>;
    [T: Element] DeviceArray<T> as T: OwnedInput<T>;
    ['a, T: Element] DeviceView<'a, T> as T: ArrayInput<'a, T>;
    ['a, T: Element] &DeviceView<'a, T> as T: ArrayInput<'a, T>;
    ['a, T: Element] &'a DeviceViewMut<'_, T> as T: ArrayInput<'a, T>;
    ['a, T: Element] &'a mut DeviceViewMut<'_, T> as T: ArrayInput<'a, T>;
    ['a, T: Element] DeviceSlice<'a, T> as T: ArrayInput<'a, T>;
    ['a, T: Element] &DeviceSlice<'a, T> as T: ArrayInput<'a, T>;
    ['a, T: Element] &'a DeviceSliceMut<'_, T> as T: ArrayInput<'a, T>;
    ['a, T: Element] &'a mut DeviceSliceMut<'_, T> as T: ArrayInput<'a, T>;
    ['a, T: Element] &'a [T] as T: HostInput<'a, T>;
    ['a, T: Element, const N: usize] &'a [T; N] as T: HostInput<'a, T>;
    ['a, T: Element] &'a Vec<T> as T: HostInput<'a, T>;
}

#[cfg(feature = "ndarray")]
operands! {
    ['a, T: Element, S: ndarray::Data<Elem = T>, D: ndarray::Dimension] &'a ndarray::ArrayBase<S, D> as T: HostInput<'a, T>;
}

impl<T: Element> Operand<T> for T {
    type Item = T;
    type Expression = ScalarInput<T>;

    fn into_operand(self) -> ScalarInput<T> {
        ScalarInput(self)
    }
}

#[cfg(feature = "complex")]
macro_rules! numbers_beside_complex_ones {
    ($($Number:ty, $Left:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Operand<$Left> for $Number {
            type Item = $Number;
            type Expression = ScalarInput<$Number>;

            fn into_operand(self) -> ScalarInput<$Number> {
                ScalarInput(self)
            }
        }
    )*};
}

#[cfg(feature = "complex")]
numbers_beside_complex_ones! {
    f32, num_complex::Complex<f32>;
    f64, num_complex::Complex<f64>;
}
