//! What the twins of kernels call. Operands are borrowed: a kernel's values can be used again.

use super::elementwise::{Elements, try_map, try_map_at, try_zip};
use super::operators::Combine;
use super::{Column, Tile, TileElement};
use crate::backend::cpu::{Stop, View, ViewMut};
use crate::ops;
use crate::scalar::Num;

/// `tile`, whose type is the runtime's.
pub fn tile<T, const R: usize, const C: usize>(tile: Tile<T, R, C>) -> Tile<T, R, C> {
    tile
}

/// `column`, whose type is the runtime's.
pub fn column<T, const R: usize>(column: Column<T, R>) -> Column<T, R> {
    column
}

/// `view.tile::<R, C>(i, j)`
pub fn load<const R: usize, const C: usize, T: TileElement, const N: usize>(view: &View<'_, T, N>, index: [usize; N]) -> Tile<T, R, C> {
    super::view::load(view, index)
}

/// `view.tile_mut(i, j).store(tile)`
pub fn store<T: TileElement, const N: usize, const R: usize, const C: usize>(
    view: &mut ViewMut<'_, T, N>,
    index: [usize; N],
    tile: &Tile<T, R, C>,
) {
    super::view::store(view, index, tile);
}

/// `a.dot(b)`
pub fn dot<T: TileElement, const R: usize, const K: usize, const C: usize>(a: &Tile<T, R, K>, b: &Tile<T, K, C>) -> Tile<T::Sum, R, C> {
    let mut sum = Tile::zeros();
    sum.add_dot(a, b);
    sum
}

/// `sum += a.dot(b)`
pub fn add_dot<T: TileElement, const R: usize, const K: usize, const C: usize>(
    sum: &mut Tile<T::Sum, R, C>,
    a: &Tile<T, R, K>,
    b: &Tile<T, K, C>,
) {
    sum.add_dot(a, b);
}

/// `a.dot_tf32(b)`
pub fn dot_tf32<const R: usize, const K: usize, const C: usize>(a: &Tile<f32, R, K>, b: &Tile<f32, K, C>) -> Tile<f32, R, C> {
    let mut sum = Tile::zeros();
    sum.add_dot_tf32(a, b);
    sum
}

/// `sum += a.dot_tf32(b)`
pub fn add_dot_tf32<const R: usize, const K: usize, const C: usize>(sum: &mut Tile<f32, R, C>, a: &Tile<f32, R, K>, b: &Tile<f32, K, C>) {
    sum.add_dot_tf32(a, b);
}

/// `a + b`
pub fn add<A: Combine<B>, B>(a: A, b: B) -> A::Output {
    a.combine(b, ops::add)
}

/// `a - b`
pub fn sub<A: Combine<B>, B>(a: A, b: B) -> A::Output {
    a.combine(b, ops::sub)
}

/// `a * b`
pub fn mul<A: Combine<B>, B>(a: A, b: B) -> A::Output {
    a.combine(b, ops::mul)
}

/// `a / b` of floats.
pub fn div<A: Combine<B>, B>(a: A, b: B) -> A::Output {
    a.combine(b, |a, b| a / b)
}

/// `-a`
pub fn neg<A: Elements<Element: ops::Negate>>(a: &A) -> A::With<A::Element> {
    A::of(a.elements().iter().map(|element| ops::neg(*element)).collect())
}

/// `a.map(function)`
pub fn map<A: Elements, U: TileElement>(a: &A, function: impl Fn(A::Element) -> Result<U, Stop>) -> Result<A::With<U>, Stop> {
    try_map(a, function)
}

/// `a.zip(b, function)`
pub fn zip<A, B, U: TileElement>(a: &A, b: &B, function: impl Fn(A::Element, B::Element) -> Result<U, Stop>) -> Result<A::With<U>, Stop>
where
    A: Elements,
    B: Elements<With<A::Element> = A>,
{
    try_zip(a, b, function)
}

/// `a.map_at(function)`
pub fn map_at<T: TileElement, U: TileElement, const R: usize, const C: usize>(
    a: &Tile<T, R, C>,
    function: impl Fn(usize, usize, T) -> Result<U, Stop>,
) -> Result<Tile<U, R, C>, Stop> {
    try_map_at(a, function)
}

/// `a.cast::<U>()`
pub fn cast<U: TileElement, A: Elements>(a: &A) -> A::With<U> {
    A::of(a.elements().iter().map(|element| element.cast::<U>()).collect())
}

/// `a.transpose()`
pub fn transpose<T: TileElement, const R: usize, const C: usize>(a: &Tile<T, R, C>) -> Tile<T, C, R> {
    Tile::from_fn(|row, column| a.at(column, row))
}

/// `a.row_max()`
pub fn row_max<T: TileElement, const R: usize, const C: usize>(a: &Tile<T, R, C>) -> Column<T, R> {
    a.fold_rows(T::max)
}

/// `a.row_sum()`
pub fn row_sum<T: TileElement, const R: usize, const C: usize>(a: &Tile<T, R, C>) -> Column<T, R> {
    a.fold_rows(ops::add)
}
