//! Statistics of numbers.

use super::{MatrixElement, Products, collected};
use crate::error::MatrixProblem;
use crate::failure::called;
use crate::functions::{self, ArithmeticElement, VarianceElement, VarianceSum};
use crate::memory::{DeviceArray, Shape};
use crate::scalar::{Float, Num};
use crate::ufunc::{Apply, ArrayLike, Axes, Expression, IntoLazy, Lazy, Reductions, Summand, give_to_arrays, keep_dims};
use crate::{Error, Result, vectorize};

/// Statistics of floats, in their own type (`f16` and `bf16` are computed in `f32`), and of complex numbers.
///
/// Variances take three passes: the mean, the mean of the distances from it, which the rounding of the first one leaves, and the mean of the
/// squared distances from both. So they are right for elements with a mean that is large beside their deviation. `ddof` is subtracted from the number of
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
    fn var(self, ddof: usize /* NumPy's default: `x.var(0)?`; along axes: `x.var_axis(0, 0)?` */) -> Result<Real<Self>>
    where
        Self::Item: VarianceElement,
    {
        let _call = called("var");
        Ok(Summand::rounded(variance(self.lazy(), ddof)?))
    }

    /// The standard deviation: `x.std(ddof=ddof)`; NaN for no elements.
    ///
    /// # Errors
    ///
    /// As for [`var`](Self::var).
    #[track_caller]
    fn std(self, ddof: usize /* NumPy's default: `x.std(0)?`; along axes: `x.std_axis(0, 0)?` */) -> Result<Real<Self>>
    where
        Self::Item: VarianceElement,
    {
        let _call = called("std");
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
    {
        let _call = called("var");
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
    {
        let _call = called("std");
        let variances = variances(self.lazy(), axes.into(), ddof)?;
        Summand::rounded_elements(collected(functions::sqrt::map(variances))?)
    }

    /// The covariances of the rows of a matrix, each of which is a variable with an observation in each column: `np.cov(x, ddof=ddof)`, where
    /// NumPy's `ddof` is 1 if there is none. The variance of an array with one axis.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0, 2.0, 3.0, 2.0, 4.0, 9.0])?.reshape([2, 3])?;
    /// assert_eq!(x.cov(1)?.to_host()?, [1.0, 3.5, 3.5, 13.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::UnsuitableMatrix`] if the array has neither one axis nor two, and as for [`mean_axis`](Reductions::mean_axis).
    #[track_caller]
    fn cov(self, ddof: usize /* NumPy's default: `x.cov(1)?` */) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: CovarianceElement,
    {
        covariances("cov", self.lazy(), ddof)
    }

    /// The correlations of the rows of a matrix, from -1 to 1: `np.corrcoef(x)`. NaN for a row whose elements are all equal.
    ///
    /// # Errors
    ///
    /// As for [`cov`](Self::cov).
    #[track_caller]
    fn corrcoef(self) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: CovarianceElement,
    {
        let covariances = covariances("corrcoef", self.lazy(), 0)?;
        let rows = covariances.shape().extents().first().copied().unwrap_or(1);
        let of_each = covariances.view().reshape([rows * rows])?.slice_axis_step(0, .., rows as isize + 1);
        let of_rows = of_each.insert_axis(1);
        collected(correlation::map(covariances.view().reshape([rows, rows])?, of_rows, of_each))?.reshape(covariances.shape())
    }
}

give_to_arrays! { Statistics }

/// A float whose covariances are computed in its own type: `f32` and `f64`.
#[diagnostic::on_unimplemented(message = "covariances are for `f32` and `f64`, not `{Self}`", label = "use `cast` for another type")]
pub trait CovarianceElement: Float + MatrixElement + VarianceElement + Summand<Sum = Self, Mean = Self> {}

impl CovarianceElement for f32 {}
impl CovarianceElement for f64 {}

/// The correlation of variables with that covariance and these variances.
#[vectorize]
fn correlation<T: Float>(covariance: T, of_row: T, of_column: T) -> T {
    (covariance / of_row.sqrt() / of_column.sqrt()).clamp(-T::ONE, T::ONE)
}

#[track_caller]
fn covariances<T: CovarianceElement, E: Expression<Item = T>>(function: &'static str, x: Lazy<E>, ddof: usize) -> Result<DeviceArray<T>> {
    let shape = x.shape()?;
    let (rows, count, of_result): (usize, usize, Shape) = match *shape.extents() {
        [count] => (1, count, [].into()),
        [rows, count] => (rows, count, [rows, rows].into()),
        _ => return Err(Error::unsuitable(function, shape, MatrixProblem::NotAMatrix)),
    };
    let x = collected(x)?.reshape([rows, count])?;
    let means: DeviceArray<T> = x.mean_axis(keep_dims(1))?;
    let distances = functions::sub::map(&x, &means);
    // As for variances: what the rounding of the means leaves.
    let rests: DeviceArray<T> = distances.mean_axis(keep_dims(1))?;
    let centered = collected(functions::sub::map(distances, &rests))?;
    let products = centered.matmul(centered.view().t())?;
    collected(functions::div::map(&products, degrees::<T>(count, ddof)))?.reshape(of_result)
}

/// The type of the variance of an array's elements.
type Real<A> = <<A as ArrayLike>::Item as VarianceElement>::Real;

/// In what the variance of such elements is computed.
type RealSum<T> = <<T as VarianceElement>::Real as Summand>::Sum;

/// The variance, not rounded to the type of the elements.
#[track_caller]
fn variance<T: VarianceElement, E: Expression<Item = T>>(lazy: Lazy<E>, ddof: usize) -> Result<RealSum<T>> {
    let count = lazy.shape()?.checked_len().unwrap_or(usize::MAX);
    let mean: T::Sum = T::widened(lazy.clone()).mean()?;
    let distances = distances(T::widened(lazy), mean);
    let rest: T::Sum = distances.clone().mean()?;
    let sum: RealSum<T> = squared_distances::<T, _, _>(distances, rest).sum()?;
    Ok(sum / degrees(count, ddof))
}

/// The variances along axes, not rounded to the type of the elements.
#[track_caller]
fn variances<T, E>(lazy: Lazy<E>, axes: Axes, ddof: usize) -> Result<DeviceArray<RealSum<T>>>
where
    T: VarianceElement,
    E: Expression<Item = T>,
{
    let count = axes.elements(lazy.shape()?);
    let means: DeviceArray<T::Sum> = T::widened(lazy.clone()).mean_axis(keep_dims(axes))?;
    let distances = distances(T::widened(lazy), &means);
    let rests: DeviceArray<T::Sum> = distances.clone().mean_axis(keep_dims(axes))?;
    let sums: DeviceArray<RealSum<T>> = squared_distances::<T, _, _>(distances, &rests).sum_axis(axes)?;
    collected(functions::div::map(&sums, degrees::<RealSum<T>>(count, ddof)))
}

/// The distances of elements from means.
type Distances<T, E, M> = Lazy<Apply<<T as ArithmeticElement>::Sub, (E, M)>>;

/// The distances from `mean`.
fn distances<T, E, M>(lazy: Lazy<E>, mean: M) -> Distances<T, E, M::Expression>
where
    T: VarianceSum,
    E: Expression<Item = T>,
    M: IntoLazy<T>,
{
    Lazy::new(Apply::new((lazy.into_inner(), mean.into_lazy().into_inner())))
}

/// The squares of the distances from `mean`.
fn squared_distances<T, E, M>(lazy: Lazy<E>, mean: M) -> Lazy<impl Expression<Item = RealSum<T>>>
where
    T: VarianceElement,
    E: Expression<Item = T::Sum>,
    M: IntoLazy<T::Sum>,
{
    Lazy::new(Apply::<T::NormSqr, _>::new((distances(lazy, mean).into_inner(),)))
}

/// The number that a sum of squares is divided by.
fn degrees<T: Float>(count: usize, ddof: usize) -> T {
    count.saturating_sub(ddof).cast::<T>()
}
