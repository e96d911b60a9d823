//! Functions of samples: convolution, linear interpolation and recursive filters.

use super::{Contiguous, Sorting, recursive};
use crate::intrinsics::grid_1d;
use crate::memory::DeviceArray;
use crate::scalar::{Float, Num};
use crate::ufunc::{ArrayLike, Number, Summand, give_to_arrays};
use crate::{Error, Result, gpu_kernel};

/// `out[i] = Σ x[i − k] · weights[k]` over all pairs that there are.
#[gpu_kernel]
pub(super) fn convolve_elements<T: Num>(x: &[T], weights: &[T], out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        let first = if i < x.len() { 0 } else { i + 1 - x.len() };
        let end = (i + 1).min(weights.len());
        let mut sum = T::ZERO;
        for k in first..end {
            sum += x[i - k] * weights[k];
        }
        out[i] = sum;
    }
}

/// The function through the points at `x`, where `places[i]` says how many of them are at `at[i]` or before it.
#[gpu_kernel(fmad = false)]
#[allow(clippy::eq_op, reason = "only NaN differs from itself")]
pub(super) fn interpolate<T: Float>(at: &[T], places: &[usize], x: &[T], y: &[T], out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        let place = places[i];
        if place == 0 {
            out[i] = if at[i] != at[i] { at[i] } else { y[0] };
        } else if place == x.len() {
            out[i] = if at[i] != at[i] { at[i] } else { y[place - 1] };
        } else {
            let (left, right) = (x[place - 1], x[place]);
            let slope = (y[place] - y[place - 1]) / (right - left);
            // Between points of which one is infinite, as NumPy: from the left, else from the right, else what both have.
            let mut value = slope * (at[i] - left) + y[place - 1];
            if value != value {
                value = slope * (at[i] - right) + y[place];
            }
            if value != value && y[place] == y[place - 1] {
                value = y[place];
            }
            out[i] = if at[i] == left { y[place - 1] } else { value };
        }
    }
}

/// Functions of samples.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let x = device.to_device(&[1.0, 2.0, 3.0])?;
/// assert_eq!(x.convolve(&device.to_device(&[0.0, 1.0, 0.5])?)?.to_host()?, [0.0, 1.0, 2.5, 4.0, 1.5]);
/// let y = device.to_device(&[3.0, 2.0, 0.0])?;
/// assert_eq!(device.to_device(&[0.0, 1.5, 2.75])?.interp(&x, &y)?.to_host()?, [3.0, 2.5, 0.5]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub trait Signals: ArrayLike {
    /// The convolution of two arrays with one axis, with all places where they overlap: `np.convolve(x, weights)`.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if one of them has more axes or fewer than one, or no elements, and as for [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn convolve(self, weights: impl ArrayLike<Item = Self::Item>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Number,
    {
        let (x, weights) = (Summand::widened(self.lazy()), Summand::widened(weights.lazy()));
        let (shape, of_weights) = (x.shape()?, weights.shape()?);
        if shape.rank() != 1 || of_weights.rank() != 1 || shape == [0] || of_weights == [0] {
            return Err(Error::shape_mismatch("convolve", shape, of_weights, "both have one axis and at least one element"));
        }
        let (x, weights) = (x.stored_with(&weights)?, weights.stored_with(&x)?);
        let (x, weights) = (Contiguous::of(&x)?, Contiguous::of(&weights)?);
        let (x, weights) = (x.slice(), weights.slice());
        let mut out = DeviceArray::unspecified(x.device(), (x.len() + weights.len() - 1).into())?;
        let len = out.len();
        convolve_elements(x, weights, &mut out).forall(len)?;
        Summand::rounded_elements(out)
    }

    /// The values at these places of the function that is linear between the points `(x[i], y[i])` and constant outside:
    /// `np.interp(self, x, y)`. `x` must ascend. At several points of one `x`, the value is that of the last.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if `x` and `y` have different shapes, more axes or fewer than one, or no elements, and as for
    /// [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn interp(self, x: impl ArrayLike<Item = Self::Item>, y: impl ArrayLike<Item = Self::Item>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float,
    {
        let (at, x, y) = (self.lazy(), x.lazy(), y.lazy());
        let (shape, of_x, of_y) = (at.shape()?, x.shape()?, y.shape()?);
        if of_x != of_y || of_x.rank() != 1 || of_x == [0] {
            return Err(Error::shape_mismatch(
                "interp",
                of_x,
                of_y,
                "the points are two arrays with one axis, of the same length and not empty",
            ));
        }
        let device = at.own_device().or(x.own_device()).or(y.own_device());
        let (at, x, y) = (at.stored_near(device)?, x.stored_near(device)?, y.stored_near(device)?);
        let (at, x, y) = (Contiguous::of(&at)?, Contiguous::of(&x)?, Contiguous::of(&y)?);
        let (at, x, y) = (at.slice(), x.slice(), y.slice());
        let places = x.searchsorted_right(at)?;
        let mut out = DeviceArray::unspecified(x.device(), shape)?;
        if !out.is_empty() {
            interpolate(at, &places, x, y, &mut out).forall(at.len())?;
        }
        Ok(out)
    }

    /// The samples of each row, along the last axis, filtered by sections of second order, one after the other:
    /// `scipy.signal.sosfilt(sections, self)`. A row of `sections` is `[b0, b1, b2, a0, a1, a2]`, as `scipy.signal.butter(…, output='sos')`
    /// returns them, and is divided by its `a0`. Filters start from zeros. `scipy.signal.lfilter(b, a, self)` of second order or less is one
    /// section.
    ///
    /// A GPU cuts rows into chunks if there are few. Then sums are rounded otherwise, as if the samples had other last bits.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// // y[t] = x[t] + y[t − 1] / 2
    /// let sections = device.to_device(&[1.0, 0.0, 0.0, 1.0, -0.5, 0.0])?.reshape([1, 6])?;
    /// assert_eq!(device.to_device(&[8.0, 0.0, 0.0, 1.0])?.sosfilt(&sections)?.to_host()?, [8.0, 4.0, 2.0, 2.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the sections are not rows of six or the samples have no axis, and as for
    /// [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn sosfilt(self, sections: impl ArrayLike<Item = Self::Item>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float,
    {
        recursive::sosfilt(self.lazy(), sections)
    }
}

give_to_arrays! { Signals }
