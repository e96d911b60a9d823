//! The reductions that every lazy array has.

use super::functions::{All, Any, ArgMax, ArgMin, Divide, Indexed, Max, Min, Multiply, Number, Prod, Sum, ToCount, ToMean};
use super::{reduce, reduce_axis};
use crate::memory::DeviceArray;
use crate::ufunc::expression::{IndexInput, ScalarInput};
use crate::ufunc::{Apply, Expression, IntoLazy, Lazy};
use crate::{Error, Result};

/// # Reductions of numbers
///
/// Each is one kernel that reads every array of the expression once: `f::map(&x, &y).sum()` creates no temporary array. The value is
/// returned to the host, so the call waits for all earlier operations on the device, and reports kernels that failed.
///
/// | here | NumPy |
/// |---|---|
/// | `x.lazy().sum()?`, `x.lazy().sum_axis(0)?` | `x.sum()`, `x.sum(axis=0)` |
/// | `prod`, `min`, `max`, `mean`, `argmin`, `argmax`, and each with `_axis` | the same |
/// | `x.lazy().dot(&y)?` | `np.vdot(x, y)` |
/// | `any`, `all`, `count`, and each with `_axis`, for `bool` | `x.any()`, `x.all()`, `np.count_nonzero(x)` |
///
/// A result is the same in every run. Floats are summed in thousands of partial sums, so that the error grows about as slowly as in NumPy's
/// pairwise summation. The partial sums depend on the device, so the last digits of a float may too. `-0.0` equals `0.0`, and `min` and
/// `max` may return either.
///
/// The `_axis` forms reduce along one axis, counted from 0, and return an array of the shape without it, on the device. They do not wait.
///
/// All of them return the errors of [`collect`](Self::collect), those without `_axis` also
/// [`Error::KernelFailed`](crate::Error::KernelFailed), and those with it
/// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange).
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let x = device.to_device(&[3.0f32, 1.0, 2.0])?;
/// assert_eq!(x.lazy().sum()?, 6.0);
/// assert_eq!(lazy(&x).dot(&x)?, 14.0);
/// assert_eq!((x.lazy().min()?, x.lazy().argmin()?), (1.0, 1));
/// assert_eq!(iota([2, 3]).on(&device).sum_axis(1)?.to_host()?, [3, 12]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
impl<T: Number, E: Expression<Item = T>> Lazy<E> {
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
    /// assert_eq!(x.lazy().sum()?, 44);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn sum(self) -> Result<T> {
        reduce::<Sum<T>, E>(self)
    }

    /// The sums along an axis.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    pub fn sum_axis(self, axis: usize) -> Result<DeviceArray<T>> {
        reduce_axis::<Sum<T>, E>(self, axis)
    }

    /// The product; 1 for no elements. Integers wrap around.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    pub fn prod(self) -> Result<T> {
        reduce::<Prod<T>, E>(self)
    }

    /// The products along an axis.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    pub fn prod_axis(self, axis: usize) -> Result<DeviceArray<T>> {
        reduce_axis::<Prod<T>, E>(self, axis)
    }

    /// The lowest element, or NaN if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`] of nothing, and as listed above.
    #[track_caller]
    pub fn min(self) -> Result<T> {
        reduce::<Min<T>, E>(self)
    }

    /// The lowest elements along an axis.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`] if the axis has no elements, and as listed above.
    #[track_caller]
    pub fn min_axis(self, axis: usize) -> Result<DeviceArray<T>> {
        reduce_axis::<Min<T>, E>(self, axis)
    }

    /// The highest element, or NaN if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`] of nothing, and as listed above.
    #[track_caller]
    pub fn max(self) -> Result<T> {
        reduce::<Max<T>, E>(self)
    }

    /// The highest elements along an axis.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`] if the axis has no elements, and as listed above.
    #[track_caller]
    pub fn max_axis(self, axis: usize) -> Result<DeviceArray<T>> {
        reduce_axis::<Max<T>, E>(self, axis)
    }

    /// The mean: an `f64` for integers, their own type for floats; NaN for no elements.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    pub fn mean(self) -> Result<T::Mean> {
        let elements = elements(&self)?;
        let sum = reduce::<Sum<T::Mean>, _>(self.apply_to_mean())?;
        Ok(T::divide(sum, T::count(elements)))
    }

    /// The means along an axis.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    pub fn mean_axis(self, axis: usize) -> Result<DeviceArray<T::Mean>> {
        // An axis that is not there is refused below.
        let elements = self.shape()?.extents().get(axis).copied().unwrap_or(0);
        let sums = reduce_axis::<Sum<T::Mean>, _>(self.apply_to_mean(), axis)?;
        let arguments = ((&sums).into_lazy().expression, ScalarInput(T::count(elements)));
        Lazy::new(Apply::<Divide<T>, _>::new(arguments)).collect()
    }

    /// The index of the lowest element, in C order: the first NaN if there is one, and the first of equal elements.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`] of nothing, and as listed above.
    #[track_caller]
    pub fn argmin(self) -> Result<usize> {
        Ok(reduce::<ArgMin<T>, _>(self.with_indices()?)?.1)
    }

    /// The indices of the lowest elements along an axis.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`] if the axis has no elements, and as listed above.
    #[track_caller]
    pub fn argmin_axis(self, axis: usize) -> Result<DeviceArray<usize>> {
        Ok(reduce_axis::<ArgMin<T>, _>(self.with_indices_along(axis, "argmin")?, axis)?.1)
    }

    /// The index of the highest element, in C order: the first NaN if there is one, and the first of equal elements.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`] of nothing, and as listed above.
    #[track_caller]
    pub fn argmax(self) -> Result<usize> {
        Ok(reduce::<ArgMax<T>, _>(self.with_indices()?)?.1)
    }

    /// The indices of the highest elements along an axis.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyReduction`] if the axis has no elements, and as listed above.
    #[track_caller]
    pub fn argmax_axis(self, axis: usize) -> Result<DeviceArray<usize>> {
        Ok(reduce_axis::<ArgMax<T>, _>(self.with_indices_along(axis, "argmax")?, axis)?.1)
    }

    /// The sum of the products with the elements of `other`, which is broadcast: `np.vdot(x, y)` for arrays of one shape.
    ///
    /// # Errors
    ///
    /// [`Error::BroadcastMismatch`] if the shapes cannot be broadcast together, and as listed above.
    #[track_caller]
    pub fn dot<B: IntoLazy<T>>(self, other: B) -> Result<T> {
        let arguments = (self.expression, other.into_lazy().expression);
        reduce::<Sum<T>, _>(Lazy::new(Apply::<Multiply<T>, _>::new(arguments)))
    }

    pub(super) fn apply_to_mean(self) -> Lazy<Apply<ToMean<T>, (E,)>> {
        Lazy::new(Apply::new((self.expression,)))
    }

    /// Pairs of each element and its index.
    fn with_indices(self) -> Result<Lazy<Pairs<T, E>>> {
        let shape = self.shape()?;
        Ok(Lazy::new(Apply::new((self.expression, IndexInput::of_elements(shape)))))
    }

    /// Pairs of each element and its index along an axis.
    fn with_indices_along(self, axis: usize, function: &'static str) -> Result<Lazy<Pairs<T, E>>> {
        let shape = self.shape()?;
        if axis >= shape.rank() {
            return Err(Error::AxisOutOfRange { function, shape, axis });
        }
        Ok(Lazy::new(Apply::new((self.expression, IndexInput::along(shape, axis)))))
    }
}

