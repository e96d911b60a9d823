//! Operations of traced arrays that store their results: each with what brings a gradient back through it.

use super::backward::Gradients;
use super::chain::{Differentiable, nodes_of};
use super::node::{Node, Value};
use super::traced::{Constant, IntoTraced, Real, Stored, Traced};
use crate::Result;
use crate::arrays::{Normalizations as _, Selections as _, row_axis};
use crate::failure::called;
use crate::functions;
use crate::memory::{ArrayPart, Axis, DeviceArray, DeviceView, Shape};
use crate::scalar::Integer;
use crate::ufunc::{
    Apply, ArrayLike, CastElement, Elementwise as _, Expression, IndexElement, IntoLazy, Lazy, Reductions as _, ScalarInput, iota,
    keep_dims, lazy,
};

/// # Operations that store their result
impl<'a, T: Real, E: Differentiable<'a, T, Item = T>> Traced<'a, E> {
    /// It with its elements stored: for what is used more than once, and otherwise would be computed as often.
    ///
    /// # Errors
    ///
    /// As for [`collect`](Lazy::collect).
    #[track_caller]
    pub fn keep(&self) -> Result<Traced<'a, E::Kept>> {
        Ok(Traced::new(self.expression.keep()?))
    }

    /// The same elements in the same order with another shape.
    ///
    /// # Errors
    ///
    /// As for [`reshape`](Lazy::reshape).
    #[track_caller]
    pub fn reshape(&self, shape: impl Into<Shape>) -> Result<Stored<'a, T>> {
        let (old, shape) = (self.shape()?, shape.into());
        let tangent = self.tangent()?.map(|dx| dx.reshape(shape)).transpose()?;
        let value = match self.expression.as_node() {
            Some(node) if node.view()?.reshape(shape).is_ok() => node.seen(move |view| view.reshape(shape).expect("it was possible"))?,
            _ => self.value()?.reshape(shape)?.into(),
        };
        self.with_tangent(value, tangent, move |x, _, gradient, gradients| gradients.pull_back(x, gradient.view().reshape(old)?.lazy()))
            .map(Stored::linear)
    }

    /// With the axes in the opposite order.
    ///
    /// # Errors
    ///
    /// As for [`collect`](Lazy::collect).
    #[track_caller]
    pub fn t(&self) -> Result<Stored<'a, T>> {
        let axes: Vec<usize> = (0..self.shape()?.rank()).rev().collect();
        self.permute(axes)
    }

    /// With the axes in another order: the old axis `axes[i]` is the new axis `i`.
    ///
    /// # Errors
    ///
    /// As for [`collect`](Lazy::collect).
    ///
    /// # Panics
    ///
    /// If `axes` does not name each axis once.
    #[track_caller]
    pub fn permute(&self, axes: impl AsRef<[usize]>) -> Result<Stored<'a, T>> {
        let axes = axes.as_ref();
        let elements = self.elements().permute(axes);
        let tangent = self.tangent()?.map(|dx| dx.view().permute(axes).lazy().collect()).transpose()?;
        let of_view = axes.to_vec();
        let value = match self.expression.as_node() {
            Some(node) => node.seen(move |view| view.permute(&of_view))?,
            None => elements.lazy().collect()?.into(),
        };
        let inverse = inverse(axes);
        self.with_tangent(value, tangent, move |x, _, gradient, gradients| gradients.pull_back(x, gradient.view().permute(&inverse).lazy()))
            .map(Stored::linear)
    }

    /// The part with these indices of several axes: [`part`](Lazy::part).
    ///
    /// # Errors
    ///
    /// As for [`collect`](Lazy::collect).
    ///
    /// # Panics
    ///
    /// As [`part`](Lazy::part).
    #[track_caller]
    pub fn part(&self, parts: impl ArrayPart + Clone + 'a) -> Result<Stored<'a, T>> {
        let shape = self.shape()?;
        let elements = self.elements().part(parts.clone());
        let tangent = self.tangent()?.map(|dx| lazy(&dx).part(parts.clone()).collect()).transpose()?;
        let of_view = parts.clone();
        let value = match self.expression.as_node() {
            Some(node) => node.seen(move |view| view.part(of_view.clone()))?,
            None => elements.collect()?.into(),
        };
        self.with_tangent(value, tangent, move |x, _, gradient, gradients| gradients.add_to_part(x, shape, parts.clone(), gradient))
            .map(Stored::linear)
    }

    /// The parts at `indices` of axis 0: [`take`](crate::Selections::take). In the gradient, parts that are taken more than once have the
    /// sum; on a GPU its last bits may change from run to run.
    ///
    /// # Errors
    ///
    /// As for [`take`](crate::Selections::take).
    #[track_caller]
    pub fn take<I: Integer + IndexElement + CastElement<usize>>(
        &self,
        indices: impl ArrayLike<Item = I, Expression: 'a>,
    ) -> Result<Stored<'a, T>> {
        let (shape, indices) = (self.shape()?, indices.lazy());
        let value = (&self.elements()).take(&indices)?;
        let count = indices.shape()?.checked_len().unwrap_or(0);
        let of_tangent = indices.clone();
        self.stored(
            value,
            |_, dx| dx.take(&of_tangent),
            move |x, _, gradient, gradients| {
                let mut sums = gradient.device().zeros::<T>(shape)?;
                let len = shape.extents()[1..].iter().product::<usize>();
                let starts = indices.clone().reshape(count)?.cast::<usize>().insert_axis(1) * len;
                functions::add::at(sums.slice_mut(..), starts + iota(len), gradient.view().reshape([count, len])?)?;
                gradients.pull_back(x, (&sums).lazy())
            },
        )
        .map(Stored::linear)
    }

    /// [`softmax`](crate::Normalizations::softmax) along an axis.
    ///
    /// # Errors
    ///
    /// As for [`softmax`](crate::Normalizations::softmax).
    #[track_caller]
    pub fn softmax(&self, axis: impl Axis) -> Result<Stored<'a, T>> {
        let axis = axis.of(self.shape()?.rank());
        let value = (&self.elements()).softmax(axis)?;
        let push = |value: &DeviceArray<T>, dx: DeviceArray<T>| {
            let sums = functions::mul::map(value, &dx).sum_axis(keep_dims(axis))?;
            functions::mul::map(value, functions::sub::map(&dx, &sums)).collect()
        };
        let result = self.stored(value, push, move |x, value, gradient, gradients| {
            let sums = functions::mul::map(value, gradient).sum_axis(keep_dims(axis))?;
            gradients.pull_back(x, functions::mul::map(value, functions::sub::map(gradient, &sums)))
        })?;
        let x = self.expression.clone();
        Ok(Traced::new(result.expression.bending(move |value, dy, gradient, changes| {
            let sums = functions::mul::map(value, gradient).sum_axis(keep_dims(axis))?;
            let change_of_sums = functions::mul::map(dy, gradient).sum_axis(keep_dims(axis))?;
            let of_value = functions::mul::map(dy, functions::sub::map(gradient, &sums));
            changes.pull_back(&x, functions::sub::map(of_value, functions::mul::map(value, &change_of_sums)))
        })))
    }

    /// [`log_softmax`](crate::Normalizations::log_softmax) along an axis.
    ///
    /// # Errors
    ///
    /// As for [`log_softmax`](crate::Normalizations::log_softmax).
    #[track_caller]
    pub fn log_softmax(&self, axis: impl Axis) -> Result<Stored<'a, T>> {
        let axis = axis.of(self.shape()?.rank());
        let value = (&self.elements()).log_softmax(axis)?;
        let push = |value: &DeviceArray<T>, dx: DeviceArray<T>| {
            let sums = functions::mul::map(functions::exp::map(value), &dx).sum_axis(keep_dims(axis))?;
            functions::sub::map(&dx, &sums).collect()
        };
        let result = self.stored(value, push, move |x, value, gradient, gradients| {
            let sums = gradient.sum_axis(keep_dims(axis))?;
            gradients.pull_back(x, functions::sub::map(gradient, functions::mul::map(functions::exp::map(value), &sums)))
        })?;
        let x = self.expression.clone();
        Ok(Traced::new(result.expression.bending(move |value, dy, gradient, changes| {
            let sums = functions::neg::map(&gradient.sum_axis(keep_dims(axis))?).collect()?;
            changes.pull_back(&x, functions::mul::map(functions::mul::map(functions::exp::map(value), dy), &sums))
        })))
    }

    /// The elements less their mean, divided by √(variance + epsilon), along `axis`: [`layer_norm`](crate::Normalizations::layer_norm).
    ///
    /// # Errors
    ///
    /// As for [`layer_norm`](crate::Normalizations::layer_norm).
    #[track_caller]
    pub fn layer_norm<A: Axis>(&self, axis: A, epsilon: T) -> Result<Traced<'a, impl Differentiable<'a, T, Item = T> + use<'a, T, E, A>>> {
        let _call = called("layer_norm");
        let axis = axis.of(self.shape()?.rank());
        let x = self.keep()?.expression;
        // Less the mean as a constant first, which leaves the gradient: the mean of what is left is what the rounding of the first one leaves.
        let shift = Lazy::new(x.clone()).mean_axis(keep_dims(axis))?.into_lazy().into_inner();
        let x = Apply::<functions::sub::Function<T>, _>::new((x, Constant::new(shift)));
        let mean = Traced::new(x.clone()).mean_axis(keep_dims(axis))?.expression;
        let centred = Traced::new(Apply::<functions::sub::Function<T>, _>::new((x, mean))).keep()?;
        let variance = centred.square().mean_axis(keep_dims(axis))?.expression;
        let shifted = Apply::<functions::add::Function<T>, _>::new((variance, Constant::new(ScalarInput(epsilon))));
        let deviation = Traced::new(shifted).sqrt().expression;
        Ok(Traced::new(Apply::<functions::div::Function<T>, _>::new((centred.expression, deviation))))
    }

    /// The mean of −ln of the probability that each row of scores has for its label, in an array without axes:
    /// [`cross_entropy`](crate::Normalizations::cross_entropy).
    ///
    /// # Errors
    ///
    /// As for [`cross_entropy`](crate::Normalizations::cross_entropy).
    #[track_caller]
    pub fn cross_entropy<I: Integer + CastElement<i64>>(&self, labels: impl ArrayLike<Item = I, Expression: 'a>) -> Result<Stored<'a, T>> {
        let _call = called("cross_entropy");
        let (shape, labels) = (self.shape()?, labels.lazy());
        let of_labels = labels.shape()?;
        let axis = row_axis(shape, of_labels)?;
        let logarithms = (&self.elements()).log_softmax(axis)?;
        let columns = labels.insert_axis(axis);
        let value = functions::neg::map((&logarithms).take_along_axis(&columns, axis)?).mean_axis(..)?;
        let rows = T::from_f64(of_labels.extents().iter().product::<usize>() as f64);
        // How the slopes of the scores change: the probabilities, times by how much more each score moves than the mean of its row.
        let (mut tangent, mut change) = (None, None);
        if let Some(dx) = self.tangent()? {
            let slopes = slopes_of_scores(&logarithms, &columns);
            tangent = Some(functions::mul::map(slopes, functions::div::map(&dx, rows)).sum_axis(..)?);
            let probabilities = functions::exp::map(&logarithms).collect()?;
            let means = functions::mul::map(&probabilities, &dx).sum_axis(keep_dims(axis))?;
            change = Some(functions::mul::map(&probabilities, functions::sub::map(&dx, &means)).collect()?);
        }
        let result = self.with_tangent(value, tangent, move |x, _, gradient, gradients| {
            let slopes = slopes_of_scores(&logarithms, &columns);
            gradients.pull_back(x, functions::mul::map(slopes, functions::div::map(gradient, rows)))
        })?;
        let x = self.expression.clone();
        Ok(Traced::new(result.expression.bending(move |_, _, gradient, changes| match &change {
            Some(change) => changes.pull_back(&x, functions::mul::map(change, functions::div::map(gradient, rows))),
            None => Ok(()),
        })))
    }

    /// A result that was computed from this alone. `push` computes its tangent from that of this array, and `pull_back` brings its gradient back.
    #[track_caller]
    pub(super) fn stored(
        &self,
        value: DeviceArray<T>,
        push: impl FnOnce(&DeviceArray<T>, DeviceArray<T>) -> Result<DeviceArray<T>>,
        pull_back: impl Fn(&E, &DeviceView<'_, T>, &DeviceArray<T>, &mut Gradients<T>) -> Result<()> + 'a,
    ) -> Result<Stored<'a, T>> {
        let tangent = match self.tangent()? {
            Some(tangent) => Some(push(&value, tangent)?),
            None => None,
        };
        self.with_tangent(value, tangent, pull_back)
    }

    fn with_tangent(
        &self,
        value: impl Into<Value<'a, T>>,
        tangent: Option<DeviceArray<T>>,
        pull_back: impl Fn(&E, &DeviceView<'_, T>, &DeviceArray<T>, &mut Gradients<T>) -> Result<()> + 'a,
    ) -> Result<Stored<'a, T>> {
        let (parents, x) = (nodes_of(&self.expression), self.expression.clone());
        let pull_back = move |value: &DeviceView<'_, T>, gradient: &DeviceArray<T>, gradients: &mut Gradients<T>| {
            pull_back(&x, value, gradient, gradients)
        };
        Ok(Traced::new(Node::computed(value, tangent, parents, pull_back)))
    }
}

