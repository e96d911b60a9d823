//! Attention.
//!
//! ```text
//! queries, keys, values ──Heads──▶ three axes each: heads, positions, elements
//!     │ AttentionElement::attend
//!     ├──▶ `f16` and `bf16` on a GPU: one kernel with tiles, in which the scores stay in registers
//!     └──▶ others: a product, `softmax`, a product
//! ```

use super::matmul::{MatrixElement, Products as _, check_devices, extents};
use super::normalize::Normalizations as _;
use super::{Contiguous, collected};
use crate::functions;
use crate::memory::{DeviceArray, DeviceView, Shape};
use crate::scalar::Float;
use crate::ufunc::{ArrayLike, Elementwise as _, Number, Reductions as _, Stored, Summand, iota, keep_dims};
use crate::{Error, Result};

/// Which positions each position attends to, in [`attention`](crate::Normalizations::attention).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Mask {
    /// All of them.
    #[default]
    Full,
    /// Those with its own number or a lower one. The first query has the number of the first key, also where there are fewer queries than keys; a query
    /// of the last position alone takes [`Full`](Self::Full).
    Causal,
    /// The same, where the first query has this number: as many keys are before it, such as those of a cache. For queries of the last positions
    /// it is the number of keys less that of queries.
    CausalFrom(usize),
}

impl Mask {
    /// The number of the first query, if no query attends to later positions.
    fn first(self) -> Option<usize> {
        match self {
            Self::Full => None,
            Self::Causal => Some(0),
            Self::CausalFrom(first) => Some(first),
        }
    }
}

/// The elements of [`attention`](crate::Normalizations::attention): floats, and with the feature `half` those of 16 bits.
#[diagnostic::on_unimplemented(message = "there is no attention for arrays of `{Self}`", label = "not a float")]
pub trait AttentionElement: MatrixElement {
    #[doc(hidden)]
    #[track_caller]
    fn attend(heads: Heads<'_, Self>) -> Result<DeviceArray<Self>>;
}

/// Matrices of queries, keys and values, with a row for each position. There are as many of keys as of values, and each is for equally many of
/// queries.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Heads<'a, T: MatrixElement> {
    pub(super) queries: DeviceView<'a, T>,
    pub(super) keys: DeviceView<'a, T>,
    pub(super) values: DeviceView<'a, T>,
    pub(super) mask: Mask,
}

/// `softmax(q kᵀ / √size) v` of each head.
#[track_caller]
pub(super) fn attention<T: AttentionElement>(
    queries: impl ArrayLike<Item = T>,
    keys: impl ArrayLike<Item = T>,
    values: impl ArrayLike<Item = T>,
    mask: Mask,
) -> Result<DeviceArray<T>> {
    let (queries, keys, values) = (queries.lazy(), keys.lazy(), values.lazy());
    let (queries, keys, values) = (queries.stored_with(&keys)?, keys.stored_with(&queries)?, values.stored_with(&queries)?);
    check_devices("attention", &queries.view(), &keys.view())?;
    check_devices("attention", &queries.view(), &values.view())?;
    let shape = shape_of_result(queries.view().shape(), keys.view().shape(), values.view().shape())?;
    if shape.checked_len() == Some(0) || keys.view().shape().extents().iter().rev().nth(1) == Some(&0) {
        return queries.view().device().zeros(shape);
    }
    let (queries, keys, values) = (Contiguous::of(&queries)?, Contiguous::of(&keys)?, Contiguous::of(&values)?);
    let heads = Heads { queries: matrices(queries.view())?, keys: matrices(keys.view())?, values: matrices(values.view())?, mask };
    T::attend(heads)?.reshape(shape)
}

