//! Forward mode: what a step along a direction changes, computed with each operation.
//!
//! A variable has a tangent, the direction, and every result has that which its operation makes of the tangents of its operands. Through a
//! chain, the way back says by how much each of its arrays counts: [`Tangents`] is where that is multiplied by their tangents.

use std::cell::Cell;

use super::backward::{Sink, trace};
use super::chain::{Differentiable, nodes_of};
use super::enclosing::check_independent;
use super::node::Node;
use super::traced::{Real, Traced};
use super::variables::{Arrays, Variables};
use crate::Result;
use crate::failure::called;
use crate::functions;
use crate::memory::DeviceArray;
use crate::ufunc::{Apply, Expression, Inputs, IntoLazy, Lazy, Load, Term, sum_of};

/// The value of `f`, and its derivative along directions, one for each array: `jax.jvp(f, arrays, directions)`.
///
/// `f` is called once, as by [`grad`](fn@super::grad), and may return an array of any shape. Each of its operations computes a derivative too,
/// whatever the number of results; with [`vjp`](Traced::vjp), whatever the number of arrays.
///
/// ```
/// use gpu_runtime::gradient::jvp;
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let (x, dx) = (device.to_device(&[1.0, 2.0, 3.0])?, device.to_device(&[1.0, 0.0, -1.0])?);
/// let (squares, changes) = jvp(&x, &dx, |x| Ok(x.square()))?;
/// assert_eq!((squares.to_host()?, changes.to_host()?), (vec![1.0, 4.0, 9.0], vec![2.0, 0.0, -6.0]));
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// Those of `f`; [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if a direction has another shape than its array; and as for
/// [`collect`](Lazy::collect). [`Error::NestedDerivative`](crate::Error::NestedDerivative) if the result depends on an array of a `jvp` or
/// [`grad`](fn@super::grad) around this one, for which it would be a constant.
///
/// # Panics
///
/// If there are slices of arrays and of directions, of different lengths; and if `f` uses a traced array that was made in a `jvp` which it has
/// called itself, and which is over.
#[track_caller]
pub fn jvp<'a, T, A, E>(
    arrays: A,
    directions: A,
    f: impl FnOnce(A::Variables) -> Result<Traced<'a, E>>,
) -> Result<(DeviceArray<T>, DeviceArray<T>)>
where
    T: Real,
    A: Arrays<'a, T>,
    E: Differentiable<'a, T, Item = T>,
{
    let _along = Along::begin::<T>();
    let variables = arrays.moving(directions)?;
    let result = trace(f, &variables)?;
    let _call = called("jvp");
    check_independent("jvp", &result.expression)?;
    let value = result.value()?;
    let tangent = match result.tangent()? {
        Some(tangent) => tangent,
        None => value.device().zeros(value.shape())?,
    };
    Ok((value, tangent))
}

thread_local! {
    static OLDEST: Cell<u64> = const { Cell::new(0) };
}

/// The number of the oldest node of the innermost [`jvp`] that this thread is in, or 0. What is older stands still: it moves along the directions
/// of another one.
pub(super) fn oldest() -> u64 {
    OLDEST.get()
}

/// While it lives, this thread is in a [`jvp`].
struct Along {
    outer: u64,
}

impl Along {
    fn begin<T: Real>() -> Self {
        Self { outer: OLDEST.replace(Node::<T>::next_number()) }
    }
}

impl Drop for Along {
    fn drop(&mut self) {
        OLDEST.set(self.outer);
    }
}

impl<'a, T: Real, E: Differentiable<'a, T, Item = T>> Traced<'a, E> {
    /// The derivative of its elements along the directions of the variables. `None` if it does not depend on a variable with one.
    #[track_caller]
    pub(super) fn tangent(&self) -> Result<Option<DeviceArray<T>>> {
        tangent_of(&self.expression)
    }
}

