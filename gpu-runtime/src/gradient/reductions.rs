//! Reductions and sorting of traced arrays.

use super::chain::{Differentiable, nodes_of};
use super::node::{Node, Value};
use super::operations::inverse;
use super::traced::{Real, Stored, Traced};
use crate::Result;
use crate::arrays::{Selections as _, Sorting as _};
use crate::functions;
use crate::memory::{Axis, DeviceArray, DeviceView, Shape};
use crate::ufunc::{Arrangements as _, ArrayLike as _, Axes, Expression, Lazy, Reductions as _, Scans as _, keep_dims, lazy};

/// # Reductions and sorting
impl<'a, T: Real, E: Differentiable<'a, T, Item = T>> Traced<'a, E> {
    /// The sum of all elements, in an array without axes.
    ///
    /// # Errors
    ///
    /// As for [`sum_axis`](crate::Reductions::sum_axis).
    #[track_caller]
    pub fn sum(&self) -> Result<Stored<'a, T>> {
        self.sum_axis(..)
    }

    /// The sums along axes.
    ///
    /// # Errors
    ///
    /// As for [`sum_axis`](crate::Reductions::sum_axis).
    #[track_caller]
    pub fn sum_axis(&self, axes: impl Into<Axes>) -> Result<Stored<'a, T>> {
        let (axes, elements) = (axes.into(), self.elements());
        self.summed("sum", axes, T::ONE, move || (&elements).sum_axis(axes), move |dx| dx.sum_axis(axes))
    }

    /// The mean of all elements, in an array without axes; NaN for no elements.
    ///
    /// # Errors
    ///
    /// As for [`mean_axis`](crate::Reductions::mean_axis).
    #[track_caller]
    pub fn mean(&self) -> Result<Stored<'a, T>> {
        self.mean_axis(..)
    }

    /// The means along axes.
    ///
    /// # Errors
    ///
    /// As for [`mean_axis`](crate::Reductions::mean_axis).
    #[track_caller]
    pub fn mean_axis(&self, axes: impl Into<Axes>) -> Result<Stored<'a, T>> {
        let (axes, elements) = (axes.into(), self.elements());
        let count = T::from_f64(axes.elements(self.shape()?) as f64);
        self.summed("mean", axes, T::ONE / count, move || (&elements).mean_axis(axes), move |dx| dx.mean_axis(axes))
    }

    /// Sums along axes, times a factor: computed where they are needed, which the gradient does not.
    #[track_caller]
    fn summed(
        &self,
        function: &'static str,
        axes: Axes,
        factor: T,
        sum: impl Fn() -> Result<DeviceArray<T>> + 'a,
        push: impl FnOnce(DeviceArray<T>) -> Result<DeviceArray<T>>,
    ) -> Result<Stored<'a, T>> {
        let (shape, elements) = (self.shape()?, self.elements());
        axes.checked(function, shape)?;
        // A sum of sums needs those before it: no more than one waits for another.
        for node in nodes_of(&self.expression) {
            node.view()?;
        }
        let value = match elements.own_device() {
            Some(device) => Value::later(axes.left_of(shape), device.clone(), sum),
            None => sum()?.into(),
        };
        let (tangent, parents) = (self.tangent()?.map(push).transpose()?, nodes_of(&self.expression));
        let x = self.expression.clone();
        let node = Node::computed_later(value, tangent, parents, move |gradient, gradients| {
            let repeated = repeated(gradient.view(), axes, shape)?;
            gradients.pull_back(&x, functions::mul::map(repeated, factor))
        });
        Ok(Traced::new(node.linear()))
    }

    /// The lowest element, in an array without axes: see [`max_axis`](Self::max_axis).
    ///
    /// # Errors
    ///
    /// As for [`min_axis`](crate::Reductions::min_axis).
    #[track_caller]
    pub fn min(&self) -> Result<Stored<'a, T>> {
        self.min_axis(..)
    }

    /// The lowest elements along axes: see [`max_axis`](Self::max_axis).
    ///
    /// # Errors
    ///
    /// As for [`min_axis`](crate::Reductions::min_axis).
    #[track_caller]
    pub fn min_axis(&self, axes: impl Into<Axes>) -> Result<Stored<'a, T>> {
        let axes = axes.into();
        let x = self.keep()?;
        x.extreme(axes, (&x.elements()).min_axis(axes)?)
    }

    /// The highest element, in an array without axes: see [`max_axis`](Self::max_axis).
    ///
    /// # Errors
    ///
    /// As for [`max_axis`](crate::Reductions::max_axis).
    #[track_caller]
    pub fn max(&self) -> Result<Stored<'a, T>> {
        self.max_axis(..)
    }

    /// The highest elements along axes.
    ///
    /// If several elements are the highest, they have equal parts in the gradient, as in JAX. The gradient of a result that is NaN is NaN.
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0, 5.0, 2.0, 7.0, 3.0, 7.0])?.reshape([2, 3])?;
    /// let by_x = grad(&x, |x| x.max_axis(1)?.sum())?;
    /// assert_eq!(by_x.to_host()?, [0.0, 1.0, 0.0, 0.5, 0.0, 0.5]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`max_axis`](crate::Reductions::max_axis).
    #[track_caller]
    pub fn max_axis(&self, axes: impl Into<Axes>) -> Result<Stored<'a, T>> {
        let axes = axes.into();
        let x = self.keep()?;
        x.extreme(axes, (&x.elements()).max_axis(axes)?)
    }

    /// The lowest or highest elements along axes; equal ones share the gradient. The elements are stored: computed again in another kernel, they
    /// may differ in the last bit, and none would be equal to the result.
    #[track_caller]
    fn extreme(&self, axes: Axes, value: DeviceArray<T>) -> Result<Stored<'a, T>> {
        let shape = self.shape()?;
        self.stored(
            value,
            |value, dx| {
                let is_extreme = functions::equal::map(self.elements(), repeated(value.view(), axes, shape)?);
                let count = functions::select::map(is_extreme.clone(), T::ONE, T::ZERO).sum_axis(axes)?;
                functions::div::map(&functions::select::map(is_extreme, &dx, T::ZERO).sum_axis(axes)?, &count).collect()
            },
            move |x, value, gradient, gradients| {
                let value = repeated(*value, axes, shape)?;
                let is_extreme = functions::equal::map(Lazy::new(x.clone()), value);
                let count = functions::select::map(is_extreme.clone(), T::ONE, T::ZERO).sum_axis(keep_dims(axes))?;
                let part = functions::div::map(repeated(gradient.view(), axes, shape)?, &count);
                // Where the value is NaN, no element is equal to it.
                let nan_or_zero = functions::select::map(functions::equal::map(value, value), T::ZERO, value);
                gradients.pull_back(x, functions::select::map(is_extreme, part, nan_or_zero))
            },
        )
        .map(Stored::linear)
    }

    /// The product of all elements, in an array without axes: see [`prod_axis`](Self::prod_axis).
    ///
    /// # Errors
    ///
    /// As for [`prod_axis`](crate::Reductions::prod_axis).
    #[track_caller]
    pub fn prod(&self) -> Result<Stored<'a, T>> {
        self.prod_axis(..)
    }

    /// The products along axes. Its gradient is exact for zeros too: it is the product of the other elements, without a division. It is
    /// infinite or NaN where that of those before or behind an element is infinite.
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[2.0, 0.0, 5.0])?;
    /// assert_eq!(grad(&x, |x| x.prod())?.to_host()?, [0.0, 10.0, 0.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`prod_axis`](crate::Reductions::prod_axis).
    #[track_caller]
    pub fn prod_axis(&self, axes: impl Into<Axes>) -> Result<Stored<'a, T>> {
        let axes = axes.into();
        let shape = self.shape()?;
        let value = (&self.elements()).prod_axis(axes)?;
        self.stored(
            value,
            |_, dx| functions::mul::map(&products_of_others(self.elements(), axes)?, &dx).sum_axis(axes),
            move |x, _, gradient, gradients| {
                let others = products_of_others(Lazy::new(x.clone()), axes)?;
                gradients.pull_back(x, functions::mul::map(&others, repeated(gradient.view(), axes, shape)?))
            },
        )
    }

    /// The elements in ascending order along the last axis: [`sort`](crate::Sorting::sort).
    ///
    /// # Errors
    ///
    /// As for [`sort`](crate::Sorting::sort).
    #[track_caller]
    pub fn sort(&self) -> Result<Stored<'a, T>> {
        self.sort_axis(self.shape()?.rank().saturating_sub(1))
    }

    /// The elements in ascending order along `axis`. Equal elements keep their order, and each has the gradient of its place.
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// // The sum of the two largest.
    /// let x = Device::cpu().to_device(&[7.0, 1.0, 5.0, 3.0])?;
    /// assert_eq!(grad(&x, |x| x.sort()?.part(2..)?.sum())?.to_host()?, [1.0, 0.0, 1.0, 0.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`sort_axis`](crate::Sorting::sort_axis).
    #[track_caller]
    pub fn sort_axis(&self, axis: impl Axis) -> Result<Stored<'a, T>> {
        let elements = self.elements();
        let axis = axis.of(elements.shape()?.rank());
        let x = elements.stored()?;
        let order = x.view().argsort_axis(axis)?;
        let value = x.view().take_along_axis(&order, axis)?;
        let places = order.argsort_axis(axis)?;
        self.stored(
            value,
            |_, dx| dx.take_along_axis(&order, axis),
            move |x, _, gradient, gradients| gradients.pull_back(x, (&gradient.take_along_axis(&places, axis)?).lazy()),
        )
        .map(Stored::linear)
    }
}

