//! Causal attention by tiles, in which the scores of all positions are never in memory, and its gradient.
//!
//! A row of `qkv` has queries, keys and values of all heads for one position, so a tile of a head's elements for some positions is a tile of this
//! matrix. With `L`, the logarithm of each row's total, which attention keeps, and `D`, the sum of the products of a row of the result and its
//! gradient `G`, the gradients are
//!
//! ```text
//! P = 2^(q kᵀ · scale - L)       S = P (G vᵀ - D)
//! by v: Pᵀ G      by k: Sᵀ q      by q: S k
//! ```
//!
//! A block computes those by queries from all keys before them, another one those by keys and values from all queries after them: no two blocks add to
//! one element, so the result is the same each time.

use std::f32::consts::LOG2_E;

use gpu_runtime::Result;
use gpu_runtime::prelude::*;
use half::bf16;

/// How rows are positions of sequences.
#[derive(Clone, Copy)]
pub struct Sequences {
    pub heads: usize,
    pub length: usize,
}

/// What attention returns.
pub struct Attended<T> {
    pub out: DeviceArray<T>,
    /// `L` of each position and head, in all elements of the row of a narrow tile.
    totals: DeviceArray<f32>,
}

/// Positions of a tile: of queries, and of keys.
const ROWS: usize = 64;
/// Columns of the narrowest tile.
const NARROW: usize = 16;

/// Where a kernel computes.
#[derive(Clone, Copy)]
pub struct Place {
    /// Heads, which are the tiles of queries in a row of `qkv`.
    heads: usize,
    /// Tiles of positions in each sequence.
    steps: usize,
    scale: f32,
}

/// Activations whose tiles tensor cores multiply.
pub trait TiledAttention: Float {
    #[doc(hidden)]
    fn forward<const SIZE: usize>(
        qkv: &DeviceArray<Self>,
        place: Place,
        out: &mut DeviceArray<Self>,
        totals: &mut DeviceArray<f32>,
    ) -> Result<()>;

    #[doc(hidden)]
    fn backward<const SIZE: usize>(
        qkv: &DeviceArray<Self>,
        attended: &Attended<Self>,
        gradient: &DeviceArray<Self>,
        place: Place,
        by_qkv: &mut DeviceArray<Self>,
    ) -> Result<()>;
}

