//! Statistics of numbers.

use super::collected;
use crate::Result;
use crate::functions::{self, VarianceElement};
use crate::memory::DeviceArray;
use crate::scalar::{Float, Num};
use crate::ufunc::{Apply, ArrayLike, Axes, Elementwise, Expression, IntoLazy, Lazy, Reductions, give_to_arrays, keep_dims};

/// Statistics of floats, in their own type, and of complex numbers.
///
/// Variances take two passes: the mean first, then the mean of the squared distances from it. `ddof` is subtracted from the number of
/// elements by which the sum is divided: 0 for all of a population, 1 for a sample, as in NumPy. Distances of complex numbers are absolute
/// values, so their variances are floats.
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
    fn var(self, ddof: usize) -> Result<Real<Self>>
    where
        Self::Item: VarianceElement,
        Self::Expression: Clone,
    {
        let lazy = self.lazy();
        let count = lazy.shape()?.checked_len().unwrap_or(usize::MAX);
        let mean: Self::Item = lazy.clone().mean()?;
        let sum = squared_distances(lazy, mean).sum()?;
        Ok(sum / degrees::<Real<Self>>(count, ddof))
    }

    /// The standard deviation: `x.std(ddof=ddof)`; NaN for no elements.
    ///
    /// # Errors
    ///
    /// As for [`var`](Self::var).
    #[track_caller]
    fn std(self, ddof: usize) -> Result<Real<Self>>
    where
        Self::Item: VarianceElement,
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
    fn var_axis(self, axes: impl Into<Axes>, ddof: usize) -> Result<DeviceArray<Real<Self>>>
    where
        Self::Item: VarianceElement,
        Self::Expression: Clone,
    {
        let (lazy, axes) = (self.lazy(), axes.into());
        let count = axes.elements(lazy.shape()?);
        let means: DeviceArray<Self::Item> = lazy.clone().mean_axis(keep_dims(axes))?;
        let sums = squared_distances(lazy, &means).sum_axis(axes)?;
        collected(functions::div::map(&sums, degrees::<Real<Self>>(count, ddof)))
    }

    /// The standard deviations along axes: `x.std(axis, ddof=ddof)`.
    ///
    /// # Errors
    ///
    /// As for [`var_axis`](Self::var_axis).
    #[track_caller]
    fn std_axis(self, axes: impl Into<Axes>, ddof: usize) -> Result<DeviceArray<Real<Self>>>
    where
        Self::Item: VarianceElement,
        Self::Expression: Clone,
    {
        let variances = self.var_axis(axes, ddof)?;
        collected(variances.sqrt())
    }
}

give_to_arrays! { Statistics }

/// The type of the variance of an array's elements.
type Real<A> = <<A as ArrayLike>::Item as VarianceElement>::Real;

/// The squares of the distances from `mean`.
fn squared_distances<T, E, M>(lazy: Lazy<E>, mean: M) -> Lazy<impl Expression<Item = T::Real>>
where
    T: VarianceElement,
    E: Expression<Item = T>,
    M: IntoLazy<T>,
{
    let distances = Apply::<T::Sub, _>::new((lazy.into_inner(), mean.into_lazy().into_inner()));
    Lazy::new(Apply::<T::NormSqr, _>::new((distances,)))
}

/// The number that a sum of squares is divided by.
fn degrees<T: Float>(count: usize, ddof: usize) -> T {
    count.saturating_sub(ddof).cast::<T>()
}
