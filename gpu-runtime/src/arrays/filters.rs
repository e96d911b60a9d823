//! Filters of samples and images: sums and medians of the neighbours of each element.
//!
//! An axis is padded, and the windows over it are one axis more of a view, which is multiplied and summed in one kernel.

use super::repeat::{Pad, Repetitions as _};
use super::sample::{self, Interpolation, Outside};
use super::{Sorting as _, collected, label};
use crate::error::MatrixProblem;
use crate::failure::called;
use crate::functions;
use crate::memory::{Axis, DeviceArray, MAX_RANK, Shape, reserve};
use crate::scalar::{Float, Num};
use crate::ufunc::{Arrangements as _, ArrayLike, Axes, Expression, Lazy, Number, Reductions as _, give_to_arrays, lazy};
use crate::{Error, Result};

/// Filters of samples and images: `scipy.ndimage` and `scipy.signal`.
///
/// [`Pad`] says what is beyond the ends of an axis; `mode='reflect'` of `scipy.ndimage` is [`Pad::Symmetric`].
///
/// ```
/// use gpu_runtime::Pad;
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[0.0, 8.0, 0.0, 4.0])?;
/// let smooth = x.correlate_axis(lazy(&[0.25, 0.5, 0.25]), 0, Pad::Edge)?;
/// assert_eq!(smooth.to_host()?, [2.0, 4.0, 3.0, 3.0]);
/// assert_eq!(x.median_filter(3, Pad::Edge)?.to_host()?, [0.0, 0.0, 4.0, 4.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// All of them: [`Error::AxisOutOfRange`], [`Error::ShapeMismatch`] if an axis has no elements to repeat, and as for
/// [`collect`](crate::Lazy::collect).
pub trait Filters: ArrayLike {
    /// The sum of the neighbours of each element along `axis`, each times its weight: `scipy.ndimage.correlate1d(x, weights, axis, mode=…)`.
    /// Weight `weights.len() / 2` is that of the element itself.
    ///
    /// # Errors
    ///
    /// [`Error::UnsuitableMatrix`] if the weights have more axes or fewer than one, or there are none; [`Error::ResultTooManyAxes`] if the array has
    /// seven axes; and see the [trait](Filters).
    #[track_caller]
    fn correlate_axis(self, weights: impl ArrayLike<Item = Self::Item>, axis: impl Axis, mode: Pad) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Number,
    {
        let _call = called("correlate_axis");
        let (x, weights) = (self.lazy(), weights.lazy());
        let (shape, of_weights) = (x.shape()?, weights.shape()?);
        let count = of_weights.extents().first().copied().unwrap_or(0);
        if of_weights.rank() != 1 || count == 0 {
            let problem = MatrixProblem::NotAVector { help: "the weights have one axis and at least one element" };
            return Err(Error::unsuitable("correlate_axis", of_weights, problem));
        }
        check_axes("correlate_axis", shape.rank() + 1)?;
        let weights = weights.stored_with(&x)?;
        let axis = axis.checked("correlate_axis", shape)?;
        let padded = x.pad_axis_by(axis, count / 2, count - 1 - count / 2, mode)?;
        let windows = padded.view().windows(axis, count);
        sums_of_products(lazy(windows), lazy(weights.view()), shape.rank())
    }

    /// Each element as a mean of its neighbours along all axes, with the weights of the normal distribution:
    /// `scipy.ndimage.gaussian_filter(x, sigma)`. `sigma` is its standard deviation, in elements. Neighbours that are farther than four times
    /// that have no weight.
    ///
    /// # Errors
    ///
    /// [`Error::ResultTooManyAxes`] if the array has seven axes, and see the [trait](Filters).
    ///
    /// # Panics
    ///
    /// If `sigma` is not positive, or more than 10⁹.
    #[track_caller]
    fn gaussian_filter(self, sigma: f64, mode: Pad) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float + Number,
    {
        let _call = called("gaussian_filter");
        assert!(sigma > 0.0 && sigma <= 1e9, "the standard deviation of a filter is positive and at most 1e9, not {sigma}");
        let radius = (4.0 * sigma + 0.5) as usize;
        let weight = |i: usize| (-0.5 * (i.abs_diff(radius) as f64 / sigma).powi(2)).exp();
        let mut weights: Vec<Self::Item> = reserve(2 * radius + 1)?;
        let sum: f64 = (0..=2 * radius).map(weight).sum();
        weights.extend((0..=2 * radius).map(|i| (weight(i) / sum).cast::<Self::Item>()));
        let x = self.lazy();
        check_axes("gaussian_filter", x.shape()?.rank() + 1)?;
        let mut filtered = collected(x)?;
        let weights = filtered.device().to_device(&weights)?;
        for axis in 0..filtered.shape().rank() {
            filtered = filtered.correlate_axis(&weights, axis, mode)?;
        }
        Ok(filtered)
    }

    /// The median of `size` neighbours of each element along all axes: `scipy.ndimage.median_filter(x, size)`.
    ///
    /// # Errors
    ///
    /// [`Error::ResultTooManyAxes`] if there are more than three axes, and see the [trait](Filters).
    ///
    /// # Panics
    ///
    /// If `size` is even.
    #[track_caller]
    fn median_filter(self, size: usize, mode: Pad) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float,
    {
        assert!(size % 2 == 1, "the size of a median filter is odd, not {size}");
        let x = self.lazy();
        let rank = x.shape()?.rank();
        check_axes("median_filter", 2 * rank)?;
        let mut padded = collected(x)?;
        for axis in 0..rank {
            padded = padded.pad_axis_by(axis, size / 2, size / 2, mode)?;
        }
        let mut windows = padded.view();
        for axis in 0..rank {
            windows = windows.windows(axis, size);
        }
        match rank {
            0 => collected(windows.lazy()),
            1 => windows.median_axis(1),
            2 => windows.median_axis([2, 3]),
            _ => windows.median_axis([3, 4, 5]),
        }
    }