/// The slopes of the cross entropy of each row by its scores: their probabilities, less 1 for that of the label.
fn slopes_of_scores<'l, T: Real, E: Expression<Item: CastElement<i64>>>(
    logarithms: &'l DeviceArray<T>,
    labels: &'l Lazy<E>,
) -> Lazy<impl Expression<Item = T> + use<'l, T, E>> {
    let &columns = logarithms.shape().extents().last().expect("scores have rows");
    let is_label = functions::equal::map(labels.cast::<i64>(), iota(columns).cast::<i64>());
    functions::sub::map(functions::exp::map(logarithms), functions::select::map(is_label, T::ONE, T::ZERO))
}

/// The permutation of axes that takes back another one.
pub(super) fn inverse(axes: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; axes.len()];
    axes.iter().enumerate().for_each(|(new, &old)| inverse[old] = new);
    inverse
}

/// `a` where the mask is true, else `b`: `jnp.where`. What is not selected has no part in the gradient, even where its slope is NaN or
/// infinite.
#[allow(clippy::type_complexity, reason = "the type is the expression")]
pub fn select<'a, T: Real, M, A, B>(
    mask: M,
    a: A,
    b: B,
) -> Traced<'a, Apply<functions::select::Function<T>, (Constant<M::Expression>, A::Expression, B::Expression)>>
where
    M: IntoLazy<bool, Expression: 'a>,
    A: IntoTraced<'a, T>,
    B: IntoTraced<'a, T>,
{
    Traced::new(Apply::new((Constant::new(mask.into_lazy().into_inner()), a.into_traced(), b.into_traced())))
}

