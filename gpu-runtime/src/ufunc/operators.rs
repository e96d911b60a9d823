//! Operators of arrays and lazy arrays: `&x * 2.0 + &y` makes one expression, as calls of [`functions`] do.
//!
//! The left operand has a type of this crate, whose element type determines the type of a literal on the right. For a number on the left,
//! there is one implementation for each number type, because Rust does not allow one implementation for all of them.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

use super::expression::{ArrayInput, OwnedInput, ScalarInput};
use super::{Apply, Expression, IntoLazy, Lazy};
use crate::functions;
use crate::memory::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut};
use crate::ops::Bits;
use crate::scalar::{Integer, Num, Signed};
use crate::source::Element;

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

macro_rules! unary {
    ($Trait:ident $method:ident [$($generics:tt)*] $Array:ty, $Input:ty, $Item:ty: $Bound:path) => {
        impl<$($generics)*> $Trait for $Array
        where
            $Item: $Bound,
        {
            type Output = Lazy<Apply<functions::$method::Function<$Item>, ($Input,)>>;

            fn $method(self) -> Self::Output {
                functions::$method::map(self)
            }
        }
    };
}

/// All operators with this type on the left.
macro_rules! operators {
    ([$($generics:tt)*] $Left:ty, $Input:ty, $Item:ty) => {
        binary! { Add add add [$($generics)*] $Left, $Input, $Item: Num, $Item }
        binary! { Sub sub sub [$($generics)*] $Left, $Input, $Item: Num, $Item }
        binary! { Mul mul mul [$($generics)*] $Left, $Input, $Item: Num, $Item }
        binary! { Div div div [$($generics)*] $Left, $Input, $Item: Num, $Item }
        binary! { Rem rem rem [$($generics)*] $Left, $Input, $Item: Num, $Item }
        binary! { BitAnd bitand and [$($generics)*] $Left, $Input, $Item: Bits, $Item }
        binary! { BitOr bitor or [$($generics)*] $Left, $Input, $Item: Bits, $Item }
        binary! { BitXor bitxor xor [$($generics)*] $Left, $Input, $Item: Bits, $Item }
        binary! { Shl shl shl [$($generics)*] $Left, $Input, $Item: Integer, u32 }
        binary! { Shr shr shr [$($generics)*] $Left, $Input, $Item: Integer, u32 }
        unary! { Neg neg [$($generics)*] $Left, $Input, $Item: Signed }
        unary! { Not not [$($generics)*] $Left, $Input, $Item: Bits }
    };
}

operators! { [E: Expression<Item: Element>] Lazy<E>, E, E::Item }
operators! { [E: Expression<Item: Element> + Clone] &Lazy<E>, E, E::Item }
operators! { ['a, T: Element] &'a DeviceArray<T>, ArrayInput<'a, T>, T }
operators! { [T: Element] DeviceArray<T>, OwnedInput<T>, T }
operators! { ['a, T: Element] DeviceView<'a, T>, ArrayInput<'a, T>, T }
operators! { ['a, T: Element] &DeviceView<'a, T>, ArrayInput<'a, T>, T }
operators! { ['a, T: Element] DeviceSlice<'a, T>, ArrayInput<'a, T>, T }
operators! { ['a, T: Element] &DeviceSlice<'a, T>, ArrayInput<'a, T>, T }
operators! { ['a, T: Element] &'a DeviceSliceMut<'_, T>, ArrayInput<'a, T>, T }
operators! { ['a, T: Element] &'a DeviceViewMut<'_, T>, ArrayInput<'a, T>, T }

/// One operator with a number on the left.
macro_rules! number_on_the_left {
    ($Trait:ident $method:ident [$($generics:tt)*] $Number:ty, $Right:ty, $Input:ty) => {
        // Or these would be suggested for every `1 + 2.0` in the program.
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> $Trait<$Right> for $Number {
            type Output = Lazy<Apply<functions::$method::Function<$Number>, (ScalarInput<$Number>, $Input)>>;

            // Compiled where it is used: this crate has 500 of them.
            #[inline]
            fn $method(self, right: $Right) -> Self::Output {
                functions::$method::map(self, right)
            }
        }
    };
}

macro_rules! numbers_on_the_left {
    (@right [$($generics:tt)*] $Number:ty, $Right:ty, $Input:ty) => {
        number_on_the_left! { Add add [$($generics)*] $Number, $Right, $Input }
        number_on_the_left! { Sub sub [$($generics)*] $Number, $Right, $Input }
        number_on_the_left! { Mul mul [$($generics)*] $Number, $Right, $Input }
        number_on_the_left! { Div div [$($generics)*] $Number, $Right, $Input }
        number_on_the_left! { Rem rem [$($generics)*] $Number, $Right, $Input }
    };
    ($($Number:ty)*) => {$(
        numbers_on_the_left! { @right [E: Expression<Item = $Number>] $Number, Lazy<E>, E }
        numbers_on_the_left! { @right [E: Expression<Item = $Number> + Clone] $Number, &Lazy<E>, E }
        numbers_on_the_left! { @right ['a] $Number, &'a DeviceArray<$Number>, ArrayInput<'a, $Number> }
        numbers_on_the_left! { @right [] $Number, DeviceArray<$Number>, OwnedInput<$Number> }
        numbers_on_the_left! { @right ['a] $Number, DeviceView<'a, $Number>, ArrayInput<'a, $Number> }
        numbers_on_the_left! { @right ['a] $Number, &DeviceView<'a, $Number>, ArrayInput<'a, $Number> }
        numbers_on_the_left! { @right ['a] $Number, DeviceSlice<'a, $Number>, ArrayInput<'a, $Number> }
        numbers_on_the_left! { @right ['a] $Number, &DeviceSlice<'a, $Number>, ArrayInput<'a, $Number> }
    )*};
}

numbers_on_the_left! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 }