/// The kernels for a type, its product, and how many steps of a loop are in shared memory: 32 bits have room for one, so that blocks share a multiprocessor.
macro_rules! attention {
    ($T:ty, $dot:ident, $stages:literal, $forward:ident, $by_queries:ident, $by_keys:ident) => {
        #[gpu_kernel(block = 128, stages = $stages, fast_math = true)]
        fn $forward<const SIZE: usize>(
            qkv: View<$T, 2>,
            heads: usize,
            steps: usize,
            scale: f32,
            out: ViewMut<$T, 2>,
            totals: ViewMut<f32, 2>,
        ) {
            // The longest rows first, so that no block is left alone with them.
            let (head, i) = (block_idx().x, grid_dim().y - 1 - block_idx().y);
            let first = i / steps * steps;
            let query = qkv.tile::<ROWS, SIZE>(i, head);
            let mut largest = Column::<f32, ROWS>::splat(f32::NEG_INFINITY);
            let mut total = Column::<f32, ROWS>::zeros();
            let mut sum = Tile::<f32, ROWS, SIZE>::zeros();
            for j in first..i + 1 {
                let scores = query.$dot(qkv.tile::<ROWS, SIZE>(j, heads + head).transpose());
                let scores = scores.map_at(|q, k, x| if j < i || k <= q { x } else { f32::NEG_INFINITY });
                let larger = largest.zip(scores.row_max() * scale, |a, b| a.max(b));
                let weights = (scores * scale - larger).map(|x| x.exp2());
                let kept = (largest - larger).map(|x| x.exp2());
                total = total * kept + weights.row_sum();
                sum *= kept;
                sum += weights.cast::<$T>().$dot(qkv.tile::<ROWS, SIZE>(j, 2 * heads + head));
                largest = larger;
            }
            out.tile_mut(i, head).store((sum / total).cast::<$T>());
            totals.tile_mut(i, head).store(Tile::<f32, ROWS, NARROW>::zeros() + (largest + total.map(|x| x.log2())));
        }

        /// The gradient by queries, and `D`.
        #[gpu_kernel(block = 128, stages = $stages, fast_math = true)]
        #[allow(clippy::too_many_arguments)]
        fn $by_queries<const SIZE: usize>(
            qkv: View<$T, 2>,
            out: View<$T, 2>,
            totals: View<f32, 2>,
            gradient: View<$T, 2>,
            heads: usize,
            steps: usize,
            scale: f32,
            products: ViewMut<f32, 2>,
            by_queries: ViewMut<$T, 2>,
        ) {
            let (head, i) = (block_idx().x, grid_dim().y - 1 - block_idx().y);
            let first = i / steps * steps;
            let query = qkv.tile::<ROWS, SIZE>(i, head);
            let slopes_of_out = gradient.tile::<ROWS, SIZE>(i, head);
            let total = totals.tile::<ROWS, NARROW>(i, head).row_max();
            let product = (gradient.tile::<ROWS, SIZE>(i, head).cast::<f32>() * out.tile::<ROWS, SIZE>(i, head).cast::<f32>()).row_sum();
            let mut sum = Tile::<f32, ROWS, SIZE>::zeros();
            for j in first..i + 1 {
                let scores = query.$dot(qkv.tile::<ROWS, SIZE>(j, heads + head).transpose());
                let slopes = slopes_of_out.$dot(qkv.tile::<ROWS, SIZE>(j, 2 * heads + head).transpose());
                let scores = scores * (scale * LOG2_E) - total;
                let weights = scores.map_at(|q, k, x| {
                    let weight = x.exp2();
                    if j < i || k <= q { weight } else { 0.0 }
                });
                sum += ((slopes - product) * weights).cast::<$T>().$dot(qkv.tile::<ROWS, SIZE>(j, heads + head));
            }
            products.tile_mut(i, head).store(Tile::<f32, ROWS, NARROW>::zeros() + product);
            by_queries.tile_mut(i, head).store((sum * scale).cast::<$T>());
        }

        /// The gradients by keys and values. `totals` and `products` have matrices of equal rows for the heads.
        #[gpu_kernel(block = 128, stages = $stages, fast_math = true)]
        #[allow(clippy::too_many_arguments)]
        fn $by_keys<const SIZE: usize>(
            qkv: View<$T, 2>,
            gradient: View<$T, 2>,
            totals: View<f32, 3>,
            products: View<f32, 3>,
            heads: usize,
            steps: usize,
            scale: f32,
            by_keys: ViewMut<$T, 2>,
            by_values: ViewMut<$T, 2>,
        ) {
            let (head, j) = (block_idx().x, block_idx().y);
            let end = (j / steps + 1) * steps;
            let key = qkv.tile::<ROWS, SIZE>(j, heads + head);
            let value = qkv.tile::<ROWS, SIZE>(j, 2 * heads + head);
            let mut by_key = Tile::<f32, ROWS, SIZE>::zeros();
            let mut by_value = Tile::<f32, ROWS, SIZE>::zeros();
            for i in j..end {
                let scores = key.$dot(qkv.tile::<ROWS, SIZE>(i, head).transpose());
                let slopes = value.$dot(gradient.tile::<ROWS, SIZE>(i, head).transpose());
                let scores = scores * (scale * LOG2_E) - totals.tile::<ROWS, ROWS>(head, 0, i);
                let weights = scores.map_at(|k, q, x| {
                    let weight = x.exp2();
                    if i > j || k <= q { weight } else { 0.0 }
                });
                by_value += weights.cast::<$T>().$dot(gradient.tile::<ROWS, SIZE>(i, head));
                let slopes = slopes - products.tile::<ROWS, ROWS>(head, 0, i);
                by_key += (slopes * weights).cast::<$T>().$dot(qkv.tile::<ROWS, SIZE>(i, head));
            }
            by_keys.tile_mut(j, head).store((by_key * scale).cast::<$T>());
            by_values.tile_mut(j, head).store(by_value.cast::<$T>());
        }

        impl TiledAttention for $T {
            fn forward<const SIZE: usize>(
                qkv: &DeviceArray<Self>,
                Place { heads, steps, scale }: Place,
                out: &mut DeviceArray<Self>,
                totals: &mut DeviceArray<f32>,
            ) -> Result<()> {
                let grid = (heads, qkv.shape()[0] / ROWS);
                $forward::<SIZE>(qkv, heads, steps, scale * LOG2_E, out, totals).launch(grid, 128)
            }

            fn backward<const SIZE: usize>(
                qkv: &DeviceArray<Self>,
                Attended { out, totals }: &Attended<Self>,
                gradient: &DeviceArray<Self>,
                Place { heads, steps, scale }: Place,
                by_qkv: &mut DeviceArray<Self>,
            ) -> Result<()> {
                let (grid, width) = ((heads, qkv.shape()[0] / ROWS), heads * SIZE);
                let (by_queries, by_others) = by_qkv.view_mut().split_at(1, width);
                let (by_keys, by_values) = by_others.split_at(1, width);
                let mut products = qkv.device().empty(totals.shape())?;
                $by_queries::<SIZE>(qkv, out, totals, gradient, heads, steps, scale, &mut products, by_queries).launch(grid, 128)?;
                let (totals, products) = (of_heads(totals)?, of_heads(&products)?);
                let (totals, products) = (in_equal_rows(&totals)?, in_equal_rows(&products)?);
                $by_keys::<SIZE>(qkv, gradient, totals, products, heads, steps, scale, by_keys, by_values).launch(grid, 128)
            }
        }
    };
}

