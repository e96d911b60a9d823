//! Statistics of numbers.

use super::collected;
use crate::Result;
use crate::functions;
use crate::memory::DeviceArray;
use crate::scalar::{Float, Num};
use crate::ufunc::{ArrayLike, Axes, Elementwise, Number, Reductions, give_to_arrays, keep_dims};

/// Statistics of floats, in their own type.
///
/// Variances take two passes: the mean first, then the mean of the squared distances from it. `ddof` is subtracted from the number of
/// elements by which the sum is divided: 0 for all of a population, 1 for a sample, as in NumPy.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[1.0, 2.0, 3.0, 6.0])?.reshape([2, 2])?;
/// assert_eq!((x.var(0)?, x.var(1)?), (3.5, 14.0 / 3.0));
/// assert_eq!(x.std_axis(1, 0)?.to_host()?, [0.5, 1.5]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub trait Statistics: ArrayLike {
    /// The variance: `x.var(ddof=ddof)`; NaN for no elements.
    ///
    /// # Errors
    ///
    /// As for [`mean`](Reductions::mean).
    #[track_caller]
    fn var(self, ddof: usize) -> Result<Self::Item>
    where
        Self::Item: Float + Number<Mean = Self::Item>,
        Self::Expression: Clone,
    {
        let lazy = self.lazy();
        let count = lazy.shape()?.checked_len().unwrap_or(usize::MAX);
        let mean: Self::Item = lazy.clone().mean()?;
        let sum: Self::Item = functions::sub::map(lazy, mean).square().sum()?;
        Ok(sum / degrees::<Self::Item>(count, ddof))
    }

    /// The standard deviation: `x.std(ddof=ddof)`; NaN for no elements.
    ///
    /// # Errors
    ///
    /// As for [`var`](Self::var).
    #[track_caller]
    fn std(self, ddof: usize) -> Result<Self::Item>
    where
        Self::Item: Float + Number<Mean = Self::Item>,
        Self::Expression: Clone,
    {
        Ok(self.var(ddof)?.sqrt())
    }

    /// The variances along axes: `x.var(axis, ddof=ddof)`.
    ///
    /// # Errors
    ///
    /// As for [`mean_axis`](Reductions::mean_axis).
    #[track_caller]
    fn var_axis(self, axes: impl Into<Axes>, ddof: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float + Number<Mean = Self::Item>,
        Self::Expression: Clone,
    {
        let (lazy, axes) = (self.lazy(), axes.into());
        let count = axes.elements(lazy.shape()?);
        let means: DeviceArray<Self::Item> = lazy.clone().mean_axis(keep_dims(axes))?;
        let sums: DeviceArray<Self::Item> = functions::sub::map(lazy, &means).square().sum_axis(axes)?;
        collected(functions::div::map(&sums, degrees::<Self::Item>(count, ddof)))
    }

    /// The standard deviations along axes: `x.std(axis, ddof=ddof)`.
    ///
    /// # Errors
    ///
    /// As for [`var_axis`](Self::var_axis).
    #[track_caller]
    fn std_axis(self, axes: impl Into<Axes>, ddof: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Float + Number<Mean = Self::Item>,
        Self::Expression: Clone,
    {
        let variances = self.var_axis(axes, ddof)?;
        collected(variances.sqrt())
    }
}

give_to_arrays! { Statistics }

/// The number that a sum of squares is divided by.
fn degrees<T: Float>(count: usize, ddof: usize) -> T {
    count.saturating_sub(ddof).cast::<T>()
}
