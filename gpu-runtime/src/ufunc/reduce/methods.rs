//! The reductions that every array has.

use super::functions::{All, Any, ArgMax, ArgMin, Indexed, Max, Min, Multiply, Prod, Sum, ToCount, ToMean};
use super::summands::{Accumulator, Flag, Number, Summand};
use super::{reduce, reduce_axis};
use crate::Result;
use crate::failure::called;
use crate::functions::{self, ArithmeticElement, VarianceElement};
use crate::memory::{Axis, DeviceArray};
use crate::scalar::Float;
use crate::source::Element;
use crate::ufunc::array_like::give_to_arrays;
use crate::ufunc::expression::{IndexInput, ScalarInput};
use crate::ufunc::{Apply, ArrayLike, Axes, Expression, IntoLazy, Lazy, ReduceFunction};

/// A reduction of all elements, and one along axes, for each function, with the bound of the elements. `$fold` and `$fold_axis` compute it.
macro_rules! reductions {
    ($(
        $(#[$doc:meta])*
        $all:ident, $(#[$doc_axis:meta])* $axis:ident: $F:ident of $Bound:ident, by $fold:ident, $fold_axis:ident;
    )*) => {$(
        $(#[$doc])*
        #[track_caller]
        fn $all(self) -> Result<Self::Item>
        where
            Self::Item: $Bound,
        {
            $fold::<$F<_>, _, _>(self.lazy())
        }

        $(#[$doc_axis])*
        ///
        /// # Errors
        ///
        /// As listed above.
        #[track_caller]
        fn $axis(self, axes: impl Into<Axes>) -> Result<DeviceArray<Self::Item>>
        where
            Self::Item: $Bound,
        {
            $fold_axis::<$F<_>, _, _>(self.lazy(), axes.into())
        }
    )*};
}

/// Reductions of arrays to one value, or along axes.
///
/// Each is one kernel that reads every array of the expression once: `f::map(&x, &y).sum()` creates no temporary array. The value is
/// returned to the host, so the call waits for all earlier operations on the device, and reports kernels that failed.
///
/// | here | NumPy |
/// |---|---|
/// | `x.sum()?`, `x.sum_axis(0)?`, `x.sum_axis([0, 2])?` | `x.sum()`, `x.sum(axis=0)`, `x.sum(axis=(0, 2))` |
/// | `x.sum_axis(keep_dims(0))?` | `x.sum(axis=0, keepdims=True)` |
/// | `prod`, `min`, `max`, `mean`, `argmin`, `argmax`, and each with `_axis` | the same |
/// | `x.dot(&y)?` | `np.vdot(x, y)` |
/// | `any`, `all`, `count`, and each with `_axis`, for `bool` | `x.any()`, `x.all()`, `np.count_nonzero(x)` |
///
/// Integers and floats are summed in their own type, but `f16` and `bf16` in `f32`: their sums, products, means and norms are rounded once.
///
/// A result is the same in every run. Floats are summed in thousands of partial sums, so that the error grows about as slowly as in NumPy's
/// pairwise summation. The partial sums depend on the device, so the last digits of a float may too. `-0.0` equals `0.0`, and `min` and
/// `max` may return either.
///
/// The `_axis` forms reduce along [one axis or several](Axes), counted from 0, and return an array of the shape without them, on the
/// device. They do not wait.
///
/// All of them return the errors of [`collect`](Lazy::collect), those without `_axis` also
/// [`Error::KernelFailed`](crate::Error::KernelFailed), and those with it [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange) and
/// [`Error::RepeatedAxis`](crate::Error::RepeatedAxis).
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let x = device.to_device(&[3.0f32, 1.0, 2.0])?;
/// assert_eq!(x.sum()?, 6.0);
/// assert_eq!(x.dot(&x)?, 14.0);
/// assert_eq!((x.min()?, x.argmin()?), (1.0, 1));
/// assert_eq!(iota([2, 3]).on(&device).sum_axis(1)?.to_host()?, [3, 12]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub trait Reductions: ArrayLike {
    reductions! {
        /// The sum; 0 for no elements. Integers wrap around in their own type: for a wider type, convert them first.
        ///
        /// # Errors
        ///
        /// As listed above.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let x = Device::cpu().to_device(&[200u8, 100])?;
        /// assert_eq!((x.sum()?, x.cast::<u32>().sum()?), (44, 300));
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        sum, // along axes: `x.sum_axis(0)?`
        /// The sums along axes.
        sum_axis: Sum of Summand, by sum, sum_axis;

        /// The product; 1 for no elements. Integers wrap around.
        ///
        /// # Errors
        ///
        /// As listed above.
        prod, // along axes: `x.prod_axis(0)?`
        /// The products along axes.
        prod_axis: Prod of Summand, by sum, sum_axis;

        /// The lowest element, or NaN if there is one.
        ///
        /// # Errors
        ///
        /// [`Error::EmptyReduction`](crate::Error::EmptyReduction) of nothing, and as listed above.
        min, // along axes: `x.min_axis(0)?`; of two arrays: `x.minimum(&y)`
        /// The lowest elements along axes; [`Error::EmptyReduction`](crate::Error::EmptyReduction) if these have no elements.
        min_axis: Min of Number, by fold, fold_axis;

        /// The highest element, or NaN if there is one.
        ///
        /// # Errors
        ///
        /// [`Error::EmptyReduction`](crate::Error::EmptyReduction) of nothing, and as listed above.
        max, // along axes: `x.max_axis(0)?`; of two arrays: `x.maximum(&y)`
        /// The highest elements along axes; [`Error::EmptyReduction`](crate::Error::EmptyReduction) if these have no elements.
        max_axis: Max of Number, by fold, fold_axis;

        /// Whether any element is true: `np.any(x)`; `false` for no elements. All elements are read.
        ///
        /// # Errors
        ///
        /// As listed above.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let x = Device::cpu().to_device(&[true, false, true])?;
        /// assert_eq!((x.any()?, x.all()?, x.count()?), (true, false, 2));
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        any, // along axes: `x.any_axis(0)?`
        /// Whether any element along axes is true.
        any_axis: Any of Flag, by fold, fold_axis;

        /// Whether all elements are true: `np.all(x)`; `true` for no elements.
        ///
        /// # Errors
        ///
        /// As listed above.
        all, // along axes: `x.all_axis(0)?`
        /// Whether all elements along axes are true.
        all_axis: All of Flag, by fold, fold_axis;
    }

    /// The number of true elements: `np.count_nonzero(x)`.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn count(self /* along axes: `x.count_axis(0)?` */) -> Result<usize>
    where
        Self::Item: Flag,
    {
        let _call = called("count");
        reduce::<Sum<usize>, _>(counts(self.lazy()))
    }

    /// The number of true elements along axes.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn count_axis(self, axes: impl Into<Axes>) -> Result<DeviceArray<usize>>
    where
        Self::Item: Flag,
    {
        let _call = called("count");
        reduce_axis::<Sum<usize>, _>(counts(self.lazy()), axes)
    }

    /// The mean: an `f64` for integers, their own type for floats and complex numbers; NaN for no elements.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn mean(self /* along axes: `x.mean_axis(0)?` */) -> Result<<Self::Item as Summand>::Mean>
    where
        Self::Item: Summand,
    {
        let _call = called("mean");
        let lazy = self.lazy();
        // If the elements cannot be counted, the reduction returns an error.
        let elements = lazy.shape()?.checked_len().unwrap_or(usize::MAX);
        let sum = reduce::<Sum<MeanSum<Self::Item>>, _>(means(Self::Item::widened(lazy)))?;
        let count = <Self::Item as Summand>::Sum::count(elements);
        Ok(<Self::Item as Summand>::Mean::rounded(<Self::Item as Summand>::Sum::divide(sum, count)))
    }

    /// The means along axes.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn mean_axis(self, axes: impl Into<Axes>) -> Result<DeviceArray<<Self::Item as Summand>::Mean>>
    where
        Self::Item: Summand,
    {
        let _call = called("mean");
        let (lazy, axes) = (self.lazy(), axes.into());
        let count = <Self::Item as Summand>::Sum::count(axes.elements(lazy.shape()?));
        let sums = reduce_axis::<Sum<MeanSum<Self::Item>>, _>(means(Self::Item::widened(lazy)), axes)?;
        let arguments = ((&sums).into_lazy().expression, ScalarInput(count));
        let quotients = elements(Lazy::new(Apply::<Quotient<<Self::Item as Summand>::Sum>, _>::new(arguments)))?;
        <Self::Item as Summand>::Mean::rounded_elements(quotients)
    }

    /// The index of the lowest element, in C order: the first NaN if there is one, and the first of equal elements.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`](crate::Error::EmptyReduction) of nothing, and as listed above.
    #[track_caller]
    fn argmin(self /* along axes: `x.argmin_axis(0)?` */) -> Result<usize>
    where
        Self::Item: Number,
    {
        Ok(reduce::<ArgMin<Self::Item>, _>(with_indices(self.lazy())?)?.1)
    }

    /// The indices of the lowest elements along an axis.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`](crate::Error::EmptyReduction) if the axis has no elements, and as listed above.
    #[track_caller]
    fn argmin_axis(self, axis: impl Axis) -> Result<DeviceArray<usize>>
    where
        Self::Item: Number,
    {
        let (pairs, axis) = with_indices_along(self.lazy(), axis, "argmin")?;
        Ok(reduce_axis::<ArgMin<Self::Item>, _>(pairs, axis)?.1)
    }

    /// The index of the highest element, in C order: the first NaN if there is one, and the first of equal elements.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`](crate::Error::EmptyReduction) of nothing, and as listed above.
    #[track_caller]
    fn argmax(self /* along axes: `x.argmax_axis(0)?` */) -> Result<usize>
    where
        Self::Item: Number,
    {
        Ok(reduce::<ArgMax<Self::Item>, _>(with_indices(self.lazy())?)?.1)
    }

    /// The indices of the highest elements along an axis.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`](crate::Error::EmptyReduction) if the axis has no elements, and as listed above.
    #[track_caller]
    fn argmax_axis(self, axis: impl Axis) -> Result<DeviceArray<usize>>
    where
        Self::Item: Number,
    {
        let (pairs, axis) = with_indices_along(self.lazy(), axis, "argmax")?;
        Ok(reduce_axis::<ArgMax<Self::Item>, _>(pairs, axis)?.1)
    }

    /// The sum of the products with the elements of `other`, which is broadcast: `np.vdot(x, y)` for arrays of one shape.
    ///
    /// # Errors
    ///
    /// [`Error::BroadcastMismatch`](crate::Error::BroadcastMismatch) if the shapes cannot be broadcast together, and as listed above.
    #[track_caller]
    fn dot<B: IntoLazy<Self::Item>>(self, other: B) -> Result<Self::Item>
    where
        Self::Item: Summand,
    {
        let _call = called("dot");
        let arguments = (Self::Item::widened(self.lazy()).expression, Self::Item::widened(other.into_lazy()).expression);
        let sum = reduce::<Sum<<Self::Item as Summand>::Sum>, _>(Lazy::new(Apply::<Multiply<_>, _>::new(arguments)))?;
        Ok(Self::Item::rounded(sum))
    }

    /// The square root of the sum of the squares: `np.linalg.norm(x)`. Squares that overflow make it infinite. Of complex numbers, the squares are
    /// those of the absolute values.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn norm(self /* along axes: `x.norm_axis(0)?` */) -> Result<<Self::Item as VarianceElement>::Real>
    where
        Self::Item: VarianceElement,
    {
        let _call = called("norm");
        Ok(Summand::rounded(squares(self.lazy()).sum()?.sqrt()))
    }

    /// The same along axes: `np.linalg.norm(x, axis=axes)`.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn norm_axis(self, axes: impl Into<Axes>) -> Result<DeviceArray<<Self::Item as VarianceElement>::Real>>
    where
        Self::Item: VarianceElement,
    {
        let _call = called("norm");
        let sums: DeviceArray<RealSum<Self::Item>> = squares(self.lazy()).sum_axis(axes)?;
        Summand::rounded_elements(elements(functions::sqrt::map(sums))?)
    }
}

give_to_arrays! { Reductions }

/// The elements in a new array: for a type that is not known, `collect` does not say what it returns.
#[track_caller]
fn elements<T: Element, E: Expression<Item = T>>(lazy: Lazy<E>) -> Result<DeviceArray<T>> {
    lazy.collect()
}

/// [`reduce`] in the type of the elements.
#[track_caller]
fn fold<F, T, E>(lazy: Lazy<E>) -> Result<T>
where
    F: ReduceFunction<Output = T>,
    E: Expression<Item = T>,
{
    reduce::<F, E>(lazy)
}

/// [`reduce_axis`] of elements that are not tuples.
#[track_caller]
fn fold_axis<F, T, E>(lazy: Lazy<E>, axes: Axes) -> Result<DeviceArray<T>>
where
    F: ReduceFunction<Output = T>,
    T: Element,
    E: Expression<Item = T>,
{
    reduce_axis::<F, E>(lazy, axes)
}

/// [`reduce`] in the type in which such elements are summed.
#[track_caller]
fn sum<F, T, E>(lazy: Lazy<E>) -> Result<T>
where
    F: ReduceFunction<Output = T::Sum>,
    T: Summand,
    E: Expression<Item = T>,
{
    Ok(T::rounded(reduce::<F, _>(T::widened(lazy))?))
}

/// [`reduce_axis`] in the type in which such elements are summed.
#[track_caller]
fn sum_axis<F, T, E>(lazy: Lazy<E>, axes: Axes) -> Result<DeviceArray<T>>
where
    F: ReduceFunction<Output = T::Sum>,
    T: Summand,
    E: Expression<Item = T>,
{
    T::rounded_elements(reduce_axis::<F, _>(T::widened(lazy), axes)?)
}

/// In what the mean of such elements is computed.
type MeanSum<T> = <<T as Summand>::Sum as Accumulator>::Mean;

/// A sum over how many elements it has.
type Quotient<T> = <<T as Accumulator>::Mean as ArithmeticElement<<T as Accumulator>::Count>>::Div;

/// In what the variance of such elements is computed.
type RealSum<T> = <<T as VarianceElement>::Real as Summand>::Sum;

/// Elements as their means have them.
pub(super) fn means<T: Accumulator, E: Expression<Item = T>>(lazy: Lazy<E>) -> Lazy<Apply<ToMean<T>, (E,)>> {
    Lazy::new(Apply::new((lazy.expression,)))
}

/// The squares of the absolute values.
fn squares<T: VarianceElement, E: Expression<Item = T>>(lazy: Lazy<E>) -> Lazy<impl Expression<Item = RealSum<T>>> {
    Lazy::new(Apply::<T::NormSqr, _>::new((T::widened(lazy).expression,)))
}

/// 1 for each that is true, else 0.
pub(super) fn counts<T: Flag, E: Expression<Item = T>>(lazy: Lazy<E>) -> Lazy<Apply<ToCount<T>, (E,)>> {
    Lazy::new(Apply::new((lazy.expression,)))
}

/// Elements with their indices.
pub(super) type Pairs<T, E> = Apply<Indexed<T>, (E, IndexInput)>;

/// Pairs of each element and its index.
#[track_caller]
fn with_indices<T: Number, E: Expression<Item = T>>(lazy: Lazy<E>) -> Result<Lazy<Pairs<T, E>>> {
    let shape = lazy.shape()?;
    Ok(Lazy::new(Apply::new((lazy.expression, IndexInput::of_elements(shape)))))
}

/// Pairs of each element and its index along an axis, and the number of that axis.
#[track_caller]
fn with_indices_along<T: Number, E: Expression<Item = T>>(
    lazy: Lazy<E>,
    axis: impl Axis,
    function: &'static str,
) -> Result<(Lazy<Pairs<T, E>>, usize)> {
    let shape = lazy.shape()?;
    let axis = axis.checked(function, shape)?;
    Ok((Lazy::new(Apply::new((lazy.expression, IndexInput::along(shape, axis)))), axis))
}
