//! The precision of activations and products: `f32` in TF32, or `bf16`. Sums are `f32` in both.

use gpu_runtime::prelude::*;
use gpu_runtime::{Element, Precision, Result, matmul_with};
use half::bf16;

use crate::kernels::attention::TiledAttention;

/// The type of activations.
pub trait Activation: Float + TiledAttention {
    /// The product of activations and weights.
    ///
    /// # Errors
    ///
    /// As for array functions.
    fn product<'v>(x: DeviceView<'v, Self>, w: DeviceView<'v, f32>) -> Result<impl ArrayLike<Item = f32, Expression: 'v>>;

    /// The product with the transposed weights, `x wᵀ`, as PyTorch's `linear`.
    ///
    /// # Errors
    ///
    /// As for array functions.
    fn linear<'v>(x: DeviceView<'v, Self>, w: DeviceView<'v, f32>) -> Result<impl ArrayLike<Item = f32, Expression: 'v>>;

    /// The gradient by the weights of `x wᵀ`, from the gradient by that: `gradientᵀ x`.
    ///
    /// # Errors
    ///
    /// As for array functions.
    fn by_weights(gradient: &DeviceArray<Self>, x: &DeviceArray<Self>) -> Result<DeviceArray<f32>>;
}

impl Activation for f32 {
    fn product<'v>(x: DeviceView<'v, f32>, w: DeviceView<'v, f32>) -> Result<impl ArrayLike<Item = f32, Expression: 'v>> {
        Ok(matmul_with(x, w, Precision::Tf32))
    }

    fn linear<'v>(x: DeviceView<'v, f32>, w: DeviceView<'v, f32>) -> Result<impl ArrayLike<Item = f32, Expression: 'v>> {
        Ok(matmul_with(x, w.t(), Precision::Tf32))
    }

    fn by_weights(gradient: &DeviceArray<f32>, x: &DeviceArray<f32>) -> Result<DeviceArray<f32>> {
        let ([rows, outputs], [_, inputs]) = (extents(gradient), extents(x));
        let parts = parts(outputs, inputs, |parts| rows.is_multiple_of(parts * DEPTH));
        let gradient = gradient.view().reshape([parts, rows / parts, outputs])?.swap_axes(1, 2);
        let products = gradient.matmul_with(x.view().reshape([parts, rows / parts, inputs])?, Precision::Tf32)?;
        if parts == 1 { products.reshape([outputs, inputs]) } else { products.sum_axis(0) }
    }
}

impl Activation for bf16 {
    fn product<'v>(x: DeviceView<'v, bf16>, w: DeviceView<'v, f32>) -> Result<impl ArrayLike<Item = f32, Expression: 'v>> {
        Ok(matmul(x, lazy(lazy(w).cast::<bf16>().collect()?)).cast::<f32>())
    }

    fn linear<'v>(x: DeviceView<'v, bf16>, w: DeviceView<'v, f32>) -> Result<impl ArrayLike<Item = f32, Expression: 'v>> {
        Ok(matmul(x, lazy(lazy(w).cast::<bf16>().collect()?).t()).cast::<f32>())
    }

    fn by_weights(gradient: &DeviceArray<bf16>, x: &DeviceArray<bf16>) -> Result<DeviceArray<f32>> {
        let ([rows, outputs], [_, inputs]) = (extents(gradient), extents(x));
        let parts = parts(outputs, inputs, |parts| rows >= parts * DEPTH);
        let mut sums = gradient.device().empty([parts, outputs, inputs])?;
        let grid = (inputs.div_ceil(COLUMNS), outputs.div_ceil(ROWS), parts);
        products_of_transposed(gradient, x, rows.div_ceil(parts * DEPTH), &mut sums).launch(grid, 256)?;
        if parts == 1 { sums.reshape([outputs, inputs]) } else { sums.sum_axis(0) }
    }
}

fn extents<T: Element>(matrix: &DeviceArray<T>) -> [usize; 2] {
    [matrix.shape()[0], matrix.shape()[1]]
}

/// The tile of the gradient by weights that a block computes, and the rows that it multiplies at a time.
const ROWS: usize = 128;
const COLUMNS: usize = 256;
const DEPTH: usize = 64;

/// `aᵀ b` in parts, each of so many steps: a sum over all tokens has few results.
#[gpu_kernel(block = 256)]
fn products_of_transposed(a: View<bf16, 2>, b: View<bf16, 2>, steps: usize, c: ViewMut<f32, 3>) {
    let (part, i, j) = (block_idx().z, block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, ROWS, COLUMNS>::zeros();
    for k in part * steps..((part + 1) * steps).min(a.tiles(0, DEPTH)) {
        sum += a.tile::<DEPTH, ROWS>(k, i).transpose().dot(b.tile::<DEPTH, COLUMNS>(k, j));
    }
    c.tile_mut(part, i, j).store(sum);
}

/// Into how many parts to divide the rows, of the numbers that are possible, so that the tiles of all parts keep the multiprocessors of a large GPU busy.
fn parts(outputs: usize, inputs: usize, is_possible: impl Fn(usize) -> bool) -> usize {
    const MULTIPROCESSORS: usize = 132;
    let tiles = outputs.div_ceil(ROWS) * inputs.div_ceil(COLUMNS);
    // Rounds of tiles at the speed of whole ones, and what each part costs more.
    let cost = |parts: usize| (tiles * parts).div_ceil(MULTIPROCESSORS) as f64 / parts as f64 * (1.0 + 0.02 * parts as f64);
    (1..=32).filter(|&parts| is_possible(parts)).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(1)
}