/// Results of a reduction along axes, in the shape of what was reduced.
#[track_caller]
fn repeated<'v, T: Real>(results: DeviceView<'v, T>, axes: Axes, shape: Shape) -> Result<DeviceView<'v, T>> {
    results.reshape(keep_dims(axes).left_of(shape))?.broadcast_to(shape)
}

/// For each element, the product of all others along axes: of those before it, and of those behind it.
#[track_caller]
fn products_of_others<T: Real, E: Expression<Item = T>>(elements: Lazy<E>, axes: Axes) -> Result<DeviceArray<T>> {
    let shape = elements.shape()?;
    let axes = axes.checked("prod", shape)?;
    let mut order: Vec<usize> = (0..shape.rank()).filter(|axis| !axes.contains(axis)).collect();
    order.extend(&axes);
    let moved: DeviceArray<T> = elements.permute(&order).collect()?;
    if moved.is_empty() {
        return moved.device().zeros(shape);
    }
    let len: usize = axes.iter().map(|&axis| shape[axis]).product();
    let rows = moved.view().reshape([moved.len() / len, len])?;
    let others = |rows: DeviceView<'_, T>| rows.slice_axis(1, ..len - 1).pad_axis(1, 1, 0, T::ONE)?.cumprod_axis(1);
    let (before, behind) = (others(rows)?, others(rows.reverse_axis(1))?);
    let products = functions::mul::map(&before, behind.view().reverse_axis(1)).collect()?.reshape(moved.shape())?;
    lazy(products.view().permute(inverse(&order))).collect()
}
