//! Prefix scans of traced arrays.

use super::chain::Differentiable;
use super::traced::{Real, Stored, Traced};
use crate::memory::{Axis, DeviceArray, DeviceView};
use crate::scalar::Float;
use crate::ufunc::{Arrangements as _, ArrayLike as _, Expression, Lazy, Scans as _, lazy};
use crate::{Result, functions, reduce};

/// # Prefix scans
impl<'a, T: Real, E: Differentiable<'a, T, Item = T>> Traced<'a, E> {
    /// The sums of the elements up to each one, along the last axis: [`cumsum`](crate::Scans::cumsum).
    ///
    /// # Errors
    ///
    /// As for [`cumsum`](crate::Scans::cumsum).
    #[track_caller]
    pub fn cumsum(&self) -> Result<Stored<'a, T>> {
        self.cumsum_axis(self.shape()?.rank().saturating_sub(1))
    }

    /// The sums of the elements up to each one, along `axis`.
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0, 2.0, 3.0])?;
    /// assert_eq!(grad(&x, |x| x.cumsum()?.sum())?.to_host()?, [3.0, 2.0, 1.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`cumsum_axis`](crate::Scans::cumsum_axis).
    #[track_caller]
    pub fn cumsum_axis(&self, axis: impl Axis) -> Result<Stored<'a, T>> {
        let axis = axis.of(self.shape()?.rank());
        let value = (&self.elements()).cumsum_axis(axis)?;
        self.stored(
            value,
            |_, dx| dx.cumsum_axis(axis),
            move |x, _, gradient, gradients| {
                let sums = gradient.view().reverse_axis(axis).cumsum_axis(axis)?;
                gradients.pull_back(x, sums.view().reverse_axis(axis).lazy())
            },
        )
        .map(Stored::linear)
    }

    /// The products of the elements up to each one, along the last axis: see [`cumprod_axis`](Self::cumprod_axis).
    ///
    /// # Errors
    ///
    /// As for [`cumprod`](crate::Scans::cumprod).
    #[track_caller]
    pub fn cumprod(&self) -> Result<Stored<'a, T>> {
        self.cumprod_axis(self.shape()?.rank().saturating_sub(1))
    }

    /// The products of the elements up to each one, along `axis`. Its gradient is exact for zeros too: nothing is divided. It is infinite or NaN
    /// where a product of some of the elements in a row is infinite.
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[2.0, 0.0, 5.0])?;
    /// assert_eq!(grad(&x, |x| x.cumprod()?.sum())?.to_host()?, [1.0, 12.0, 0.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`cumprod_axis`](crate::Scans::cumprod_axis).
    #[track_caller]
    pub fn cumprod_axis(&self, axis: impl Axis) -> Result<Stored<'a, T>> {
        let x = self.keep()?;
        let axis = axis.of(x.shape()?.rank());
        let value = (&x.elements()).cumprod_axis(axis)?;
        let before = move |value: DeviceView<'_, T>| moved_on(value, axis, T::ONE);
        x.stored(
            value,
            |value, dx| recurrence(x.elements(), functions::mul::map(&before(value.view())?, &dx), axis),
            move |x, value, gradient, gradients| {
                let factors = Lazy::new(x.clone()).broadcast_to(value.shape())?.collect()?;
                let sums = recurrence_from_the_end(factors.view(), gradient.lazy(), axis)?;
                gradients.pull_back(x, functions::mul::map(&before(*value)?, &sums))
            },
        )
    }

    /// The highest of the elements up to each one, along the last axis: see [`cummax_axis`](Self::cummax_axis).
    ///
    /// # Errors
    ///
    /// As for [`cummax`](crate::Scans::cummax).
    #[track_caller]
    pub fn cummax(&self) -> Result<Stored<'a, T>> {
        self.cummax_axis(self.shape()?.rank().saturating_sub(1))
    }

    /// The highest of the elements up to each one, along `axis`. Of equal ones, the first has the gradient. That of a result that is NaN is NaN.
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[3.0, 1.0, 5.0, 4.0, 5.0])?;
    /// assert_eq!(grad(&x, |x| x.cummax()?.sum())?.to_host()?, [2.0, 0.0, 3.0, 0.0, 0.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`cummax_axis`](crate::Scans::cummax_axis).
    #[track_caller]
    pub fn cummax_axis(&self, axis: impl Axis) -> Result<Stored<'a, T>> {
        let x = self.keep()?;
        let axis = axis.of(x.shape()?.rank());
        let value = (&x.elements()).cummax_axis(axis)?;
        x.running_extreme(axis, value)
    }

    /// The lowest of the elements up to each one, along the last axis: see [`cummax_axis`](Self::cummax_axis).
    ///
    /// # Errors
    ///
    /// As for [`cummin`](crate::Scans::cummin).
    #[track_caller]
    pub fn cummin(&self) -> Result<Stored<'a, T>> {
        self.cummin_axis(self.shape()?.rank().saturating_sub(1))
    }

    /// The lowest of the elements up to each one, along `axis`: see [`cummax_axis`](Self::cummax_axis).
    ///
    /// # Errors
    ///
    /// As for [`cummin_axis`](crate::Scans::cummin_axis).
    #[track_caller]
    pub fn cummin_axis(&self, axis: impl Axis) -> Result<Stored<'a, T>> {
        let x = self.keep()?;
        let axis = axis.of(x.shape()?.rank());
        let value = (&x.elements()).cummin_axis(axis)?;
        x.running_extreme(axis, value)
    }

    /// The lowest or highest of the elements up to each one: each result is the one before it, or a new one.
    #[track_caller]
    fn running_extreme(&self, axis: usize, value: DeviceArray<T>) -> Result<Stored<'a, T>> {
        self.stored(
            value,
            |value, dx| {
                let is_old = is_as_before(value.view(), axis)?;
                recurrence((&is_old).lazy(), where_new(&is_old, or_nan(value.view(), &dx)), axis)
            },
            move |x, value, gradient, gradients| {
                let is_old = is_as_before(*value, axis)?;
                let sums = recurrence_from_the_end(is_old.view(), or_nan(*value, gradient), axis)?;
                gradients.pull_back(x, where_new(&is_old, (&sums).lazy()))
            },
        )
        .map(Stored::linear)
    }
}

