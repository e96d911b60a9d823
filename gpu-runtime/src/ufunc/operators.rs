//! Operators of arrays and lazy arrays: `&x * 2.0 + &y` makes one expression, as calls of [`functions`] do.
//!
//! The left operand has a type of this crate, whose element type determines the type of a literal on the right. For a number on the left,
//! there is one implementation for each number type, because Rust does not allow one implementation for all of them. Which function an
//! arithmetic operator calls follows from the types of both elements.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

use super::expression::{ArrayInput, OwnedInput, ScalarInput};
use super::operand::Operand;
use super::{Apply, Expression, IntoLazy, Lazy};
use crate::functions::{self, ArithmeticElement, RightOfNumber, SignedElement};
use crate::memory::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut};
use crate::ops::Bits;
use crate::scalar::{Integer, Num};
use crate::source::Element;

/// An arithmetic operator, which may have elements of two types: what is on the left, what that is in an expression, and its elements.
macro_rules! arithmetic {
    ($Trait:ident $method:ident [$($generics:tt)*] $Left:ty, $Input:ty, $Item:ty) => {
        impl<$($generics)*, R: Operand<$Item>> $Trait<R> for $Left
        where
            $Item: ArithmeticElement<R::Item>,
        {
            type Output = Lazy<Apply<<$Item as ArithmeticElement<R::Item>>::$Trait, ($Input, R::Expression)>>;

            fn $method(self, right: R) -> Self::Output {
                Lazy::new(Apply::new((IntoLazy::<$Item>::into_lazy(self).into_inner(), right.into_operand())))
            }
        }
    };
}

/// One operator of two arrays: what is on the left, what that is in an expression, and the elements on either side.
macro_rules! binary {
    ($Trait:ident $method:ident $function:ident [$($generics:tt)*] $Left:ty, $Input:ty, $Item:ty: $Bound:path, $RightItem:ty) => {
        impl<$($generics)*, R: IntoLazy<$RightItem>> $Trait<R> for $Left
        where
            $Item: $Bound,
        {
            type Output = Lazy<Apply<functions::$function::Function<$Item>, ($Input, R::Expression)>>;

            fn $method(self, right: R) -> Self::Output {
                functions::$function::map(self, right)
            }
        }
    };
}

/// An operator of one array, with its function.
macro_rules! unary {
    ($Trait:ident $method:ident $Function:ty: [$($generics:tt)*] $Array:ty, $Input:ty, $Item:ty: $Bound:path) => {
        impl<$($generics)*> $Trait for $Array
        where
            $Item: $Bound,
        {
            type Output = Lazy<Apply<$Function, ($Input,)>>;

            fn $method(self) -> Self::Output {
                Lazy::new(Apply::new((IntoLazy::<$Item>::into_lazy(self).into_inner(),)))
            }
        }
    };
}

/// All operators with this type on the left.
macro_rules! operators {
    ([$($generics:tt)*] $Left:ty, $Input:ty, $Item:ty) => {
        arithmetic! { Add add [$($generics)*] $Left, $Input, $Item }
        arithmetic! { Sub sub [$($generics)*] $Left, $Input, $Item }
        arithmetic! { Mul mul [$($generics)*] $Left, $Input, $Item }
        arithmetic! { Div div [$($generics)*] $Left, $Input, $Item }
        binary! { Rem rem rem [$($generics)*] $Left, $Input, $Item: Num, $Item }
        binary! { BitAnd bitand and [$($generics)*] $Left, $Input, $Item: Bits, $Item }
        binary! { BitOr bitor or [$($generics)*] $Left, $Input, $Item: Bits, $Item }
        binary! { BitXor bitxor xor [$($generics)*] $Left, $Input, $Item: Bits, $Item }
        binary! { Shl shl shl [$($generics)*] $Left, $Input, $Item: Integer, u32 }
        binary! { Shr shr shr [$($generics)*] $Left, $Input, $Item: Integer, u32 }
        unary! { Neg neg <$Item as SignedElement>::Neg: [$($generics)*] $Left, $Input, $Item: SignedElement }
        unary! { Not not functions::not::Function<$Item>: [$($generics)*] $Left, $Input, $Item: Bits }
    };
}

