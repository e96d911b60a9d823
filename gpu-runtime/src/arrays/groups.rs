//! Reductions of groups: of the elements that have the same key.

use std::ops::RangeInclusive;

use crate::failure::called;
use crate::functions::{add, maximum, minimum};
use crate::intrinsics::grid_1d;
use crate::memory::{Axis, DeviceArray, Shape};
use crate::scalar::{Float, Integer, Num};
use crate::ufunc::{
    ArrayFunction, ArrayLike, BinElement, Elementwise, Expression, Histograms, IndexElement, Lazy, Number, Summand, at, bin_edges,
    give_to_arrays, iota,
};
use crate::{Error, Result, gpu_kernel, vectorize};

use super::{Contiguous, collected};

/// Reductions of groups. `keys` has a key for each element, from 0 up to the number of groups; the results have an element for each group.
/// [`bincount`](Histograms::bincount) of the keys is how many elements each group has.
///
/// `f16` and `bf16` are summed in `f32`. On a GPU, the order in which floats are added may change from run to run.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let (x, keys) = (device.to_device(&[1.0f32, 2.0, 4.0, 8.0])?, device.to_device(&[2u32, 0, 2, 0])?);
/// assert_eq!(x.sum_by(&keys, 3)?.to_host()?, [10.0, 0.0, 5.0]);
/// assert_eq!(x.mean_by(&keys, 3)?.slice(..1).to_host()?, [5.0]);
/// assert_eq!(x.max_by(&keys, 3)?.to_host()?, [8.0, f32::NEG_INFINITY, 4.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// All of them: [`Error::BroadcastMismatch`](crate::Error::BroadcastMismatch) if there is not a key for each element, and as for
/// [`collect`](crate::Lazy::collect). The next call that waits reports a key that is negative or too large.
pub trait Groups: ArrayLike {
    /// The sum of each group, 0 for an empty one: `jax.ops.segment_sum(x, keys, groups)`.
    ///
    /// # Errors
    ///
    /// See the [trait](Groups).
    #[track_caller]
    fn sum_by(self, keys: impl ArrayLike<Item: IndexElement>, groups: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Number,
    {
        let _call = called("sum_by");
        Self::Item::rounded_elements(sums_of_groups(self.lazy(), keys, groups)?)
    }

    /// The sum of the parts along `axis` that have the same key, of which there is one for each part: `jax.ops.segment_sum(x, keys, groups)` of
    /// axis 0. Another axis is that of `np.add.reduceat`, for groups in any order.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (x, keys) = (device.arange(1, 7, 1)?.reshape([3, 2])?, device.to_device(&[1, 0, 1])?);
    /// assert_eq!(x.sum_by_axis(&keys, 2, 0)?.to_host()?, [3, 4, 6, 8]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if there is not a key for each part, [`Error::AxisOutOfRange`], and see the [trait](Groups).
    #[track_caller]
    fn sum_by_axis<I: Integer>(self, keys: impl ArrayLike<Item = I>, groups: usize, axis: impl Axis) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Number,
    {
        let _call = called("sum_by_axis");
        let (x, keys) = (self.lazy(), keys.lazy());
        let (shape, of_keys) = (x.shape()?, keys.shape()?);
        let axis = axis.checked("sum_by_axis", shape)?;
        let len = shape[axis];
        if *of_keys.extents() != [len] {
            return Err(Error::shape_mismatch("sum_by_axis", shape, of_keys, "there is a key for each part along the axis"));
        }
        let inner: usize = shape.extents()[axis + 1..].iter().product();
        let keys = keys.stored_with(&x)?;
        let mut along_axis = keys.view();
        for last in 1..shape.rank() - axis {
            along_axis = along_axis.insert_axis(last);
        }
        let places = place_in_groups::map(along_axis.broadcast_to(shape)?, iota(shape), groups, len * inner, inner);
        let mut extents = shape.extents().to_vec();
        extents[axis] = groups;
        let sums = sums_of_groups(x, places, extents.iter().product())?;
        Self::Item::rounded_elements(sums)?.reshape(Shape::from_extents(&extents).expect("as many axes as before"))
    }

    /// The sum of the elements whose number in `values` is in each of `bins` bins of equal width, those of
    /// [`histogram`](Histograms::histogram): `np.histogram(values, bins, range, weights=x)[0]`. Elements in no bin are in no sum.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (weights, values) = (device.to_device(&[1.0f32, 2.0, 4.0, 8.0])?, device.to_device(&[0.1, 0.9, 1.0, 1.1])?);
    /// assert_eq!(weights.sum_by_bins(&values, 2, 0.0..=1.0)?.to_host()?, [1.0, 6.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Bins`](crate::Error::Bins), and see the [trait](Groups).
    #[track_caller]
    fn sum_by_bins<V: Num + BinElement>(
        self,
        values: impl ArrayLike<Item = V>,
        bins: usize,
        range: RangeInclusive<f64>,
    ) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Number,
    {
        let _call = called("sum_by_bins");
        let edges = bin_edges::<V>(bins, range)?;
        let (x, values) = (self.lazy(), values.lazy());
        let values = values.stored_with(&x)?;
        let shape = values.view().shape();
        let values = Contiguous::of(&values)?;
        let values = values.slice();
        let edges = values.device().to_device(&edges)?;
        let mut keys = DeviceArray::<u64>::unspecified(values.device(), shape)?;
        if !keys.is_empty() {
            find_bins(values, &edges, &mut keys).forall(values.len())?;
        }
        // The last group has the elements that are in no bin.
        let sums = x.sum_by(&keys, bins + 1)?;
        collected(sums.slice(..bins).lazy())
    }

    /// The mean of each group, NaN for an empty one.
    ///
    /// # Errors
    ///
    /// See the [trait](Groups).
    #[track_caller]
    fn mean_by(self, keys: impl ArrayLike<Item: IndexElement>, groups: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float + Number,
    {
        let _call = called("mean_by");
        let (x, keys) = (self.lazy(), keys.lazy());
        let keys = keys.stored_with(&x)?;
        let counts = keys.view().bincount(groups)?;
        let sums = sums_of_groups(x, keys.view(), groups)?;
        let counts = counts.cast::<<Self::Item as Summand>::Sum>();
        Self::Item::rounded_elements(collected(crate::functions::div::map(sums, counts))?)
    }

    /// The smallest element of each group, NaN if one is: `jax.ops.segment_min(x, keys, groups)`. The highest number for an empty one.
    ///
    /// # Errors
    ///
    /// See the [trait](Groups).
    #[track_caller]
    fn min_by(self, keys: impl ArrayLike<Item: IndexElement>, groups: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Number,
    {
        let _call = called("min_by");
        let highest = infinity(Self::Item::ONE).unwrap_or(Self::Item::MAX);
        updated::<minimum::Function<Self::Item>, _>(self, keys, groups, highest)
    }

    /// The largest element of each group, NaN if one is: `jax.ops.segment_max(x, keys, groups)`. The lowest number for an empty one.
    ///
    /// # Errors
    ///
    /// See the [trait](Groups).
    #[track_caller]
    fn max_by(self, keys: impl ArrayLike<Item: IndexElement>, groups: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Number,
    {
        let _call = called("max_by");
        let zero = Self::Item::ZERO;
        let lowest = infinity(Self::Item::ONE).map_or(Self::Item::MIN, |infinity| zero - infinity);
        updated::<maximum::Function<Self::Item>, _>(self, keys, groups, lowest)
    }
}

give_to_arrays! { Groups }

/// Where an element is added in the sums of groups along an axis, whose parts have `inner` elements, and all of them `outer`.
#[vectorize]
fn place_in_groups<I: Integer>(key: I, place: usize, groups: usize, outer: usize, inner: usize) -> usize {
    let group = key.cast::<usize>();
    assert!(key >= I::ZERO && group < groups, "a key is negative or too large");
    (place / outer * groups + group) * inner + place % inner
}

/// The number of the bin of each value, or the number of bins if it is in none. `edges` has one more number than there are bins.
#[gpu_kernel]
pub(super) fn find_bins<T: Num>(values: &[T], edges: &[f64], bins: &mut [u64]) {
    let i = grid_1d();
    if i < values.len() && i < bins.len() {
        let value = values[i].cast::<f64>();
        let last = edges.len() - 1;
        // How many edges are at most the value.
        let (mut low, mut high) = (0, edges.len());
        while low < high {
            let middle = (low + high) / 2;
            if edges[middle] <= value {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // The last bin has its end.
        bins[i] = if low > 0 && value <= edges[last] { (low - 1).min(last - 1) as u64 } else { last as u64 };
    }
}

/// Infinity, for floats.
fn infinity<T: Num>(one: T) -> Option<T> {
    let is_float = one / (one + one) != T::ZERO;
    is_float.then(|| one / T::ZERO)
}

/// The sum of each group, not rounded to the type of the elements.
#[track_caller]
fn sums_of_groups<T: Number, E: Expression<Item = T>>(
    x: Lazy<E>,
    keys: impl ArrayLike<Item: IndexElement>,
    groups: usize,
) -> Result<DeviceArray<T::Sum>> {
    updated::<add::Function<T::Sum>, _>(T::widened(x), keys, groups, <T::Sum as Num>::ZERO)
}

/// `groups` elements, each `start`, updated by the elements of its group.
#[track_caller]
fn updated<F, T>(x: impl ArrayLike<Item = T>, keys: impl ArrayLike<Item: IndexElement>, groups: usize, start: T) -> Result<DeviceArray<T>>
where
    F: ArrayFunction<Args = (T, T), Output = T>,
    T: Num,
{
    let (x, keys) = (x.lazy(), keys.lazy());
    let x = x.stored_with(&keys)?;
    let mut of_groups = x.view().device().full(groups, start)?;
    at::<F, T, _, _>(&mut of_groups, keys, x.view().lazy())?;
    Ok(of_groups)
}
