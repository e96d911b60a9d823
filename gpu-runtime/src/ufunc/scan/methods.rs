//! The ready-made scans.

use super::{Span, scan};
use crate::Result;
use crate::failure::called;
use crate::memory::{Axis, DeviceArray};
use crate::source::Element;
use crate::ufunc::array_like::give_to_arrays;
use crate::ufunc::reduce::functions::{Max, Min, Prod, Sum};
use crate::ufunc::reduce::summands::{Number, Summand};
use crate::ufunc::{ArrayLike, Expression, Lazy, ReduceFunction};

/// [`scan`] of elements that are not tuples.
#[track_caller]
fn scan_elements<F, T, E>(name: &'static str, lazy: Lazy<E>, axis: impl Axis, span: Span) -> Result<DeviceArray<T>>
where
    F: ReduceFunction<Output = T>,
    T: Element,
    E: Expression<Item = T>,
{
    scan::<F, E>(name, &lazy, axis, span)
}

/// [`scan`] in the type in which such elements are summed.
#[track_caller]
fn scan_sums<F, T, E>(name: &'static str, lazy: Lazy<E>, axis: impl Axis, span: Span) -> Result<DeviceArray<T>>
where
    F: ReduceFunction<Output = T::Sum>,
    T: Summand,
    E: Expression<Item = T>,
{
    T::rounded_elements(scan::<F, _>(name, &T::widened(lazy), axis, span)?)
}

/// A scan along the last axis, and one along any, for each function.
macro_rules! scans {
    ($(
        $(#[$doc:meta])*
        $last:ident, $along:ident: $F:ident of $Bound:ident by $scan:ident, $span:ident;
    )*) => {
        /// Prefix scans. The result has the shape of the array, and takes one or two launches on a GPU, whatever the expression.
        ///
        /// The order in which floats are added depends only on the shape: results are the same in every run, and on the CPU for any number
        /// of cores. The CPU and a GPU differ in the last bits. Results also differ from a loop that adds one element after the other; they
        /// are closer to the exact sums.
        ///
        /// # Errors
        ///
        /// All of them: [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange) for an axis that the array does not have, and as for
        /// [`collect`](crate::Lazy::collect).
        pub trait Scans: ArrayLike {
            $(
                $(#[$doc])*
                #[track_caller]
                fn $last(self) -> Result<DeviceArray<Self::Item>>
                where
                    Self::Item: $Bound,
                {
                    let _call = called(stringify!($last));
                    let lazy = self.lazy();
                    let last = lazy.shape()?.rank().saturating_sub(1);
                    $scan::<$F<_>, _, _>(stringify!($last), lazy, last, Span::$span)
                }

                #[doc = concat!("[`", stringify!($last), "`](Self::", stringify!($last), ") along `axis`.")]
                ///
                /// # Errors
                ///
                #[doc = concat!("As for [`", stringify!($last), "`](Self::", stringify!($last), ").")]
                #[track_caller]
                fn $along(self, axis: impl Axis) -> Result<DeviceArray<Self::Item>>
                where
                    Self::Item: $Bound,
                {
                    let _call = called(stringify!($last));
                    $scan::<$F<_>, _, _>(stringify!($last), self.lazy(), axis, Span::$span)
                }
            )*
        }

        give_to_arrays! { Scans }
    };
}

scans! {
    /// The sums of all elements up to and including each one, along the last axis: `np.cumsum(x, axis=-1)`. Integers wrap around. As in
    /// NumPy, the result of a number by itself, with no axes, has one axis; so have those of the other scans.
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1, 2, 3, 4])?;
    /// assert_eq!(x.cumsum()?.to_host()?, [1, 3, 6, 10]);
    /// assert_eq!(x.exclusive_sum()?.to_host()?, [0, 1, 3, 6]);
    /// assert_eq!(x.cumprod()?.to_host()?, [1, 2, 6, 24]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    cumsum, cumsum_axis: Sum of Summand by scan_sums, Inclusive; // along another axis: `x.cumsum_axis(0)?`
    /// The sums of the elements before each one, along the last axis; zero for the first. Given the lengths of several parts, it returns
    /// where each part starts. CUB's `ExclusiveSum`.
    ///
    /// # Errors
    ///
    /// As for [`cumsum`](Self::cumsum).
    exclusive_sum, exclusive_sum_axis: Sum of Summand by scan_sums, Exclusive; // along another axis: `x.exclusive_sum_axis(0)?`
    /// The products of all elements up to each one, along the last axis: `np.cumprod(x, axis=-1)`. Integers wrap around.
    ///
    /// # Errors
    ///
    /// As for [`cumsum`](Self::cumsum).
    cumprod, cumprod_axis: Prod of Summand by scan_sums, Inclusive; // along another axis: `x.cumprod_axis(0)?`
    /// The lowest of all elements up to each one, along the last axis: `np.minimum.accumulate(x, axis=-1)`. From the first NaN on, all
    /// results are NaN.
    ///
    /// # Errors
    ///
    /// As for [`cumsum`](Self::cumsum).
    cummin, cummin_axis: Min of Number by scan_elements, Inclusive; // along another axis: `x.cummin_axis(0)?`
    /// The highest of all elements up to each one, along the last axis: `np.maximum.accumulate(x, axis=-1)`. From the first NaN on, all
    /// results are NaN.
    ///
    /// # Errors
    ///
    /// As for [`cumsum`](Self::cumsum).
    cummax, cummax_axis: Max of Number by scan_elements, Inclusive; // along another axis: `x.cummax_axis(0)?`
}
