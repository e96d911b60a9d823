//! From the elements of each row to one value.

use super::{Column, Tile, TileElement};
use crate::ops::add;

impl<T: TileElement, const R: usize, const C: usize> Tile<T, R, C> {
    /// The largest element of each row. A NaN is ignored unless there is nothing else.
    #[must_use]
    pub fn row_max(self) -> Column<T, R> {
        self.fold_rows(T::max)
    }

    /// The sum of each row, in the type of the elements: cast floats of 16 bits before.
    #[must_use]
    pub fn row_sum(self) -> Column<T, R> {
        self.fold_rows(add)
    }

    pub(super) fn fold_rows(&self, function: impl Fn(T, T) -> T) -> Column<T, R> {
        Column { elements: self.rows().map(|row| row[1..].iter().fold(row[0], |a, b| function(a, *b))).collect() }
    }
}
