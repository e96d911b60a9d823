//! Products of matrices.

use super::{Tile, TileElement};
use crate::ops::{add, mul};

impl<T: TileElement, const R: usize, const K: usize> Tile<T, R, K> {
    /// The product of two matrices, whose sums are computed in [`TileElement::Sum`].
    ///
    /// The sum of an element begins with the first column. A GPU adds in another order: the difference is at most that of a sum of as many
    /// rounded products.
    #[must_use]
    pub fn dot<const C: usize>(self, other: Tile<T, K, C>) -> Tile<T::Sum, R, C> {
        let mut sum = Tile::zeros();
        sum.add_dot(&self, &other);
        sum
    }
}

impl<S: TileElement, const R: usize, const C: usize> Tile<S, R, C> {
    /// Adds the product of `a` and `b`, summand by summand.
    pub(super) fn add_dot<T: TileElement<Sum = S>, const K: usize>(&mut self, a: &Tile<T, R, K>, b: &Tile<T, K, C>) {
        let b: Vec<S> = b.elements.iter().map(|element| element.widen()).collect();
        for (sums, a) in self.elements.chunks_exact_mut(C).zip(a.rows()) {
            for (a, b) in a.iter().zip(b.chunks_exact(C)) {
                let a = a.widen();
                for (sum, b) in sums.iter_mut().zip(b) {
                    *sum = add(*sum, mul(a, *b));
                }
            }
        }
    }
}