    /// The convolution of two arrays with two axes, with all places where they overlap: `scipy.signal.convolve2d(x, weights)`. For the places
    /// where `x` has elements, `mode='same'`, take a [part](crate::DeviceArray::part).
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if one of them has other than two axes or no elements, and see the [trait](Filters).
    #[track_caller]
    fn convolve2d(self, weights: impl ArrayLike<Item = Self::Item>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Number,
    {
        let (x, weights) = (self.lazy(), weights.lazy());
        let (shape, of_weights) = (x.shape()?, weights.shape()?);
        let is_matrix = |shape: Shape| shape.rank() == 2 && !shape.extents().contains(&0);
        if !is_matrix(shape) || !is_matrix(of_weights) {
            return Err(Error::shape_mismatch("convolve2d", shape, of_weights, "both have two axes and at least one element"));
        }
        let (rows, columns) = (of_weights[0], of_weights[1]);
        let weights = weights.stored_with(&x)?;
        let zero = <Self::Item as Num>::ZERO;
        let padded = x.pad_axis(0, rows - 1, rows - 1, zero)?.pad_axis(1, columns - 1, columns - 1, zero)?;
        let windows = padded.view().windows(0, rows).windows(1, columns);
        sums_of_products(lazy(windows), lazy(weights.view().reverse_axis(0).reverse_axis(1)), [2, 3])
    }

    /// The connected components of a mask, numbered from 1 in the order of their first elements, 0 where the mask is false, and how many there
    /// are: `scipy.ndimage.label(mask)`. Neighbours along an axis are connected, those across a corner are not. Of numbers, label
    /// `x.ne(0)`. Waits for the device, which counts.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[5, 0, 2, 1, 0, 4])?.reshape([2, 3])?;
    /// let (labels, count) = x.gt(0).label()?;
    /// assert_eq!((labels.to_host()?, count), (vec![1, 0, 2, 1, 0, 2], 2));
    /// // The size of each component, after the number of elements in none.
    /// assert_eq!(labels.bincount(count + 1)?.to_host()?, [2, 2, 2]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if there are 2³² elements or more, and as for [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn label(self) -> Result<(DeviceArray<u32>, usize)>
    where
        Self: ArrayLike<Item = bool>,
    {
        label::label(self.lazy())
    }

    /// The values at `coordinates`, which are indices that need not be whole numbers, and `value` outside of the array:
    /// `scipy.ndimage.map_coordinates(x, coordinates, order=1, cval=value)`. The first axis of `coordinates` has an element for each axis of
    /// the array; the result has the others. A coordinate that is NaN is outside.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use gpu_runtime::{Interpolation, Pad};
    ///
    /// let x = Device::cpu().to_device(&[0.0, 1.0, 10.0, 11.0])?.reshape([2, 2])?;
    /// // Half a row down and a quarter of a column to the right, and a place beyond the last row.
    /// let at = Device::cpu().to_device(&[0.5, 2.0, 0.25, 0.0])?.reshape([2, 2])?;
    /// assert_eq!(x.map_coordinates(&at, Interpolation::Linear, -1.0)?.to_host()?, [5.25, -1.0]);
    /// assert_eq!(x.map_coordinates_by(&at, Interpolation::Linear, Pad::Edge)?.to_host()?, [5.25, 10.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the coordinates are not for as many axes, the array has none or more than six, or values are taken of an
    /// array without elements, and as for [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn map_coordinates<C: Float>(
        self,
        coordinates: impl ArrayLike<Item = C>,
        interpolation: Interpolation,
        value: Self::Item,
    ) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float,
    {
        sample::map_coordinates(self.lazy(), coordinates, interpolation, Outside::Value(value))
    }

    /// The same for an array that goes on as `mode` says: `scipy.ndimage.map_coordinates(x, coordinates, order=1, mode=…)`, whose modes
    /// `'nearest'`, `'mirror'`, `'reflect'` and `'grid-wrap'` are [`Pad::Edge`], [`Pad::Reflect`], [`Pad::Symmetric`] and [`Pad::Wrap`]. NaN
    /// where a coordinate is not finite.
    ///
    /// # Errors
    ///
    /// As for [`map_coordinates`](Self::map_coordinates).
    #[track_caller]
    fn map_coordinates_by<C: Float>(
        self,
        coordinates: impl ArrayLike<Item = C>,
        interpolation: Interpolation,
        mode: Pad,
    ) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float,
    {
        sample::map_coordinates(self.lazy(), coordinates, interpolation, Outside::Elements(mode))
    }
}

give_to_arrays! { Filters }

/// The sums along axes of products of windows with weights, rounded once.
#[track_caller]
fn sums_of_products<T: Number, A: Expression<Item = T>, B: Expression<Item = T>>(
    windows: Lazy<A>,
    weights: Lazy<B>,
    axes: impl Into<Axes>,
) -> Result<DeviceArray<T>> {
    T::rounded_elements(functions::mul::map(T::widened(windows), T::widened(weights)).sum_axis(axes)?)
}

/// Refuses an array whose windows have more axes than a view can have.
#[track_caller]
fn check_axes(function: &'static str, rank: usize) -> Result<()> {
    let location = std::panic::Location::caller();
    if rank > MAX_RANK { Err(Error::ResultTooManyAxes { function, rank, location }) } else { Ok(()) }
}
