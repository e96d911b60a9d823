//! Tiles of views: loads and stores.

use super::{Tile, TileElement};
use crate::backend::cpu::{View, ViewMut};

/// A tile of a [`ViewMut`], to be stored: `c.tile_mut(i, j).store(tile)`.
pub struct TileMut<'v, 'a, T, const N: usize = 2> {
    view: &'v mut ViewMut<'a, T, N>,
    index: [usize; N],
}

/// The position of the first element of a tile along an axis: `extent` for a tile outside.
fn first(index: usize, size: usize, extent: usize) -> usize {
    if index <= extent / size { index * size } else { extent }
}

/// What of a tile is in a view: the index of its first element, and the number of rows and columns.
struct Part<const N: usize> {
    first: [usize; N],
    rows: usize,
    columns: usize,
}

impl<const N: usize> Part<N> {
    /// Of the tile `index` of a view of that shape. The last two axes are those of tiles, the others count matrices.
    fn of<const R: usize, const C: usize>(shape: [usize; N], index: [usize; N]) -> Self {
        let (row, column) = (N - 2, N - 1);
        let mut start = index;
        start[row] = first(index[row], R, shape[row]);
        start[column] = first(index[column], C, shape[column]);
        let has_matrix = index[..row].iter().zip(shape).all(|(matrix, matrices)| *matrix < matrices);
        let rows = if has_matrix { R.min(shape[row] - start[row]) } else { 0 };
        Self { first: start, rows, columns: C.min(shape[column] - start[column]) }
    }

    fn index(&self, row: usize, column: usize) -> [usize; N] {
        let mut index = self.first;
        index[N - 2] += row;
        index[N - 1] += column;
        index
    }
}

/// The tile with this index, zero outside of the view.
pub(super) fn load<T: TileElement, const N: usize, const R: usize, const C: usize>(
    view: &View<'_, T, N>,
    index: [usize; N],
) -> Tile<T, R, C> {
    let part = Part::of::<R, C>(view.shape(), index);
    Tile::from_fn(|row, column| {
        let is_inside = row < part.rows && column < part.columns;
        // SAFETY: the part has so many rows and columns in the view.
        if is_inside { unsafe { *view.get_unchecked(part.index(row, column)) } } else { T::from_i32(0) }
    })
}

/// Writes the elements of `tile` that are in the view.
pub(super) fn store<T: TileElement, const N: usize, const R: usize, const C: usize>(
    view: &mut ViewMut<'_, T, N>,
    index: [usize; N],
    tile: &Tile<T, R, C>,
) {
    let part = Part::of::<R, C>(view.shape(), index);
    for row in 0..part.rows {
        for column in 0..part.columns {
            // SAFETY: the part has so many rows and columns in the view.
            unsafe { *view.get_unchecked_mut(part.index(row, column)) = tile.elements[row * C + column] };
        }
    }
}

macro_rules! number_of_tiles {
    ($View:ident) => {
        impl<T: TileElement, const N: usize> $View<'_, T, N> {
            /// How many tiles of `size` elements the view has along `axis`, the last of which may be outside in part.
            #[must_use]
            pub fn tiles(&self, axis: usize, size: usize) -> usize {
                self.shape()[axis].div_ceil(size)
            }
        }
    };
}

number_of_tiles!(View);
number_of_tiles!(ViewMut);

impl<T: TileElement> View<'_, T, 2> {
    /// The tile in row `i` and column `j` of the tiles of this size. Elements outside of the view are zero.
    #[must_use]
    pub fn tile<const R: usize, const C: usize>(&self, i: usize, j: usize) -> Tile<T, R, C> {
        load(self, [i, j])
    }
}

impl<T: TileElement> View<'_, T, 3> {
    /// The tile in row `i` and column `j` of the tiles of matrix `n`: the last two axes are those of the matrices.
    #[must_use]
    pub fn tile<const R: usize, const C: usize>(&self, n: usize, i: usize, j: usize) -> Tile<T, R, C> {
        load(self, [n, i, j])
    }
}

impl<T: TileElement, const R: usize, const C: usize> Tile<T, R, C> {
    /// The tile with its rows as columns. In a kernel, only a tile of a view has it: `a.tile::<64, 128>(k, i).transpose()`.
    #[must_use]
    pub fn transpose(self) -> Tile<T, C, R> {
        super::twin::transpose(&self)
    }
}

impl<'a, T: TileElement> ViewMut<'a, T, 2> {
    /// The tile in row `i` and column `j` of the tiles that have the size of what is stored there.
    pub fn tile_mut(&mut self, i: usize, j: usize) -> TileMut<'_, 'a, T> {
        TileMut { view: self, index: [i, j] }
    }
}

impl<'a, T: TileElement> ViewMut<'a, T, 3> {
    /// The tile in row `i` and column `j` of matrix `n`, of the tiles that have the size of what is stored there.
    pub fn tile_mut(&mut self, n: usize, i: usize, j: usize) -> TileMut<'_, 'a, T, 3> {
        TileMut { view: self, index: [n, i, j] }
    }
}

impl<T: TileElement, const N: usize> TileMut<'_, '_, T, N> {
    /// Writes the elements of `tile` that are in the view.
    pub fn store<const R: usize, const C: usize>(self, tile: Tile<T, R, C>) {
        store(self.view, self.index, &tile);
    }
}
