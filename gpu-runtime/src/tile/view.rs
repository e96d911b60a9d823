//! Tiles of views: loads and stores.

use super::{Tile, TileElement};
use crate::backend::cpu::{View, ViewMut};

/// A tile of a [`ViewMut`], to be stored: `c.tile_mut(i, j).store(tile)`.
pub struct TileMut<'v, 'a, T> {
    view: &'v mut ViewMut<'a, T, 2>,
    index: [usize; 2],
}

/// The position of the first element of a tile along an axis: `extent` for a tile outside.
fn first(index: usize, size: usize, extent: usize) -> usize {
    if index <= extent / size { index * size } else { extent }
}

impl<T: TileElement> View<'_, T, 2> {
    /// How many tiles of `size` elements the view has along `axis`, the last of which may be outside in part.
    #[must_use]
    pub fn tiles(&self, axis: usize, size: usize) -> usize {
        self.shape()[axis].div_ceil(size)
    }

    /// The tile in row `i` and column `j` of the tiles of this size. Elements outside of the view are zero.
    #[must_use]
    pub fn tile<const R: usize, const C: usize>(&self, i: usize, j: usize) -> Tile<T, R, C> {
        let [rows, columns] = self.shape();
        let (row, column) = (first(i, R, rows), first(j, C, columns));
        Tile::from_fn(|r, c| {
            let index = [row + r, column + c];
            // SAFETY: both are compared with the extents.
            if index[0] < rows && index[1] < columns { unsafe { *self.get_unchecked(index) } } else { T::from_i32(0) }
        })
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
    /// How many tiles of `size` elements the view has along `axis`, the last of which may be outside in part.
    #[must_use]
    pub fn tiles(&self, axis: usize, size: usize) -> usize {
        self.shape()[axis].div_ceil(size)
    }

    /// The tile in row `i` and column `j` of the tiles that have the size of what is stored there.
    pub fn tile_mut(&mut self, i: usize, j: usize) -> TileMut<'_, 'a, T> {
        TileMut { view: self, index: [i, j] }
    }
}

impl<T: TileElement> TileMut<'_, '_, T> {
    /// Writes the elements of `tile` that are in the view.
    pub fn store<const R: usize, const C: usize>(self, tile: Tile<T, R, C>) {
        store(self.view, self.index, &tile);
    }
}

/// Writes the elements of `tile` that are in the view.
pub(super) fn store<T: TileElement, const R: usize, const C: usize>(
    view: &mut ViewMut<'_, T, 2>,
    [i, j]: [usize; 2],
    tile: &Tile<T, R, C>,
) {
    let [rows, columns] = view.shape();
    let (row, column) = (first(i, R, rows), first(j, C, columns));
    for r in 0..R.min(rows - row) {
        for c in 0..C.min(columns - column) {
            // SAFETY: row + r is below `rows`, and column + c below `columns`.
            unsafe { *view.get_unchecked_mut([row + r, column + c]) = tile.elements[r * C + c] };
        }
    }
}
