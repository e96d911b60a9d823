//! `+`, `-`, `*` and `/` between tiles, columns and numbers.

use super::{Column, Tile, TileElement};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Operands of an operator: two tiles, two columns, a tile and a column, and each of them and a number.
#[diagnostic::on_unimplemented(
    message = "no operator combines `{Self}` with `{Other}`",
    note = "operators combine tiles of one size and one type of elements, a tile and a column with as many rows, and either of them and a number"
)]
pub trait Combine<Other> {
    /// An element of both.
    type Element: TileElement;
    /// What has the results.
    type Output;

    #[doc(hidden)]
    fn combine(self, other: Other, operator: impl Fn(Self::Element, Self::Element) -> Self::Element) -> Self::Output;
}

impl<T: TileElement, const R: usize, const C: usize> Combine<&Tile<T, R, C>> for &Tile<T, R, C> {
    type Element = T;
    type Output = Tile<T, R, C>;

    fn combine(self, other: &Tile<T, R, C>, operator: impl Fn(T, T) -> T) -> Tile<T, R, C> {
        Tile { elements: self.elements.iter().zip(&other.elements).map(|(a, b)| operator(*a, *b)).collect() }
    }
}

impl<T: TileElement, const R: usize, const C: usize> Combine<&Column<T, R>> for &Tile<T, R, C> {
    type Element = T;
    type Output = Tile<T, R, C>;

    fn combine(self, other: &Column<T, R>, operator: impl Fn(T, T) -> T) -> Tile<T, R, C> {
        let rows = self.rows().zip(&other.elements);
        Tile { elements: rows.flat_map(|(row, b)| row.iter().map(|a| operator(*a, *b)).collect::<Vec<T>>()).collect() }
    }
}

impl<T: TileElement, const R: usize, const C: usize> Combine<&Tile<T, R, C>> for &Column<T, R> {
    type Element = T;
    type Output = Tile<T, R, C>;

    fn combine(self, other: &Tile<T, R, C>, operator: impl Fn(T, T) -> T) -> Tile<T, R, C> {
        other.combine(self, |b, a| operator(a, b))
    }
}

impl<T: TileElement, const R: usize> Combine<&Column<T, R>> for &Column<T, R> {
    type Element = T;
    type Output = Column<T, R>;

    fn combine(self, other: &Column<T, R>, operator: impl Fn(T, T) -> T) -> Column<T, R> {
        Column { elements: self.elements.iter().zip(&other.elements).map(|(a, b)| operator(*a, *b)).collect() }
    }
}

macro_rules! with_numbers {
    ($Type:ident<$($extent:ident),*>) => {
        impl<T: TileElement, $(const $extent: usize),*> Combine<T> for &$Type<T, $($extent),*> {
            type Element = T;
            type Output = $Type<T, $($extent),*>;

            fn combine(self, other: T, operator: impl Fn(T, T) -> T) -> $Type<T, $($extent),*> {
                $Type { elements: self.elements.iter().map(|a| operator(*a, other)).collect() }
            }
        }

        impl<T: TileElement, $(const $extent: usize),*> Combine<&$Type<T, $($extent),*>> for T {
            type Element = T;
            type Output = $Type<T, $($extent),*>;

            fn combine(self, other: &$Type<T, $($extent),*>, operator: impl Fn(T, T) -> T) -> $Type<T, $($extent),*> {
                $Type { elements: other.elements.iter().map(|b| operator(self, *b)).collect() }
            }
        }
    };
}

with_numbers!(Tile<R, C>);
with_numbers!(Column<R>);

/// The operators of values, as a kernel writes them.
macro_rules! operators {
    ($($Trait:ident $method:ident),*) => {$(
        operators!(@one $Trait $method, [R C], Tile<T, R, C>, Tile<T, R, C> => Tile<T, R, C>, &);
        operators!(@one $Trait $method, [R C], Tile<T, R, C>, Column<T, R> => Tile<T, R, C>, &);
        operators!(@one $Trait $method, [R C], Column<T, R>, Tile<T, R, C> => Tile<T, R, C>, &);
        operators!(@one $Trait $method, [R], Column<T, R>, Column<T, R> => Column<T, R>, &);
        operators!(@one $Trait $method, [R C], Tile<T, R, C>, T => Tile<T, R, C>,);
        operators!(@one $Trait $method, [R], Column<T, R>, T => Column<T, R>,);
    )*};
    (@one $Trait:ident $method:ident, [$($extent:ident)*], $A:ty, $B:ty => $Output:ty, $($borrow:tt)?) => {
        impl<T: TileElement, $(const $extent: usize),*> $Trait<$B> for $A {
            type Output = $Output;

            fn $method(self, other: $B) -> $Output {
                super::twin::$method(&self, $($borrow)? other)
            }
        }
    };
}

operators!(Add add, Sub sub, Mul mul, Div div);

/// The same with a number on the left.
macro_rules! numbers_on_the_left {
    ($T:ty: $($Trait:ident $method:ident),*) => {$(
        impl<const R: usize, const C: usize> $Trait<Tile<$T, R, C>> for $T {
            type Output = Tile<$T, R, C>;

            fn $method(self, other: Tile<$T, R, C>) -> Tile<$T, R, C> {
                super::twin::$method(self, &other)
            }
        }

        impl<const R: usize> $Trait<Column<$T, R>> for $T {
            type Output = Column<$T, R>;

            fn $method(self, other: Column<$T, R>) -> Column<$T, R> {
                super::twin::$method(self, &other)
            }
        }
    )*};
}

numbers_on_the_left!(f32: Add add, Sub sub, Mul mul, Div div);
numbers_on_the_left!(f64: Add add, Sub sub, Mul mul, Div div);
numbers_on_the_left!(i32: Add add, Sub sub, Mul mul);

impl<T: TileElement<Sum: Neg> + Neg<Output = T>, const R: usize, const C: usize> Neg for Tile<T, R, C> {
    type Output = Self;

    fn neg(self) -> Self {
        self.map(|element| -element)
    }
}