/// The shape of queries with the columns of values.
#[track_caller]
fn shape_of_result(queries: Shape, keys: Shape, values: Shape) -> Result<Shape> {
    let help = "queries, keys and values have a row for each position on their last two axes; keys have the columns of queries, values the rows \
                of keys, and other axes are equal, but that there may be more heads of queries, a multiple, on the axis before";
    let ([of_queries @ .., _, size], [of_keys @ .., positions, size_of_keys]) = (queries.extents(), keys.extents()) else {
        return Err(Error::shape_mismatch("attention", queries, keys, help));
    };
    let goes_together = match (of_queries, of_keys) {
        ([batch @ .., heads], [batch_of_keys @ .., groups]) => batch == batch_of_keys && heads.checked_rem(*groups).unwrap_or(*heads) == 0,
        (of_queries, of_keys) => of_queries == of_keys,
    };
    if !goes_together || size != size_of_keys {
        return Err(Error::shape_mismatch("attention", queries, keys, help));
    }
    match values.extents() {
        [of_values @ .., positions_of_values, columns] if of_values == of_keys && positions_of_values == positions => {
            let mut extents = queries.extents().to_vec();
            extents[of_queries.len() + 1] = *columns;
            Ok(Shape::from_extents(&extents).expect("the queries have as many axes"))
        }
        _ => Err(Error::shape_mismatch("attention", queries, values, help)),
    }
}

/// All leading axes as one.
#[track_caller]
fn matrices<T: MatrixElement>(view: DeviceView<'_, T>) -> Result<DeviceView<'_, T>> {
    let shape = view.shape();
    let [ref leading @ .., rows, columns] = *shape.extents() else { unreachable!("the shapes were checked") };
    view.reshape([leading.iter().product(), rows, columns])
}

impl<T: MatrixElement + Float + Number<Sum: Float>> Heads<'_, T> {
    /// With the scores in memory.
    #[track_caller]
    fn attend_by_matrices(self) -> Result<DeviceArray<T>> {
        let ([heads, rows, _], [.., columns]) = (extents(&self.queries), extents(&self.values));
        self.weights()?.matmul(self.values)?.reshape([heads, rows, columns])
    }

    /// What each value counts. The heads that have one matrix of keys are as many rows of one matrix.
    #[track_caller]
    fn weights(self) -> Result<DeviceArray<T>> {
        let ([heads, rows, size], [groups, positions, _]) = (extents(&self.queries), extents(&self.keys));
        let queries = self.queries.reshape([groups, heads / groups * rows, size])?;
        let scores = queries.matmul(self.keys.swap_axes(1, 2))?.reshape([heads, rows, positions])?;
        let scores = functions::mul::map(&scores, T::from_f64(scale(size)));
        let weights = match self.mask.first() {
            None => scores.softmax(2)?,
            Some(first) => {
                // From the last position on, all are seen.
                let is_seen = iota(positions).le(iota([rows, 1]) + first.min(positions));
                collected(functions::select::map(is_seen, scores, T::NEG_INFINITY))?.softmax(2)?
            }
        };
        weights.reshape([groups, heads / groups * rows, positions])
    }
}

