//! Statistics of numbers.

use super::collected;
use crate::Result;
use crate::functions::{self, ArithmeticElement, VarianceElement};
use crate::memory::DeviceArray;
use crate::scalar::{Float, Num};
use crate::ufunc::{Apply, ArrayLike, Axes, Expression, IntoLazy, Lazy, Reductions, Summand, give_to_arrays, keep_dims};

/// Statistics of floats, in their own type (`f16` and `bf16` are computed in `f32`), and of complex numbers.
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
        Ok(Summand::rounded(variance(self.lazy(), ddof)?))
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
        Ok(Summand::rounded(variance(self.lazy(), ddof)?.sqrt()))
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
        Summand::rounded_elements(variances(self.lazy(), axes.into(), ddof)?)
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
        let variances = variances(self.lazy(), axes.into(), ddof)?;
        Summand::rounded_elements(collected(functions::sqrt::map(variances))?)
    }
}

give_to_arrays! { Statistics }

/// The type of the variance of an array's elements.
type Real<A> = <<A as ArrayLike>::Item as VarianceElement>::Real;

/// In what the variance of such elements is computed.
type RealSum<T> = <<T as VarianceElement>::Real as Summand>::Sum;

/// The variance, not rounded to the type of the elements.
#[track_caller]
fn variance<T: VarianceElement, E: Expression<Item = T> + Clone>(lazy: Lazy<E>, ddof: usize) -> Result<RealSum<T>> {
    let count = lazy.shape()?.checked_len().unwrap_or(usize::MAX);
    let mean: T::Sum = T::widened(lazy.clone()).mean()?;
    let sum: RealSum<T> = squared_distances(lazy, mean).sum()?;
    Ok(sum / degrees(count, ddof))
}

/// The variances along axes, not rounded to the type of the elements.
#[track_caller]
fn variances<T, E>(lazy: Lazy<E>, axes: Axes, ddof: usize) -> Result<DeviceArray<RealSum<T>>>
where
    T: VarianceElement,
    E: Expression<Item = T> + Clone,
{
    let count = axes.elements(lazy.shape()?);
    let means: DeviceArray<T::Sum> = T::widened(lazy.clone()).mean_axis(keep_dims(axes))?;
    let sums: DeviceArray<RealSum<T>> = squared_distances(lazy, &means).sum_axis(axes)?;
    collected(functions::div::map(&sums, degrees::<RealSum<T>>(count, ddof)))
}

/// The squares of the distances from `mean`.
fn squared_distances<T, E, M>(lazy: Lazy<E>, mean: M) -> Lazy<impl Expression<Item = RealSum<T>>>
where
    T: VarianceElement,
    E: Expression<Item = T>,
    M: IntoLazy<T::Sum>,
{
    let distances = Apply::<<T::Sum as ArithmeticElement>::Sub, _>::new((T::widened(lazy).into_inner(), mean.into_lazy().into_inner()));
    Lazy::new(Apply::<T::NormSqr, _>::new((distances,)))
}

/// The number that a sum of squares is divided by.
fn degrees<T: Float>(count: usize, ddof: usize) -> T {
    count.saturating_sub(ddof).cast::<T>()
}