/// The derivative of the elements of an expression, or of numbers that do not vary.
#[track_caller]
pub(super) fn tangent_of<'a, T: Real, E: Differentiable<'a, T>>(expression: &E) -> Result<Option<DeviceArray<T>>> {
    let nodes = nodes_of(expression);
    let Some(moving) = nodes.iter().find(|node| node.tangent().is_some()) else { return Ok(None) };
    let (shape, mut tangents) = (Lazy::new(expression.clone()).shape()?, Tangents { parts: Vec::new() });
    expression.pull_back(T::ONE.into_lazy().broadcast_to(shape)?, &mut tangents)?;
    sum_of::<T>(moving.device(), shape, None, &tangents.parts).map(Some)
}

/// The gradient of `f` by arrays, and how it changes along directions, one for each array: the product of the Hessian of `f` and these directions.
/// In JAX, `jax.jvp(jax.grad(f), arrays, directions)`.
///
/// `f` is called once, as by [`grad`](fn@super::grad). The way back takes twice as long as that of a gradient: the Hessian itself is not computed.
///
/// ```
/// use gpu_runtime::gradient::hvp;
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let (x, v) = (device.to_device(&[1.0, 2.0])?, device.to_device(&[1.0, -1.0])?);
/// let (gradient, product) = hvp(&x, &v, |x| x.powi(3).sum())?;
/// assert_eq!((gradient.to_host()?, product.to_host()?), (vec![3.0, 12.0], vec![6.0, -12.0]));
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// As for [`grad`](fn@super::grad) and [`jvp`]; [`Error::NoSecondDerivative`](crate::Error::NoSecondDerivative) if `f` depends on the arrays by an
/// operation without a second derivative.
///
/// # Panics
///
/// As [`jvp`].
#[track_caller]
#[allow(clippy::type_complexity, reason = "the gradients, twice")]
pub fn hvp<'a, T, A, E>(
    arrays: A,
    directions: A,
    f: impl FnOnce(A::Variables) -> Result<Traced<'a, E>>,
) -> Result<(<A::Variables as Variables<'a, T>>::Gradients, <A::Variables as Variables<'a, T>>::Gradients)>
where
    T: Real,
    A: Arrays<'a, T>,
    E: Differentiable<'a, T, Item = T>,
{
    gradient_and_change("hvp", f, || arrays.moving(directions))
}

/// The gradient of `f` by variables that move, and its change.
#[track_caller]
pub(super) fn gradient_and_change<'a, T: Real, V: Variables<'a, T> + Clone, E: Differentiable<'a, T, Item = T>>(
    function: &'static str,
    f: impl FnOnce(V) -> Result<Traced<'a, E>>,
    moving: impl FnOnce() -> Result<V>,
) -> Result<(V::Gradients, V::Gradients)> {
    let _along = Along::begin::<T>();
    let variables = moving()?;
    let result = trace(f, &variables)?;
    let _call = called(function);
    result.gradient_and_change(function, variables)
}

/// The tangents of the arrays of a chain, times the slopes by them.
struct Tangents<'p> {
    parts: Vec<Box<dyn Term + 'p>>,
}

impl<'p, T: Real> Sink<'p, T> for Tangents<'p> {
    type Counted<U: Expression<Item = T> + 'p> = Apply<functions::mul::Function<T>, (U, TangentOf<'p, T>)>;

    fn count<U: Expression<Item = T> + 'p>(&self, node: &Node<'p, T>, part: Lazy<U>) -> Lazy<Self::Counted<U>> {
        Lazy::new(Apply::new((part.into_inner(), TangentOf(node.clone()))))
    }

    fn add<U: Expression<Item = T> + 'p>(&mut self, node: &Node<'p, T>, part: Lazy<U>) -> Result<()> {
        if node.tangent().is_some() {
            self.parts.push(Box::new(part));
        }
        Ok(())
    }
}

/// The tangent of a node that has one.
#[derive(Clone)]
pub(super) struct TangentOf<'a, T>(Node<'a, T>);

// SAFETY: one array of `T`, which is what `Load<T>` reads.
unsafe impl<T: Real> Expression for TangentOf<'_, T> {
    type Item = T;
    type Code = Load<T>;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        inputs.array(&self.0.tangent().expect("it moves"));
    }
}