/// The arrays one after the other along `axis`: [`concatenate`](fn@crate::concatenate) of traced arrays.
///
/// ```
/// use gpu_runtime::gradient::{concatenate, grad};
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let (x, y) = (device.to_device(&[1.0, 2.0])?, device.to_device(&[3.0])?);
/// let (by_x, by_y) = grad((&x, &y), |(x, y)| concatenate([&x, &y], 0)?.square().sum())?;
/// assert_eq!((by_x.to_host()?, by_y.to_host()?), (vec![2.0, 4.0], vec![6.0]));
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// As for [`concatenate`](fn@crate::concatenate).
///
/// # Panics
///
/// As [`concatenate`](fn@crate::concatenate).
#[track_caller]
pub fn concatenate<'a, 't, T: Real, E: Differentiable<'a, T, Item = T>>(
    arrays: impl IntoIterator<Item = &'t Traced<'a, E>>,
    axis: impl Axis,
) -> Result<Stored<'a, T>>
where
    'a: 't,
{
    let arrays: Vec<Traced<'a, E>> = arrays.into_iter().cloned().collect();
    let axis = axis.of(rank_of(&arrays)?);
    let value = crate::concatenate(arrays.iter().map(Traced::elements), axis)?;
    let mut starts = vec![0];
    for array in &arrays {
        starts.push(starts[starts.len() - 1] + array.shape()?[axis]);
    }
    joined(
        arrays,
        value,
        |tangents| crate::concatenate(tangents, axis),
        move |gradient, i| gradient.slice_axis(axis, starts[i]..starts[i + 1]),
    )
}