/// One step after another of `sum ↦ factor * sum + summand`, as one step.
#[reduce]
fn step<T: Float>(factor: T, summand: T, next_factor: T, next_summand: T) -> (T, T) {
    // A product of many factors may be infinite where there is nothing to multiply, and a sum where nothing is left of it.
    let carried = if next_factor == T::ZERO || summand == T::ZERO { T::ZERO } else { next_factor * summand };
    (factor * next_factor, carried + next_summand)
}

/// `y[i] = factors[i] * y[i - 1] + summands[i]` along `axis`, which begins with `summands[0]`.
#[track_caller]
fn recurrence<T: Real>(
    factors: Lazy<impl Expression<Item = T>>,
    summands: Lazy<impl Expression<Item = T>>,
    axis: usize,
) -> Result<DeviceArray<T>> {
    Ok(step::accumulate_axis((factors, summands), axis)?.1)
}

/// `y[i] = factors[i + 1] * y[i + 1] + summands[i]` along `axis`, which ends with the last of the summands.
#[track_caller]
fn recurrence_from_the_end<T: Real>(
    factors: DeviceView<'_, T>,
    summands: Lazy<impl Expression<Item = T>>,
    axis: usize,
) -> Result<DeviceArray<T>> {
    let factors = moved_on(factors.reverse_axis(axis), axis, T::ZERO)?;
    let summands = summands.collect()?;
    let sums = recurrence((&factors).lazy(), summands.view().reverse_axis(axis).lazy(), axis)?;
    lazy(sums.view().reverse_axis(axis)).collect()
}

/// The elements one place further along `axis`, after `first`.
#[track_caller]
fn moved_on<T: Real>(x: DeviceView<'_, T>, axis: usize, first: T) -> Result<DeviceArray<T>> {
    let extent = x.shape()[axis];
    x.slice_axis(axis, ..extent.saturating_sub(1)).pad_axis(axis, extent.min(1), 0, first)
}

/// 1 where an element is equal to the one before it along `axis`, else 0.
#[track_caller]
fn is_as_before<T: Real>(x: DeviceView<'_, T>, axis: usize) -> Result<DeviceArray<T>> {
    functions::select::map(functions::equal::map(x, &moved_on(x, axis, T::NAN)?), T::ONE, T::ZERO).collect()
}

/// What is at the places where `is_old` is 0, and elsewhere 0.
fn where_new<'x, T: Real, E: Expression<Item = T>>(
    is_old: &'x DeviceArray<T>,
    x: Lazy<E>,
) -> Lazy<impl Expression<Item = T> + use<'x, T, E>> {
    functions::select::map(functions::equal::map(is_old, T::ZERO), x, T::ZERO)
}

/// `x`, and NaN where the value is NaN.
fn or_nan<'x, T: Real>(value: DeviceView<'x, T>, x: &'x DeviceArray<T>) -> Lazy<impl Expression<Item = T> + use<'x, T>> {
    functions::select::map(functions::equal::map(value, value), x, value)
}
