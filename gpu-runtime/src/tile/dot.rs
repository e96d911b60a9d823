//! Products of matrices.

use super::{Summand, Tile, TileElement};

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

impl<const R: usize, const K: usize> Tile<f32, R, K> {
    /// The product of two matrices of which tensor cores multiply *TF32*: `f32` with 10 bits after the point. The others are cut off.
    ///
    /// Triton has `tl.dot(a, b, input_precision="tf32")`, and PyTorch `torch.backends.cuda.matmul.allow_tf32`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let a = Tile::<f32, 16, 16>::splat(1.0 + 1.0 / 1024.0 + 1.0 / 4096.0);
    /// assert_eq!(a.dot_tf32(Tile::<f32, 16, 16>::splat(1.0)).at(0, 0), 16.0 + 1.0 / 64.0);
    /// ```
    #[must_use]
    pub fn dot_tf32<const C: usize>(self, other: Tile<f32, K, C>) -> Tile<f32, R, C> {
        self.map(to_tf32).dot(other.map(to_tf32))
    }
}

/// What tensor cores multiply of `x`.
fn to_tf32(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & 0xffff_e000)
}

impl<const R: usize, const C: usize> Tile<f32, R, C> {
    /// Adds the product of `a` and `b` in TF32.
    pub(super) fn add_dot_tf32<const K: usize>(&mut self, a: &Tile<f32, R, K>, b: &Tile<f32, K, C>) {
        let cut = |tile: &[f32]| tile.iter().map(|x| to_tf32(*x)).collect();
        self.add_dot(&Tile::<f32, R, K> { elements: cut(&a.elements) }, &Tile::<f32, K, C> { elements: cut(&b.elements) });
    }
}

impl<S: Summand, const R: usize, const C: usize> Tile<S, R, C> {
    /// Adds the product of `a` and `b`, summand by summand.
    pub(super) fn add_dot<T: TileElement<Sum = S>, const K: usize>(&mut self, a: &Tile<T, R, K>, b: &Tile<T, K, C>) {
        let b: Vec<S> = b.elements.iter().map(|element| element.widen()).collect();
        for (sums, a) in self.elements.chunks_exact_mut(C).zip(a.rows()) {
            for (a, b) in a.iter().zip(b.chunks_exact(C)) {
                S::add_products(sums, a.widen(), b);
            }
        }
    }
}