/// The arrays, of one shape, along a new axis: [`stack`](fn@crate::stack) of traced arrays.
///
/// ```
/// use gpu_runtime::gradient::{grad, stack};
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let (x, y) = (device.to_device(&[1.0, 2.0])?, device.to_device(&[3.0, 4.0])?);
/// let (by_x, by_y) = grad((&x, &y), |(x, y)| stack([&x, &y], 1)?.max_axis(1)?.sum())?;
/// assert_eq!((by_x.to_host()?, by_y.to_host()?), (vec![0.0, 0.0], vec![1.0, 1.0]));
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// As for [`stack`](fn@crate::stack).
///
/// # Panics
///
/// As [`stack`](fn@crate::stack).
#[track_caller]
pub fn stack<'a, 't, T: Real, E: Differentiable<'a, T, Item = T>>(
    arrays: impl IntoIterator<Item = &'t Traced<'a, E>>,
    axis: impl Axis,
) -> Result<Stored<'a, T>>
where
    'a: 't,
{
    let arrays: Vec<Traced<'a, E>> = arrays.into_iter().cloned().collect();
    let axis = axis.of(rank_of(&arrays)? + 1);
    let value = crate::stack(arrays.iter().map(Traced::elements), axis)?;
    joined(arrays, value, |tangents| crate::stack(tangents, axis), move |gradient, i| gradient.index_axis(axis, i))
}

