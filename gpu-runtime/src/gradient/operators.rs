//! `+`, `-`, `*` and `/` of traced arrays, with arrays and numbers on either side.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::chain::Differentiable;
use super::traced::{Constant, IntoTraced, Real, Traced};
use crate::functions;
use crate::memory::{DeviceArray, DeviceView};
use crate::ufunc::{Apply, IntoLazy};

/// An operator with a traced array on the left.
macro_rules! traced_on_the_left {
    ($($Trait:ident $method:ident)*) => {$(
        traced_on_the_left! { @for Traced<'a, E>, $Trait $method }
        traced_on_the_left! { @for &Traced<'a, E>, $Trait $method }
    )*};
    (@for $Left:ty, $Trait:ident $method:ident) => {
        impl<'a, T: Real, E: Differentiable<'a, T, Item = T>, R: IntoTraced<'a, T>> $Trait<R> for $Left {
            type Output = Traced<'a, Apply<functions::$method::Function<T>, (E, R::Expression)>>;

            fn $method(self, right: R) -> Self::Output {
                Traced::new(Apply::new((self.expression.clone(), right.into_traced())))
            }
        }
    };
}

traced_on_the_left! { Add add Sub sub Mul mul Div div }

/// An operator with a constant on the left.
macro_rules! constant_on_the_left {
    ($($T:ident)*) => {$(
        constant_on_the_left! { @operators [] $T, $T }
        constant_on_the_left! { @operators ['c: 'a,] &'c DeviceArray<$T>, $T }
        constant_on_the_left! { @operators ['c: 'a,] DeviceView<'c, $T>, $T }
    )*};
    (@operators $generics:tt $Left:ty, $T:ident) => {
        constant_on_the_left! { @for $generics $Left, $T, Add add }
        constant_on_the_left! { @for $generics $Left, $T, Sub sub }
        constant_on_the_left! { @for $generics $Left, $T, Mul mul }
        constant_on_the_left! { @for $generics $Left, $T, Div div }
    };
    (@for $generics:tt $Left:ty, $T:ident, $Trait:ident $method:ident) => {
        constant_on_the_left! { @impl $generics $Left, Traced<'a, E>, $T, $Trait $method }
        constant_on_the_left! { @impl $generics $Left, &Traced<'a, E>, $T, $Trait $method }
    };
    (@impl [$($generics:tt)*] $Left:ty, $Right:ty, $T:ident, $Trait:ident $method:ident) => {
        #[diagnostic::do_not_recommend]
        impl<'a, $($generics)* E: Differentiable<'a, $T, Item = $T>> $Trait<$Right> for $Left {
            type Output =
                Traced<'a, Apply<functions::$method::Function<$T>, (Constant<<$Left as IntoLazy<$T>>::Expression>, E)>>;

            fn $method(self, right: $Right) -> Self::Output {
                let left = IntoLazy::<$T>::into_lazy(self).into_inner();
                Traced::new(Apply::new((Constant::new(left), right.expression.clone())))
            }
        }
    };
}

constant_on_the_left! { f32 f64 }

/// −x.
macro_rules! negated {
    ($($Array:ty)*) => {$(
        impl<'a, T: Real, E: Differentiable<'a, T, Item = T>> Neg for $Array {
            type Output = Traced<'a, Apply<functions::neg::Function<T>, (E,)>>;

            fn neg(self) -> Self::Output {
                Traced::new(Apply::new((self.expression.clone(),)))
            }
        }
    )*};
}

negated! { Traced<'a, E> &Traced<'a, E> }
