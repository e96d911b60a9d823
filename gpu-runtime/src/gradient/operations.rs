//! Operations of traced arrays that store their results: each with what brings a gradient back through it.

use super::backward::Gradients;
use super::chain::Differentiable;
use super::node::Node;
use super::traced::{Constant, IntoTraced, Real, Stored, Traced};
use crate::arrays::{Normalizations as _, Products as _, Selections as _};
use crate::failure::called;
use crate::functions;
use crate::memory::{ArrayPart, DeviceArray, DeviceView, Shape};
use crate::scalar::Integer;
use crate::ufunc::{
    Apply, ArrayLike, ArrayMut as _, Axes, CastElement, Elementwise as _, IndexElement, IntoLazy, Lazy, Reductions as _, ScalarInput, iota,
    keep_dims,
};
use crate::{Error, Result};

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
        let axes = axes.into();
        self.reduced(axes, T::ONE, (&self.elements()).sum_axis(axes)?)
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
        let axes = axes.into();
        let value = (&self.elements()).mean_axis(axes)?;
        let count = T::from_f64(axes.elements(self.shape()?) as f64);
        self.reduced(axes, T::ONE / count, value)
    }

    /// Sums along axes, times a factor.
    #[track_caller]
    fn reduced(&self, axes: Axes, factor: T, value: DeviceArray<T>) -> Result<Stored<'a, T>> {
        let shape = self.shape()?;
        let kept = keep_dims(axes).left_of(shape);
        self.stored(value, move |x, _, gradient, gradients| {
            let repeated = gradient.view().reshape(kept)?.broadcast_to(shape)?;
            x.pull_back(functions::mul::map(repeated, factor), gradients)
        })
    }

    /// The product of matrices, or of a matrix and a vector: [`matmul`](crate::Products::matmul). A constant on the left is
    /// [`constant`](super::constant)`(&x).matmul(&w)`.
    ///
    /// # Errors
    ///
    /// As for [`matmul`](crate::Products::matmul).
    #[track_caller]
    pub fn matmul<B: IntoTraced<'a, T, Expression: Differentiable<'a, T>>>(&self, other: B) -> Result<Stored<'a, T>> {
        let (a, b) = (self.expression.keep()?, other.into_traced().keep()?);
        let (of_a, of_b) = (Lazy::new(a.clone()), Lazy::new(b.clone()));
        let value = (&of_a).matmul(&of_b)?;
        let (shape_a, shape_b) = (of_a.shape()?, of_b.shape()?);
        let mut parents = Vec::new();
        a.nodes(&mut parents);
        b.nodes(&mut parents);
        Ok(Traced::new(Node::computed(value, parents, move |_, gradient, gradients| {
            // A vector on the left is a row, on the right a column.
            let mut extents = gradient.shape().extents().to_vec();
            extents.extend((shape_b.rank() == 1).then_some(1));
            if shape_a.rank() == 1 {
                extents.insert(extents.len() - 1, 1);
            }
            let gradient = gradient.view().reshape(of_extents(&extents))?;
            if <E::Kept as Differentiable<'a, T>>::VARIES {
                let transposed = match shape_b.rank() {
                    1 => of_b.clone().insert_axis(0),
                    rank => of_b.clone().swap_axes(rank - 2, rank - 1),
                };
                a.pull_back((&gradient.matmul(transposed)?).lazy(), gradients)?;
            }
            if <<B::Expression as Differentiable<'a, T>>::Kept as Differentiable<'a, T>>::VARIES {
                let transposed = match shape_a.rank() {
                    1 => of_a.clone().insert_axis(1),
                    rank => of_a.clone().swap_axes(rank - 2, rank - 1),
                };
                let mut product = transposed.matmul(gradient)?;
                if shape_b.rank() == 1 {
                    let extents = product.shape();
                    product = product.reshape(of_extents(&extents.extents()[..extents.rank() - 1]))?;
                }
                b.pull_back((&product).lazy(), gradients)?;
            }
            Ok(())
        })))
    }

    /// The same elements in the same order with another shape.
    ///
    /// # Errors
    ///
    /// As for [`reshape`](Lazy::reshape).
    #[track_caller]
    pub fn reshape(&self, shape: impl Into<Shape>) -> Result<Stored<'a, T>> {
        let old = self.shape()?;
        let value = self.value()?.reshape(shape)?;
        self.stored(value, move |x, _, gradient, gradients| x.pull_back(gradient.view().reshape(old)?.lazy(), gradients))
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
        let value = self.elements().permute(axes).lazy().collect()?;
        let mut inverse = vec![0; axes.len()];
        axes.iter().enumerate().for_each(|(new, &old)| inverse[old] = new);
        self.stored(value, move |x, _, gradient, gradients| x.pull_back(gradient.view().permute(&inverse).lazy(), gradients))
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
        let value = self.elements().part(parts.clone()).collect()?;
        self.stored(value, move |x, _, gradient, gradients| {
            let mut whole = gradient.device().zeros::<T>(shape)?;
            whole.view_mut().part(parts.clone()).copy_from(gradient)?;
            x.pull_back((&whole).lazy(), gradients)
        })
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
        self.stored(value, move |x, _, gradient, gradients| {
            let mut sums = gradient.device().zeros::<T>(shape)?;
            let len = shape.extents()[1..].iter().product::<usize>();
            let starts = indices.clone().reshape(count)?.cast::<usize>().insert_axis(1) * len;
            functions::add::at(sums.slice_mut(..), starts + iota(len), gradient.view().reshape([count, len])?)?;
            x.pull_back((&sums).lazy(), gradients)
        })
    }

    /// [`softmax`](crate::Normalizations::softmax) along an axis.
    ///
    /// # Errors
    ///
    /// As for [`softmax`](crate::Normalizations::softmax).
    #[track_caller]
    pub fn softmax(&self, axis: usize) -> Result<Stored<'a, T>> {
        let value = (&self.elements()).softmax(axis)?;
        self.stored(value, move |x, value, gradient, gradients| {
            let sums = functions::mul::map(value, gradient).sum_axis(keep_dims(axis))?;
            x.pull_back(functions::mul::map(value, functions::sub::map(gradient, &sums)), gradients)
        })
    }

    /// [`log_softmax`](crate::Normalizations::log_softmax) along an axis.
    ///
    /// # Errors
    ///
    /// As for [`log_softmax`](crate::Normalizations::log_softmax).
    #[track_caller]
    pub fn log_softmax(&self, axis: usize) -> Result<Stored<'a, T>> {
        let value = (&self.elements()).log_softmax(axis)?;
        self.stored(value, move |x, value, gradient, gradients| {
            let sums = gradient.sum_axis(keep_dims(axis))?;
            x.pull_back(functions::sub::map(gradient, functions::mul::map(functions::exp::map(value), &sums)), gradients)
        })
    }

    /// The elements less their mean, divided by √(variance + epsilon), along `axis`: [`layer_norm`](crate::Normalizations::layer_norm).
    ///
    /// # Errors
    ///
    /// As for [`layer_norm`](crate::Normalizations::layer_norm).
    #[track_caller]
    pub fn layer_norm(&self, axis: usize, epsilon: T) -> Result<Traced<'a, impl Differentiable<'a, T, Item = T>>> {
        let x = self.keep()?.expression;
        let mean = Traced::new(x.clone()).mean_axis(keep_dims(axis))?.expression;
        let centred = Traced::new(Apply::<functions::sub::Function<T>, _>::new((x, mean))).keep()?;
        let variance = centred.square().mean_axis(keep_dims(axis))?.expression;
        let shifted = Apply::<functions::add::Function<T>, _>::new((variance, Constant(ScalarInput(epsilon))));
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
        if shape.rank() != 2 || *of_labels.extents() != [shape[0]] {
            return Err(Error::shape_mismatch("cross_entropy", shape, of_labels, "the scores are a matrix with a row for each label"));
        }
        let logarithms = (&self.elements()).log_softmax(1)?;
        let columns = labels.insert_axis(1);
        let value = functions::neg::map((&logarithms).take_along_axis(&columns, 1)?).mean_axis(..)?;
        let rows = T::from_f64(shape[0] as f64);
        self.stored(value, move |x, _, gradient, gradients| {
            let is_label = functions::equal::map((&columns).cast::<i64>(), iota(shape[1]).cast::<i64>());
            let probabilities = functions::exp::map(&logarithms);
            let of_rows = functions::sub::map(probabilities, functions::select::map(is_label, T::ONE, T::ZERO));
            x.pull_back(functions::mul::map(of_rows, functions::div::map(gradient, rows)), gradients)
        })
    }

    /// A result that was computed from this alone.
    fn stored(
        &self,
        value: DeviceArray<T>,
        pull_back: impl Fn(&E, &DeviceView<'_, T>, &DeviceArray<T>, &mut Gradients<T>) -> Result<()> + 'a,
    ) -> Result<Stored<'a, T>> {
        let (mut parents, x) = (Vec::new(), self.expression.clone());
        x.nodes(&mut parents);
        Ok(Traced::new(Node::computed(value, parents, move |value, gradient, gradients| pull_back(&x, value, gradient, gradients))))
    }
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
    Traced::new(Apply::new((Constant(mask.into_lazy().into_inner()), a.into_traced(), b.into_traced())))
}

fn of_extents(extents: &[usize]) -> Shape {
    Shape::from_extents(extents).expect("a product has as many axes as an operand, and each vector one more")
}