/// The number of axes of the first array, if there is one.
#[track_caller]
fn rank_of<'a, T: Real, E: Differentiable<'a, T, Item = T>>(arrays: &[Traced<'a, E>]) -> Result<usize> {
    Ok(match arrays.first() {
        Some(array) => array.shape()?.rank(),
        None => 0,
    })
}

/// Several arrays that are parts of one.
#[track_caller]
fn joined<'a, T: Real, E: Differentiable<'a, T, Item = T>>(
    arrays: Vec<Traced<'a, E>>,
    value: DeviceArray<T>,
    join: impl FnOnce(&[DeviceArray<T>]) -> Result<DeviceArray<T>>,
    part: impl for<'g> Fn(DeviceView<'g, T>, usize) -> DeviceView<'g, T> + 'a,
) -> Result<Stored<'a, T>> {
    let (mut parents, mut tangents, mut is_moving) = (Vec::new(), Vec::new(), false);
    for array in &arrays {
        array.expression.nodes(&mut parents);
        let tangent = array.tangent()?;
        is_moving |= tangent.is_some();
        tangents.push(tangent);
    }
    let tangent = if is_moving {
        let mut parts = Vec::new();
        for (array, tangent) in arrays.iter().zip(tangents) {
            parts.push(match tangent {
                Some(tangent) => tangent,
                None => value.device().zeros(array.shape()?)?,
            });
        }
        Some(join(&parts)?)
    } else {
        None
    };
    Ok(Traced::new(
        Node::computed(value, tangent, parents, move |_, gradient, gradients| {
            for (i, array) in arrays.iter().enumerate() {
                gradients.pull_back(&array.expression, part(gradient.view(), i).lazy())?;
            }
            Ok(())
        })
        .linear(),
    ))
}