/// Elements with their indices.
pub(super) type Pairs<T, E> = Apply<Indexed<T>, (E, IndexInput)>;

/// The number of elements. If it cannot be counted, the reduction returns an error.
fn elements<E: Expression>(lazy: &Lazy<E>) -> Result<usize> {
    Ok(lazy.shape()?.checked_len().unwrap_or(usize::MAX))
}

/// # Reductions of truth values
impl<E: Expression<Item = bool>> Lazy<E> {
    /// Whether any element is true: `np.any(x)`; `false` for no elements. All elements are read.
    ///
    /// # Errors
    ///
    /// Those of [`collect`](Self::collect), and [`Error::KernelFailed`].
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[true, false, true])?;
    /// assert_eq!((x.lazy().any()?, x.lazy().all()?, x.lazy().count()?), (true, false, 2));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn any(self) -> Result<bool> {
        reduce::<Any<bool>, E>(self)
    }

    /// Whether any element along an axis is true: `np.any(x, axis)`.
    ///
    /// # Errors
    ///
    /// Those of [`collect`](Self::collect), and [`Error::AxisOutOfRange`].
    #[track_caller]
    pub fn any_axis(self, axis: usize) -> Result<DeviceArray<bool>> {
        reduce_axis::<Any<bool>, E>(self, axis)
    }

    /// Whether all elements are true: `np.all(x)`; `true` for no elements.
    ///
    /// # Errors
    ///
    /// Those of [`collect`](Self::collect), and [`Error::KernelFailed`].
    #[track_caller]
    pub fn all(self) -> Result<bool> {
        reduce::<All<bool>, E>(self)
    }

    /// Whether all elements along an axis are true: `np.all(x, axis)`.
    ///
    /// # Errors
    ///
    /// Those of [`collect`](Self::collect), and [`Error::AxisOutOfRange`].
    #[track_caller]
    pub fn all_axis(self, axis: usize) -> Result<DeviceArray<bool>> {
        reduce_axis::<All<bool>, E>(self, axis)
    }

    /// The number of true elements: `np.count_nonzero(x)`.
    ///
    /// # Errors
    ///
    /// Those of [`collect`](Self::collect), and [`Error::KernelFailed`].
    #[track_caller]
    pub fn count(self) -> Result<usize> {
        reduce::<Sum<usize>, _>(self.apply_to_count())
    }

    /// The number of true elements along an axis: `np.count_nonzero(x, axis)`.
    ///
    /// # Errors
    ///
    /// Those of [`collect`](Self::collect), and [`Error::AxisOutOfRange`].
    #[track_caller]
    pub fn count_axis(self, axis: usize) -> Result<DeviceArray<usize>> {
        reduce_axis::<Sum<usize>, _>(self.apply_to_count(), axis)
    }

    pub(super) fn apply_to_count(self) -> Lazy<Apply<ToCount<bool>, (E,)>> {
        Lazy::new(Apply::new((self.expression,)))
    }
}
