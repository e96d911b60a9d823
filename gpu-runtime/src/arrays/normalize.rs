//! What classifiers and transformers compute of rows: softmax, layer norm, attention, cross-entropy.

use std::panic::Location;

use super::attention::{AttentionElement, Mask, attention};
use super::collected;
use super::select::Selections as _;
use super::statistics::Statistics as _;
use crate::functions::{self, VarianceElement};
use crate::memory::{DeviceArray, MAX_RANK};
use crate::scalar::{Float, Integer, Num as _};
use crate::source::Element;
use crate::ufunc::{
    ArrayLike, Axes, CastElement, Elementwise as _, Expression, Lazy, Number, Reductions as _, Summand, give_to_arrays, iota, keep_dims,
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
    fn softmax(self, axis: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float + Number,
    {
        let x = self.lazy();
        let largest = (&x).max_axis(keep_dims(axis))?;
        let powers = collected(functions::exp::map(functions::sub::map(&x, largest)))?;
        let sums = powers.sum_axis(keep_dims(axis))?;
        collected(functions::div::map(powers, sums))
    }

    /// The logarithm of [`softmax`](Self::softmax), exact where that is tiny (SciPy: `log_softmax(x, axis)`).
    ///
    /// # Errors
    ///
    /// As for [`softmax`](Self::softmax).
    #[track_caller]
    fn log_softmax(self, axis: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float + Number,
    {
        let x = self.lazy();
        // Less the largest first: beside large numbers, the logarithm would lose its digits.
        let differences = collected(functions::sub::map(&x, largest(&x, axis.into())?))?;
        let sums = functions::exp::map(&differences).sum_axis(keep_dims(axis))?;
        collected(functions::sub::map(differences, functions::ln::map(sums)))
    }

    /// ln(Σ eˣ) along axes, without overflow (SciPy: `logsumexp(x, axis)`).
    ///
    /// # Errors
    ///
    /// As for [`softmax`](Self::softmax).
    #[track_caller]
    fn log_sum_exp_axis(self, axes: impl Into<Axes>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float + Number,
    {
        let [shift, sums] = sums_of_powers(&self.lazy(), axes.into())?;
        collected(functions::add::map(functions::ln::map(sums), shift))
    }

    /// The elements less their mean, divided by √(variance + epsilon), along `axis`.
    ///
    /// Weights and bias follow: `x.layer_norm(1, 1e-5)? * &weight + &bias`.
    ///
    /// # Errors
    ///
    /// As for [`softmax`](Self::softmax).
    #[track_caller]
    fn layer_norm(self, axis: usize, epsilon: Self::Item) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float + Summand<Mean = Self::Item> + VarianceElement<Real = Self::Item>,
    {
        let x = self.lazy();
        let mean = (&x).mean_axis(keep_dims(axis))?;
        let variance = (&x).var_axis(keep_dims(axis), 0)?;
        let deviation = functions::sqrt::map(functions::add::map(variance, epsilon));
        collected(functions::div::map(functions::sub::map(&x, mean), deviation))
    }

    /// The mean of −ln of the probability that each row of scores has for its label: of `log_softmax(x, 1)`.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if it is not a matrix with a row for each label; [`Error::KernelFailed`] for a label that is no
    /// column; and as for [`softmax`](Self::softmax).
    #[track_caller]
    fn cross_entropy<I: Integer>(self, labels: impl ArrayLike<Item = I>) -> Result<Self::Item>
    where
        Self::Item: Float + Number + Summand<Mean = Self::Item>,
    {
        let (x, labels) = (self.lazy(), labels.lazy());
        let (shape, of_labels) = (x.shape()?, labels.shape()?);
        if shape.rank() != 2 || *of_labels.extents() != [shape[0]] {
            return Err(Error::shape_mismatch("cross_entropy", shape, of_labels, "the scores are a matrix with a row for each label"));
        }
        let [shift, sums] = sums_of_powers(&x, keep_dims(1))?;
        let chosen = functions::sub::map(x.take_along_axis(labels.insert_axis(1), 1)?, shift);
        functions::sub::map(functions::ln::map(sums), chosen).mean()
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

/// The largest element along axes, or 0 where that is not finite: the difference of two infinities would be NaN.
#[track_caller]
fn largest<E: Expression<Item: Float + Number>>(x: &Lazy<E>, axes: Axes) -> Result<DeviceArray<E::Item>> {
    let largest = x.max_axis(keep_dims(axes))?;
    collected(functions::select::map(largest.is_finite(), &largest, E::Item::ZERO))
}

/// The largest element along axes, and the sum of eˣ of the elements less that.
#[track_caller]
fn sums_of_powers<E: Expression<Item: Float + Number>>(x: &Lazy<E>, axes: Axes) -> Result<[DeviceArray<E::Item>; 2]> {
    let shift = largest(x, axes)?;
    let sums = functions::exp::map(functions::sub::map(x, &shift)).sum_axis(axes)?;
    Ok([shift.reshape(sums.shape())?, sums])
}
