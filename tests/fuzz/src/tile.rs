//! What plain Rust has for tiles, by plain loops.

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Neg, Sub};

use half::{bf16, f16};

use crate::plane::Plane;

/// An element of tiles.
pub(crate) trait Element:
    Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    type Sum: Element;
    fn to_f64(self) -> f64;
    fn from_f64(value: f64) -> Self;
}

macro_rules! elements {
    ($($T:ty, $Sum:ty, $to:expr, $from:expr;)*) => {$(
        impl Element for $T {
            type Sum = $Sum;

            fn to_f64(self) -> f64 {
                let to: fn($T) -> f64 = $to;
                to(self)
            }

            fn from_f64(value: f64) -> Self {
                let from: fn(f64) -> $T = $from;
                from(value)
            }
        }

        /// A number on the left.
        impl<const R: usize, const C: usize> Mul<Tile<$T, R, C>> for $T {
            type Output = Tile<$T, R, C>;

            fn mul(self, tile: Tile<$T, R, C>) -> Tile<$T, R, C> {
                tile.map(|element| self * element)
            }
        }
    )*};
}

elements! {
    f32, f32, f64::from, |value| value as f32;
    f64, f64, |value| value, |value| value;
    i8, i32, f64::from, |value| value as i8;
    i32, i32, f64::from, |value| value as i32;
    f16, f32, f16::to_f64, |value| f16::from_f32(to_odd(value));
    bf16, f32, bf16::to_f64, |value| bf16::from_f32(to_odd(value));
}

/// `value` as an `f32` whose last bit is one if it is not the same number, so that it can be rounded again. (`half` looks at the first 20 bits
/// of an `f64` only.)
fn to_odd(value: f64) -> f32 {
    let near = value as f32;
    let (back, bits) = (f64::from(near), near.to_bits());
    match back == value || bits % 2 == 1 || !near.is_finite() {
        true => near,
        false => f32::from_bits(if back.abs() < value.abs() { bits + 1 } else { bits - 1 }),
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Tile<T, const R: usize, const C: usize>([[T; C]; R]);

#[derive(Clone, Copy)]
pub(crate) struct Column<T, const R: usize>([T; R]);

impl<T: Element, const R: usize, const C: usize> Tile<T, R, C> {
    pub(crate) fn zeros() -> Self {
        Self([[T::from_f64(0.0); C]; R])
    }

    pub(crate) fn dot<const N: usize>(self, other: Tile<T, C, N>) -> Tile<T::Sum, R, N> {
        let product = |row: usize, k: usize, column: usize| T::Sum::from_f64(self.0[row][k].to_f64() * other.0[k][column].to_f64());
        Tile(from_fn(|row| from_fn(|column| (0..C).fold(T::Sum::from_f64(0.0), |sum, k| sum + product(row, k, column)))))
    }

    pub(crate) fn transpose(self) -> Tile<T, C, R> {
        Tile(from_fn(|row| from_fn(|column| self.0[column][row])))
    }

    pub(crate) fn map(self, function: impl Fn(T) -> T) -> Self {
        Self(self.0.map(|row| row.map(&function)))
    }

    pub(crate) fn zip(self, other: Self, function: impl Fn(T, T) -> T) -> Self {
        Self(from_fn(|row| from_fn(|column| function(self.0[row][column], other.0[row][column]))))
    }

    pub(crate) fn map_at(self, function: impl Fn(usize, usize, T) -> T) -> Self {
        Self(from_fn(|row| from_fn(|column| function(row, column, self.0[row][column]))))
    }

    pub(crate) fn cast<U: Element>(self) -> Tile<U, R, C> {
        Tile(self.0.map(|row| row.map(|element| U::from_f64(element.to_f64()))))
    }

    pub(crate) fn row_max(self) -> Column<T, R> {
        Column(self.0.map(|row| row.into_iter().reduce(|a, b| if a < b { b } else { a }).expect("a row has elements")))
    }

    pub(crate) fn row_sum(self) -> Column<T, R> {
        Column(self.0.map(|row| row.into_iter().reduce(|a, b| a + b).expect("a row has elements")))
    }

    fn with_column(self, column: Column<T, R>, function: impl Fn(T, T) -> T) -> Self {
        Self(from_fn(|row| self.0[row].map(|element| function(element, column.0[row]))))
    }
}

impl<T: Element, const R: usize, const C: usize> Neg for Tile<T, R, C> {
    type Output = Self;

    fn neg(self) -> Self {
        self.map(|element| -element)
    }
}

macro_rules! operators {
    ($($Trait:ident $method:ident $operator:tt [$($bound:ident)?];)*) => {$(
        impl<T: Element $(+ $bound<Output = T>)?, const R: usize, const C: usize> $Trait for Tile<T, R, C> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                self.zip(other, |a, b| a $operator b)
            }
        }

        impl<T: Element $(+ $bound<Output = T>)?, const R: usize, const C: usize> $Trait<T> for Tile<T, R, C> {
            type Output = Self;

            fn $method(self, other: T) -> Self {
                self.map(|a| a $operator other)
            }
        }

        impl<T: Element $(+ $bound<Output = T>)?, const R: usize, const C: usize> $Trait<Column<T, R>> for Tile<T, R, C> {
            type Output = Self;

            fn $method(self, other: Column<T, R>) -> Self {
                self.with_column(other, |a, b| a $operator b)
            }
        }

        impl<T: Element $(+ $bound<Output = T>)?, const R: usize, const C: usize> $Trait<Tile<T, R, C>> for Column<T, R> {
            type Output = Tile<T, R, C>;

            fn $method(self, other: Tile<T, R, C>) -> Tile<T, R, C> {
                other.with_column(self, |b, a| a $operator b)
            }
        }

        impl<T: Element $(+ $bound<Output = T>)?, const R: usize> $Trait<Self> for Column<T, R> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                Self(from_fn(|row| self.0[row] $operator other.0[row]))
            }
        }

        impl<T: Element $(+ $bound<Output = T>)?, const R: usize> $Trait<T> for Column<T, R> {
            type Output = Self;

            fn $method(self, other: T) -> Self {
                Self(self.0.map(|a| a $operator other))
            }
        }
    )*};
}

operators! {
    Add add + [];
    Sub sub - [];
    Mul mul * [];
    Div div / [Div];
}

impl<T: Element, const R: usize, const C: usize> std::ops::AddAssign for Tile<T, R, C> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<T: Element> Plane<'_, T> {
    pub(crate) fn tile<const R: usize, const C: usize>(&self, i: usize, j: usize) -> Tile<T, R, C> {
        let element = |row: usize, column: usize| match [i * R + row, j * C + column] {
            index if self.has(index) => *self.at(index),
            _ => T::from_f64(0.0),
        };
        Tile(from_fn(|row| from_fn(|column| element(row, column))))
    }

    pub(crate) fn tile_mut(&self, i: usize, j: usize) -> Place<'_, T> {
        Place { plane: self, index: [i, j] }
    }
}

/// Where a tile is stored.
pub(crate) struct Place<'a, T> {
    plane: &'a Plane<'a, T>,
    index: [usize; 2],
}

impl<T: Element> Place<'_, T> {
    pub(crate) fn store<const R: usize, const C: usize>(self, tile: Tile<T, R, C>) {
        let [i, j] = self.index;
        for (row, elements) in tile.0.into_iter().enumerate() {
            for (column, element) in elements.into_iter().enumerate() {
                let index = [i * R + row, j * C + column];
                if self.plane.has(index) {
                    *self.plane.at(index) = element;
                }
            }
        }
    }
}