/// The gradients by queries, keys and values, from the result and the gradient by it.
// Large, and compiled only where it is used.
#[inline]
#[track_caller]
pub(crate) fn attention_gradients<T: MatrixElement + Float + Number + Summand<Sum = T>>(
    [queries, keys, values]: [DeviceView<'_, T>; 3],
    mask: Mask,
    result: DeviceView<'_, T>,
    gradient: DeviceView<'_, T>,
) -> Result<[DeviceArray<T>; 3]> {
    let shapes = [queries.shape(), keys.shape(), values.shape()];
    if result.is_empty() || values.is_empty() {
        let [queries, keys, values] = shapes.map(|shape| result.device().zeros(shape));
        return Ok([queries?, keys?, values?]);
    }
    let stored = [queries, keys, values, result, gradient].map(Stored::Array);
    let [queries, keys, values, result, gradient] = &stored;
    let (queries, keys, values) = (Contiguous::of(queries)?, Contiguous::of(keys)?, Contiguous::of(values)?);
    let (result, gradient) = (Contiguous::of(result)?, Contiguous::of(gradient)?);
    let heads = Heads { queries: matrices(queries.view())?, keys: matrices(keys.view())?, values: matrices(values.view())?, mask };
    let weights = heads.weights()?;
    let ([groups, rows, _], [.., size], [.., columns]) = (extents(&weights.view()), extents(&heads.keys), extents(&heads.values));
    let (result, gradient) = (result.view().reshape([groups, rows, columns])?, gradient.view().reshape([groups, rows, columns])?);
    let by_values = weights.view().swap_axes(1, 2).matmul(gradient)?;
    let means = functions::mul::map(result, gradient).sum_axis(keep_dims(2))?;
    let by_weights = gradient.matmul(heads.values.swap_axes(1, 2))?;
    let by_scores = functions::mul::map(&weights, functions::sub::map(&by_weights, &means));
    let by_scores = functions::mul::map(by_scores, T::from_f64(scale(size))).collect()?;
    let by_queries = by_scores.matmul(heads.keys)?;
    let by_keys = by_scores.view().swap_axes(1, 2).matmul(heads.queries.reshape([groups, rows, size])?)?;
    Ok([by_queries.reshape(shapes[0])?, by_keys.reshape(shapes[1])?, by_values.reshape(shapes[2])?])
}

/// What the products of so many numbers are multiplied with.
fn scale(size: usize) -> f64 {
    1.0 / (size.max(1) as f64).sqrt()
}

macro_rules! floats {
    ($($T:ty)*) => {$(
        impl AttentionElement for $T {
            // Large, and compiled only where it is used.
            #[inline]
            fn attend(heads: Heads<'_, Self>) -> Result<DeviceArray<Self>> {
                heads.attend_by_matrices()
            }
        }
    )*};
}

floats! { f32 f64 }

#[cfg(feature = "half")]
pub(super) mod halves {
    //! Attention of 16-bit floats by [tiles](crate::Tile), which tensor cores multiply.

    use super::{AttentionElement, Heads, scale};
    use crate::arrays::matmul::extents;
    use crate::arrays::matmul::halves::Half;
    use crate::arrays::matmul::tensor_cores::{FIRST, MOST_TILES, Pieces};
    use crate::backend::cpu::{View, ViewMut};
    use crate::functions::cast;
    use crate::intrinsics::{block_idx, grid_dim};
    use crate::memory::{DeviceArray, DeviceView};
    use crate::tile::{Column, Tile};
    use crate::ufunc::lazy;
    use crate::{Result, gpu_kernel};

    /// Queries of a block.
    const ROWS: usize = 128;
    /// Blocks that run at the same time read so many bytes of keys and values, which stay in the cache: fewer heads at a time, and more rows of each.
    /// On one H200, with 50 MB of cache, this is 1.05 to 1.1 times as fast as all heads at a time (2026-12-01).
    const CACHED: usize = 16 << 20;
    /// The largest matrices of the kernels have so many columns.
    const MOST_COLUMNS: usize = 256;

    /// A 16-bit float.
    pub(in crate::arrays) trait Attend: Half + AttentionElement {
        #[track_caller]
        fn attend_in_tiles(heads: Heads<'_, Self>) -> Result<DeviceArray<Self>>;
    }

    macro_rules! halves {
        ($($T:ty, $attend:ident;)*) => {$(
            /// Each position of a head attends to `positions` positions, or to itself and those before it, in steps of `KEYS`: the first query is at
            /// position `first`. Weights are powers of two.
            #[gpu_kernel(block = 256)]
            fn $attend<const KEYS: usize, const SIZE: usize, const CAUSAL: bool>(
                queries: View<$T, 3>,
                keys: View<$T, 3>,
                values: View<$T, 3>,
                heads_of_keys: usize,
                first: usize,
                scale: f32,
                out: ViewMut<$T, 3>,
            ) {
                // The longest rows first, so that no block is left alone with them.
                let (head, i) = (block_idx().z * grid_dim().x + block_idx().x, grid_dim().y - 1 - block_idx().y);
                let of_keys = head / heads_of_keys;
                let positions = keys.shape()[1];
                let query = queries.tile::<ROWS, SIZE>(head, i, 0);
                let mut largest = Column::<f32, ROWS>::splat(f32::NEG_INFINITY);
                let mut total = Column::<f32, ROWS>::zeros();
                let mut sum = Tile::<f32, ROWS, SIZE>::zeros();
                let all = if head < queries.shape()[0] { keys.tiles(1, KEYS) } else { 0 };
                let steps = if CAUSAL { all.min((first + (i + 1) * ROWS).div_ceil(KEYS)) } else { all };
                // Steps before this one see all of their positions.
                let complete = if CAUSAL { (positions / KEYS).min((first + i * ROWS) / KEYS) } else { positions / KEYS };
                for j in 0..steps {
                    let scores = query.dot(keys.tile::<KEYS, SIZE>(of_keys, j, 0).transpose());
                    let scores = scores.map_at(|row, column, x| {
                        let position = j * KEYS + column;
                        let is_seen = j < complete || (position < positions && (!CAUSAL || position <= first + i * ROWS + row));
                        if is_seen { x } else { f32::NEG_INFINITY }
                    });
                    let larger = largest.zip(scores.row_max(), |a, b| a.max(b));
                    // Where all scores until now are -inf, the difference would be NaN.
                    let shift = larger.map(|x| if x == f32::NEG_INFINITY { 0.0 } else { x * scale });
                    // A multiply-add and an instruction for each.
                    let weights = (scores * scale - shift).map(|x| x.fast_exp2());
                    let kept = (largest * scale - shift).map(|x| x.fast_exp2());
                    total = total * kept + weights.row_sum();
                    sum *= kept;
                    sum += weights.cast::<$T>().dot(values.tile::<KEYS, SIZE>(of_keys, j, 0));
                    largest = larger;
                }
                out.tile_mut(head, i, 0).store((sum * total.map(|x| 1.0 / x)).cast::<$T>());
            }

            impl Attend for $T {
                fn attend_in_tiles(heads: Heads<'_, Self>) -> Result<DeviceArray<Self>> {
                    let Heads { queries, keys, values, mask } = heads;
                    let ([count, rows, size], [groups, positions, columns]) = (extents(&queries), extents(&values));
                    let first = mask.first().map_or(0, |first| first.min(positions));
                    let (queries, keys, values) = (Pieces::of(queries)?, Pieces::of(keys)?, Pieces::of(values)?);
                    let mut out = DeviceArray::<$T>::unspecified(queries.view(size).device(), [count, rows, columns].into())?;
                    let together = (CACHED / (positions * (size + columns) * size_of::<$T>())).max(1) * (count / groups);
                    let parts = count.div_ceil(together);
                    let (grid, scale) = ((count.div_ceil(parts), rows.div_ceil(ROWS), parts), scale(size) as f32 * std::f32::consts::LOG2_E);
                    macro_rules! launch {
                        ($keys:literal, $size:literal, $causal:literal) => {
                            $attend::<$keys, $size, $causal>(
                                queries.view(size), keys.view(size), values.view(columns), count / groups, first, scale, &mut out,
                            )
                            .launch(grid, 256)?
                        };
                    }
                    match (size.max(columns), mask.first().is_some()) {
                        (..=64, false) => launch!(128, 64, false),
                        (..=64, true) => launch!(128, 64, true),
                        (..=128, false) => launch!(128, 128, false),
                        (..=128, true) => launch!(128, 128, true),
                        (_, false) => launch!(64, 256, false),
                        (_, true) => launch!(64, 256, true),
                    }
                    Ok(out)
                }
            }

            impl AttentionElement for $T {
                // Large, and compiled only where it is used.
                #[inline]
                fn attend(heads: Heads<'_, Self>) -> Result<DeviceArray<Self>> {
                    attend(heads)
                }
            }
        )*};
    }

    halves! {
        half::f16, attend_f16;
        half::bf16, attend_bf16;
    }

    #[track_caller]
    fn attend<T: Attend>(heads: Heads<'_, T>) -> Result<DeviceArray<T>> {
        let ([_, rows, size], [.., columns]) = (extents(&heads.queries), extents(&heads.values));
        let architecture = heads.queries.device().queue().dispatch(|| None, |queue| Some(queue.gpu().architecture()));
        let has_tensor_cores = architecture.is_some_and(|architecture| architecture >= FIRST);
        if has_tensor_cores && size.max(columns) <= MOST_COLUMNS && rows.div_ceil(ROWS) <= MOST_TILES {
            return T::attend_in_tiles(heads);
        }
        let as_f32 = |view: DeviceView<'_, T>| cast::map::<T, f32, _>(lazy(view)).collect();
        let (queries, keys, values) = (as_f32(heads.queries)?, as_f32(heads.keys)?, as_f32(heads.values)?);
        let heads = Heads { queries: queries.view(), keys: keys.view(), values: values.view(), mask: heads.mask };
        cast::map::<f32, T, _>(&heads.attend_by_matrices()?).collect()
    }
}