attention!(f32, dot_tf32, 1, forward_tf32, by_queries_tf32, by_keys_tf32);
attention!(bf16, dot, 2, forward_bf16, by_queries_bf16, by_keys_bf16);

/// One element of each row of narrow tiles, with a row for each head.
fn of_heads(narrow: &DeviceArray<f32>) -> Result<DeviceArray<f32>> {
    let heads = narrow.shape()[1] / NARROW;
    let elements = narrow.view().reshape([narrow.shape()[0], heads, NARROW])?.index_axis(2, 0);
    lazy(elements.t()).collect()
}

/// For each row, a matrix whose rows are all that one.
fn in_equal_rows(rows: &DeviceArray<f32>) -> Result<DeviceView<'_, f32>> {
    let [count, length] = [0, 1].map(|axis| rows.shape()[axis]);
    rows.view().insert_axis(1).broadcast_to([count, ROWS, length])
}

/// Where the kernels compute, and the elements of a head.
fn place<T: TiledAttention>(qkv: &DeviceArray<T>, Sequences { heads, length }: Sequences) -> (Place, usize) {
    assert!(length.is_multiple_of(ROWS), "sequences have a multiple of {ROWS} positions, not {length}");
    let size = qkv.shape()[1] / 3 / heads;
    assert_eq!(qkv.shape()[1], 3 * heads * size, "heads of equal size");
    (Place { heads, steps: length / ROWS, scale: 1.0 / (size as f32).sqrt() }, size)
}

/// Attention of each position to itself and to those before it in its sequence.
///
/// # Errors
///
/// As for launches.
///
/// # Panics
///
/// If there are no tiles of these sizes.
pub fn attend<T: TiledAttention>(qkv: &DeviceArray<T>, sequences: Sequences) -> Result<Attended<T>> {
    let (rows, width) = (qkv.shape()[0], qkv.shape()[1] / 3);
    let (mut out, mut totals) = (qkv.device().empty([rows, width])?, qkv.device().empty([rows, sequences.heads * NARROW])?);
    match place(qkv, sequences) {
        (place, 64) => T::forward::<64>(qkv, place, &mut out, &mut totals)?,
        // For tests.
        (place, 16) => T::forward::<16>(qkv, place, &mut out, &mut totals)?,
        (_, size) => panic!("heads have 64 elements, not {size}"),
    }
    Ok(Attended { out, totals })
}

/// The gradient by queries, keys and values.
///
/// # Errors
///
/// As for launches.
///
/// # Panics
///
/// As [`attend`].
pub fn attend_back<T: TiledAttention>(
    qkv: &DeviceArray<T>,
    attended: &Attended<T>,
    gradient: &DeviceArray<T>,
    sequences: Sequences,
) -> Result<DeviceArray<T>> {
    let mut by_qkv = qkv.device().empty(qkv.shape())?;
    match place(qkv, sequences) {
        (place, 64) => T::backward::<64>(qkv, attended, gradient, place, &mut by_qkv)?,
        (place, 16) => T::backward::<16>(qkv, attended, gradient, place, &mut by_qkv)?,
        (_, size) => panic!("heads have 64 elements, not {size}"),
    }
    Ok(by_qkv)
}