operators! { [E: Expression<Item: Element>] Lazy<E>, E, E::Item }
operators! { [E: Expression<Item: Element>] &Lazy<E>, E, E::Item }
operators! { ['a, T: Element] &'a DeviceArray<T>, ArrayInput<'a, T>, T }
operators! { ['a, T: Element] &'a mut DeviceArray<T>, ArrayInput<'a, T>, T }
operators! { [T: Element] DeviceArray<T>, OwnedInput<T>, T }
operators! { ['a, T: Element] DeviceView<'a, T>, ArrayInput<'a, T>, T }
operators! { ['a, T: Element] &DeviceView<'a, T>, ArrayInput<'a, T>, T }
operators! { ['a, T: Element] DeviceSlice<'a, T>, ArrayInput<'a, T>, T }
operators! { ['a, T: Element] &DeviceSlice<'a, T>, ArrayInput<'a, T>, T }
operators! { ['a, T: Element] &'a DeviceSliceMut<'_, T>, ArrayInput<'a, T>, T }
operators! { ['a, T: Element] &'a mut DeviceSliceMut<'_, T>, ArrayInput<'a, T>, T }
operators! { ['a, T: Element] &'a DeviceViewMut<'_, T>, ArrayInput<'a, T>, T }
operators! { ['a, T: Element] &'a mut DeviceViewMut<'_, T>, ArrayInput<'a, T>, T }

/// One operator with a number on the left: what is on the right, and its elements.
macro_rules! number_on_the_left {
    ($Trait:ident $method:ident $Number:ty, $Function:ty: [$($generics:tt)*] $Right:ty, $Input:ty, $Item:ty $(: $Bound:path)?) => {
        // Or these would be suggested for every `1 + 2.0` in the program.
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> $Trait<$Right> for $Number
        $(where
            $Item: $Bound,)?
        {
            type Output = Lazy<Apply<$Function, (ScalarInput<$Number>, $Input)>>;

            // Compiled where it is used: this crate has 500 of them.
            #[inline]
            fn $method(self, right: $Right) -> Self::Output {
                Lazy::new(Apply::new((ScalarInput(self), IntoLazy::<$Item>::into_lazy(right).into_inner())))
            }
        }
    };
}

/// The arithmetic operators with a number on the left.
macro_rules! arithmetic_on_the_left {
    (@right $Number:ty: [$($generics:tt)*] $Right:ty, $Input:ty, $Item:ty) => {
        arithmetic_on_the_left! { @each Add add, Sub sub, Mul mul, Div div; $Number: [$($generics)*] $Right, $Input, $Item }
    };
    (@each $($Trait:ident $method:ident),*; $Number:ty: $generics:tt $Right:ty, $Input:ty, $Item:ty) => {
        $(arithmetic_on_the_left! { @operator $Trait $method $Number: $generics $Right, $Input, $Item })*
    };
    (@operator $Trait:ident $method:ident $Number:ty: [$($generics:tt)*] $Right:ty, $Input:ty, $Item:ty) => {
        number_on_the_left! {
            $Trait $method $Number, <$Item as RightOfNumber<$Number>>::$Trait:
            [$($generics)*] $Right, $Input, $Item: RightOfNumber<$Number>
        }
    };
    ($($Number:ty)*) => {$(
        arithmetic_on_the_left! { @right $Number: [E: Expression<Item: Element>] Lazy<E>, E, E::Item }
        arithmetic_on_the_left! { @right $Number: [E: Expression<Item: Element>] &Lazy<E>, E, E::Item }
        arithmetic_on_the_left! { @right $Number: ['a, T: Element] &'a DeviceArray<T>, ArrayInput<'a, T>, T }
        arithmetic_on_the_left! { @right $Number: ['a, T: Element] &'a mut DeviceArray<T>, ArrayInput<'a, T>, T }
        arithmetic_on_the_left! { @right $Number: [T: Element] DeviceArray<T>, OwnedInput<T>, T }
        arithmetic_on_the_left! { @right $Number: ['a, T: Element] DeviceView<'a, T>, ArrayInput<'a, T>, T }
        arithmetic_on_the_left! { @right $Number: ['a, T: Element] &DeviceView<'a, T>, ArrayInput<'a, T>, T }
        arithmetic_on_the_left! { @right $Number: ['a, T: Element] DeviceSlice<'a, T>, ArrayInput<'a, T>, T }
        arithmetic_on_the_left! { @right $Number: ['a, T: Element] &DeviceSlice<'a, T>, ArrayInput<'a, T>, T }
    )*};
}

arithmetic_on_the_left! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 }
#[cfg(feature = "half")]
arithmetic_on_the_left! { half::f16 half::bf16 }
#[cfg(feature = "complex")]
arithmetic_on_the_left! { num_complex::Complex<f32> num_complex::Complex<f64> }

/// The remainder, with a number on the left.
macro_rules! remainder_on_the_left {
    (@right $Number:ty: [$($generics:tt)*] $Right:ty, $Input:ty) => {
        number_on_the_left! { Rem rem $Number, functions::rem::Function<$Number>: [$($generics)*] $Right, $Input, $Number }
    };
    ($($Number:ty)*) => {$(
        remainder_on_the_left! { @right $Number: [E: Expression<Item = $Number>] Lazy<E>, E }
        remainder_on_the_left! { @right $Number: [E: Expression<Item = $Number>] &Lazy<E>, E }
        remainder_on_the_left! { @right $Number: ['a] &'a DeviceArray<$Number>, ArrayInput<'a, $Number> }
        remainder_on_the_left! { @right $Number: [] DeviceArray<$Number>, OwnedInput<$Number> }
        remainder_on_the_left! { @right $Number: ['a] DeviceView<'a, $Number>, ArrayInput<'a, $Number> }
        remainder_on_the_left! { @right $Number: ['a] &DeviceView<'a, $Number>, ArrayInput<'a, $Number> }
        remainder_on_the_left! { @right $Number: ['a] DeviceSlice<'a, $Number>, ArrayInput<'a, $Number> }
        remainder_on_the_left! { @right $Number: ['a] &DeviceSlice<'a, $Number>, ArrayInput<'a, $Number> }
    )*};
}

remainder_on_the_left! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 }
#[cfg(feature = "half")]
remainder_on_the_left! { half::f16 half::bf16 }
