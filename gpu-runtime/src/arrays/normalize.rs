//! What classifiers and transformers compute of rows: softmax, layer norm, attention, cross-entropy.

use std::panic::Location;

use super::attention::{AttentionElement, Mask, attention};
use super::collected;
use super::select::Selections as _;
use crate::failure::called;
use crate::functions::{self, VarianceElement, VarianceSum};
use crate::memory::{Axis, DeviceArray, MAX_RANK, Shape};
use crate::scalar::{Float, Integer, Num};
use crate::source::Element;
use crate::ufunc::{
    ArrayLike, Axes, CastElement, Elementwise as _, Expression, Lazy, Number, Reductions as _, Summand, give_to_arrays, iota, keep_dims,
    lazy,
};
use crate::{Error, Result};

/// Functions of the rows of a batch. `axis` is the one along which an example has its elements.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let scores = device.to_device(&[0.0f32, 0.0, 1.0, -1.0, 1000.0, 0.0])?.reshape([2, 3])?;
/// assert_eq!(scores.softmax(1)?.sum_axis(1)?.to_host()?, [1.0, 1.0]);
/// let labels = device.to_device(&[2u32, 1])?;
/// assert!((scores.cross_entropy(&labels)? - 0.275_723).abs() < 1e-6);
/// assert_eq!(labels.one_hot::<f32>(3)?.to_host()?, [0.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub trait Normalizations: ArrayLike {
    /// eˣ divided by the sum of all along `axis`, without overflow (SciPy: `softmax(x, axis)`).
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`], and as for [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn softmax(self, axis: impl Axis) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float + Number<Sum: Float>,
    {
        let _call = called("softmax");
        let x = self.lazy();
        let axis = axis.checked("softmax", x.shape()?)?;
        let largest = (&x).max_axis(keep_dims(axis))?;
        let powers = collected(functions::exp::map(functions::sub::map(Summand::widened(x), Summand::widened(lazy(&largest)))))?;
        let sums = powers.sum_axis(keep_dims(axis))?;
        Summand::rounded_elements(collected(functions::div::map(powers, sums))?)
    }

    /// The logarithm of [`softmax`](Self::softmax), exact where that is tiny (SciPy: `log_softmax(x, axis)`).
    ///
    /// # Errors
    ///
    /// As for [`softmax`](Self::softmax).
    #[track_caller]
    fn log_softmax(self, axis: impl Axis) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float + Number<Sum: Float>,
    {
        let _call = called("log_softmax");
        let x = self.lazy();
        let axis = axis.checked("log_softmax", x.shape()?)?;
        // Less the largest first: beside large numbers, the logarithm would lose its digits.
        let largest = largest(&x, axis.into())?;
        let differences = collected(functions::sub::map(Summand::widened(x), largest))?;
        let sums = functions::exp::map(&differences).sum_axis(keep_dims(axis))?;
        Summand::rounded_elements(collected(functions::sub::map(differences, functions::ln::map(sums)))?)
    }

    /// ln(Σ eˣ) along axes, without overflow (SciPy: `logsumexp(x, axis)`).
    ///
    /// # Errors
    ///
    /// As for [`softmax`](Self::softmax).
    #[track_caller]
    fn log_sum_exp_axis(self, axes: impl Into<Axes>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float + Number<Sum: Float>,
    {
        let _call = called("log_sum_exp_axis");
        let [shift, sums] = sums_of_powers(&self.lazy(), axes.into())?;
        Summand::rounded_elements(collected(functions::add::map(functions::ln::map(sums), shift))?)
    }

    /// The elements less their mean, divided by √(variance + epsilon), along `axis`.
    ///
    /// Weights and bias follow: `x.layer_norm(1, 1e-5)? * &weight + &bias`. As for [variances](crate::Statistics), the mean may be large
    /// beside the deviation.
    ///
    /// # Errors
    ///
    /// As for [`softmax`](Self::softmax).
    #[track_caller]
    fn layer_norm(self, axis: impl Axis, epsilon: Self::Item) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float + VarianceElement<Sum: Float>,
    {
        let _call = called("layer_norm");
        let x = Summand::widened(self.lazy());
        let axis = axis.checked("layer_norm", x.shape()?)?;
        let means = mean_axis(x.clone(), axis)?;
        let distances = functions::sub::map(x, &means);
        // What the rounding of the means leaves.
        let rests = mean_axis(distances.clone(), axis)?;
        let centred = collected(functions::sub::map(distances, &rests))?;
        let variances = mean_axis(functions::square::map(&centred), axis)?;
        let deviations = functions::sqrt::map(functions::add::map(variances, epsilon.cast::<<Self::Item as Summand>::Sum>()));
        Summand::rounded_elements(collected(functions::div::map(&centred, deviations))?)
    }

    /// The mean of −ln of the probability that each row of scores has for its label: of `log_softmax` along the last axis. There is a label for each
    /// row: of scores of shape `[batch, time, classes]`, labels of shape `[batch, time]`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (scores, labels) = (device.zeros::<f32>([2, 3, 4])?, device.zeros::<u32>([2, 3])?);
    /// assert!((scores.cross_entropy(&labels)? - 4.0f32.ln()).abs() < 1e-6);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if labels have not the shape of the scores without the last axis; [`Error::KernelFailed`] for a label that is no
    /// column; and as for [`softmax`](Self::softmax).
    #[track_caller]
    fn cross_entropy<I: Integer>(self, labels: impl ArrayLike<Item = I>) -> Result<Self::Item>
    where
        Self::Item: Float + Number<Sum: Float>,
    {
        let _call = called("cross_entropy");
        let (x, labels) = (self.lazy(), labels.lazy());
        let (shape, of_labels) = (x.shape()?, labels.shape()?);
        let axis = row_axis(shape, of_labels)?;
        let [shift, sums] = sums_of_powers(&x, keep_dims(axis))?;
        let chosen = x.take_along_axis(labels.insert_axis(axis), axis)?;
        let chosen = functions::sub::map(Summand::widened(lazy(&chosen)), shift);
        let sum = functions::sub::map(functions::ln::map(sums), chosen).sum()?;
        Ok(Summand::rounded(sum / of_labels.extents().iter().product::<usize>().cast()))
    }

    /// Attention: for each of these queries, the mean of `values` with the weights `softmax(q kᵀ / √size)`, where `size` is how many columns
    /// queries and keys have (PyTorch: `scaled_dot_product_attention(q, k, v, is_causal=…, enable_gqa=True)`).
    ///
    /// Each has a row for each position on its last two axes, and before them heads and a batch: `[…, heads, positions, size]`. There may be more
    /// heads of queries than of keys and values, a multiple, of which several in a row share one. The result has the shape of the queries with
    /// the columns of `values`; for no positions it is zero. For another scale, multiply the queries.
    ///
    /// `f16` and `bf16` are computed on a GPU with tensor cores by one kernel, if they have up to 256 columns: sums are `f32`, weights are
    /// rounded to the type of the elements, and no score is in memory. Others take memory for the scores.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0f32, 0.0, 0.0, 2.0])?.reshape([2, 2])?;
    /// let y = x.attention(&x, &x, Mask::Causal)?;
    /// assert_eq!(y.view().part(0).to_host()?, [1.0, 0.0]);
    /// // The last position alone, behind the keys of a cache.
    /// let last = x.rows(1..).attention(&x, &x, Mask::CausalFrom(1))?;
    /// assert_eq!(last.to_host()?, y.rows(1..).to_host()?);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the shapes do not go together; [`Error::ArraysOnDifferentDevices`]; and as for
    /// [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn attention<K, V>(self, keys: K, values: V, mask: Mask) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: AttentionElement,
        K: ArrayLike<Item = Self::Item>,
        V: ArrayLike<Item = Self::Item>,
    {
        attention(self, keys, values, mask)
    }

    /// Rows of `classes` elements, each 1 at its label and 0 elsewhere (JAX: `jax.nn.one_hot(x, classes)`). A label that is no class gives
    /// zeros.
    ///
    /// # Errors
    ///
    /// [`Error::ResultTooManyAxes`](crate::Error::ResultTooManyAxes), and as for [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn one_hot<T: Element>(self, classes: usize) -> Result<DeviceArray<T>>
    where
        Self::Item: Integer,
        bool: CastElement<T>,
    {
        let labels = self.lazy();
        let rank = labels.shape()?.rank();
        if rank == MAX_RANK {
            return Err(Error::ResultTooManyAxes { function: "one_hot", rank: rank + 1, location: Location::caller() });
        }
        let is_label = functions::equal::map(labels.cast::<i64>().insert_axis(rank), iota(classes).cast::<i64>());
        collected(is_label.cast::<T>())
    }
}

give_to_arrays! { Normalizations }

/// The axis of the rows of scores, the last one, if there is a label for each row.
#[track_caller]
pub(crate) fn row_axis(scores: Shape, labels: Shape) -> Result<usize> {
    let axis = labels.rank();
    match scores.extents().split_at_checked(axis) {
        Some((before, [_])) if before == labels.extents() => Ok(axis),
        _ => Err(Error::shape_mismatch("cross_entropy", scores, labels, "the scores have a row for each label, along their last axis")),
    }
}

/// The largest element along axes, or 0 where that is not finite: the difference of two infinities would be NaN.
#[track_caller]
fn largest<T: Float + Number<Sum: Float>, E: Expression<Item = T>>(x: &Lazy<E>, axes: Axes) -> Result<DeviceArray<T::Sum>> {
    let largest = x.max_axis(keep_dims(axes))?;
    collected(functions::select::map(largest.is_finite(), T::widened(lazy(&largest)), <T::Sum as Num>::ZERO))
}

/// The largest element along axes, and the sum of eˣ of the elements less that.
#[track_caller]
fn sums_of_powers<T: Float + Number<Sum: Float>, E: Expression<Item = T>>(x: &Lazy<E>, axes: Axes) -> Result<[DeviceArray<T::Sum>; 2]> {
    let shift = largest(x, axes)?;
    let sums = functions::exp::map(functions::sub::map(T::widened(x.clone()), &shift)).sum_axis(axes)?;
    Ok([shift.reshape(sums.shape())?, sums])
}

/// The means along an axis that is kept.
#[track_caller]
fn mean_axis<T: Float + VarianceSum, E: Expression<Item = T>>(x: Lazy<E>, axis: usize) -> Result<DeviceArray<T>> {
    x.mean_axis(keep_dims(axis))
}
