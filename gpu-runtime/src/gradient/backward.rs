//! The way back: the gradient of a result by arrays.

use std::collections::{BTreeMap, HashMap};
use std::panic::Location;

use super::chain::{Differentiable, nodes_of};
use super::enclosing::{Enclosing, check_independent};
use super::node::Node;
use super::traced::{Real, Traced};
use super::variables::{Arrays, Variables};
use crate::arrays::{Products as _, add_product};
use crate::failure::called;
use crate::memory::{ArrayPart, DeviceArray, DeviceView, Shape};
use crate::ufunc::{ArrayMut as _, Axes, Expression, IntoLazy, Lazy, Reductions as _, Term, add_to, sum_of};
use crate::{Error, Result, lazy};

/// The gradient of `f` by arrays: `jax.grad(f, argnums)(…)`.
///
/// `f` is called once, with the arrays as [variables](super::variable), and returns an array of one element.
///
/// # Errors
///
/// Those of `f`, and of [`Traced::gradient`].
///
/// ```
/// use gpu_runtime::gradient::{constant, grad};
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let x = device.to_device(&[1.0, 2.0, 3.0, 4.0])?.reshape([2, 2])?;
/// let (mut w, b) = (device.to_device(&[0.5, -0.5])?, device.to_device(&[0.25])?);
/// let (by_w, by_b) = grad((&w, &b), |(w, b)| (constant(&x).matmul(w)? + b).sum())?;
/// assert_eq!((by_w.to_host()?, by_b.to_host()?), (vec![4.0, 6.0], vec![2.0]));
/// w -= &by_w * 0.5;
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[track_caller]
pub fn grad<'a, T, A, E>(
    arrays: A,
    f: impl FnOnce(A::Variables) -> Result<Traced<'a, E>>,
) -> Result<<A::Variables as Variables<'a, T>>::Gradients>
where
    T: Real,
    A: Arrays<'a, T>,
    E: Differentiable<'a, T, Item = T>,
{
    let variables = arrays.variables();
    trace(f, &variables)?.gradient(variables)
}

/// The value of `f`, and its [gradient](fn@grad) by arrays: `jax.value_and_grad(f, argnums)(…)`.
///
/// # Errors
///
/// As for [`grad`].
///
/// ```
/// use gpu_runtime::gradient::value_and_grad;
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[3.0f32, 4.0])?;
/// let (norm, by_x) = value_and_grad(&x, |x| Ok(x.square().sum()?.sqrt()))?;
/// assert_eq!((norm, by_x.to_host()?), (5.0, vec![0.6, 0.8]));
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[track_caller]
pub fn value_and_grad<'a, T, A, E>(
    arrays: A,
    f: impl FnOnce(A::Variables) -> Result<Traced<'a, E>>,
) -> Result<(T, <A::Variables as Variables<'a, T>>::Gradients)>
where
    T: Real,
    A: Arrays<'a, T>,
    E: Differentiable<'a, T, Item = T>,
{
    let variables = arrays.variables();
    let result = trace(f, &variables)?;
    let gradients = result.gradient(variables)?;
    Ok((result.value()?.to_host()?[0], gradients))
}

/// What `f` computes from the variables.
pub(super) fn trace<'a, T: Real, V: Variables<'a, T> + Clone, E>(
    f: impl FnOnce(V) -> Result<Traced<'a, E>>,
    variables: &V,
) -> Result<Traced<'a, E>> {
    let _within = Enclosing::enter(variables);
    f(variables.clone())
}

impl<'a, T: Real, E: Differentiable<'a, T, Item = T>> Traced<'a, E> {
    /// The gradient by each of the variables, of this array of one element: `jax.grad`. For several variables, pass a tuple or a slice.
    ///
    /// The gradient by a variable that this does not depend on is zero.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if there are more elements than one, or none; and as for [`vjp`](Self::vjp).
    #[track_caller]
    pub fn gradient<V: Variables<'a, T>>(&self, variables: V) -> Result<V::Gradients> {
        let _call = called("gradient");
        let shape = self.shape()?;
        if shape.checked_len() != Some(1) {
            let help = "an array of one element has a gradient: reduce it with `sum` or `mean`, or write `vjp`";
            return Err(Error::shape_mismatch("gradient", shape, [].into(), help));
        }
        self.vjp(T::ONE, variables)
    }

    /// The gradient by each of the variables, of the sum of the products of these elements and `weights`, which are broadcast: `jax.vjp`.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if `weights` cannot be broadcast to the shape of this array; [`Error::NestedDerivative`] if it depends on an array
    /// of a [`grad`](fn@grad) or [`jvp`](super::jvp) around this call, for which its gradient would be a constant; and as for
    /// [`collect`](Lazy::collect).
    #[track_caller]
    pub fn vjp<V: Variables<'a, T>>(&self, weights: impl IntoLazy<T>, variables: V) -> Result<V::Gradients> {
        let _call = called("gradient");
        check_independent("gradient", &self.expression)?;
        let (mut gradients, line) = (Gradients { of: HashMap::new(), changes: None }, Location::caller());
        let weights = weights.into_lazy().broadcast_to(self.shape()?)?;
        gradients.go_back(&self.expression, weights, 0, &numbers(&variables)).map_err(|error| error.of_call_from(line))?;
        gradients.by(&variables)
    }

    /// The gradient by each of the variables, of this array of one element, and its change along the directions of the [`jvp`](super::jvp) that
    /// this thread is in.
    #[track_caller]
    pub(super) fn gradient_and_change<V: Variables<'a, T>>(
        &self,
        function: &'static str,
        variables: V,
    ) -> Result<(V::Gradients, V::Gradients)> {
        check_independent(function, &self.expression)?;
        let shape = self.shape()?;
        if shape.checked_len() != Some(1) {
            let help = "an array of one element has a Hessian: reduce it with `sum` or `mean`";
            return Err(Error::shape_mismatch(function, shape, [].into(), help));
        }
        let changes = Gradients { of: HashMap::new(), changes: None };
        let mut gradients = Gradients { of: HashMap::new(), changes: Some(Box::new(changes)) };
        gradients.go_back(&self.expression, T::ONE.into_lazy().broadcast_to(shape)?, 0, &numbers(&variables))?;
        let changes = gradients.changes.take().expect("they were computed");
        Ok((gradients.by(&variables)?, changes.by(&variables)?))
    }
}

/// The numbers of the nodes; of one that is there twice, twice.
pub(super) fn numbers<'a, T: Real>(variables: &impl Variables<'a, T>) -> Vec<u64> {
    let mut numbers = Vec::new();
    variables.for_each(&mut |node| numbers.push(node.number()));
    numbers
}

/// Where gradients go.
#[doc(hidden)]
pub trait Sink<'p, T: Real> {
    /// What becomes of a part before it is added.
    type Counted<U: Expression<Item = T> + 'p>: Expression<Item = T> + 'p;

    /// What `part`, which comes back to `node`, counts.
    fn count<U: Expression<Item = T> + 'p>(&self, node: &Node<'p, T>, part: Lazy<U>) -> Lazy<Self::Counted<U>>;

    /// Adds `part`, of the shape of `node` or of one that it is broadcast to, as it counts, to the gradient by `node`.
    fn add<U: Expression<Item = T> + 'p>(&mut self, node: &Node<'p, T>, part: Lazy<U>) -> Result<()>;
}

/// What an expression adds to the gradients by its nodes.
struct Parts<'p, T> {
    of: Vec<PartsOf<'p, T>>,
}

/// What an expression adds to the gradient by a node: one kernel adds the parts of all its uses.
struct PartsOf<'p, T> {
    node: Node<'p, T>,
    /// A part that has been computed.
    array: Option<DeviceArray<T>>,
    others: Vec<Box<dyn Term + 'p>>,
}

impl<'p, T: Real> Parts<'p, T> {
    fn of(&mut self, node: &Node<'p, T>) -> &mut PartsOf<'p, T> {
        let number = self.of.iter().position(|of| of.node.number() == node.number()).unwrap_or_else(|| {
            self.of.push(PartsOf { node: node.clone(), array: None, others: Vec::new() });
            self.of.len() - 1
        });
        &mut self.of[number]
    }
}

impl<'p, T: Real> PartsOf<'p, T> {
    fn add(&mut self, array: DeviceArray<T>) {
        match self.array {
            None => self.array = Some(array),
            Some(_) => self.others.push(Box::new(lazy(array))),
        }
    }
}

impl<'p, T: Real> Sink<'p, T> for Parts<'p, T> {
    type Counted<U: Expression<Item = T> + 'p> = U;

    fn count<U: Expression<Item = T> + 'p>(&self, _: &Node<'p, T>, part: Lazy<U>) -> Lazy<U> {
        part
    }

    #[track_caller]
    fn add<U: Expression<Item = T> + 'p>(&mut self, node: &Node<'p, T>, part: Lazy<U>) -> Result<()> {
        let (shape, of_part) = (node.shape(), part.shape()?);
        if of_part == shape {
            self.of(node).others.push(Box::new(part));
            return Ok(());
        }
        let repeated = of_part.rank() - shape.rank();
        let axes: Vec<usize> =
            (0..of_part.rank()).filter(|&axis| axis < repeated || (shape[axis - repeated] == 1 && of_part[axis] != 1)).collect();
        let sum = part.on(node.device()).sum_axis(Axes::listed(&axes))?.reshape(shape)?;
        self.of(node).add(sum);
        Ok(())
    }
}

/// What is added to the gradient by an array.
pub(super) enum Part<'v, T> {
    Array(DeviceArray<T>),
    /// The product of matrices.
    Product(DeviceView<'v, T>, DeviceView<'v, T>),
}

/// The gradients by nodes, by their numbers.
#[doc(hidden)]
pub struct Gradients<T> {
    of: HashMap<u64, DeviceArray<T>>,
    /// How they change along the directions of the nodes, if that is computed. The way back is linear in the gradients, so their changes go it
    /// too; and each step adds how it changes itself.
    changes: Option<Box<Gradients<T>>>,
}

impl<T: Real> Gradients<T> {
    /// Those by the variables.
    fn by<'a, V: Variables<'a, T>>(mut self, variables: &V) -> Result<V::Gradients> {
        let mut wanted = numbers(variables);
        variables.gradients(&mut |node| {
            wanted.swap_remove(wanted.iter().position(|&number| number == node.number()).expect("it is among the variables"));
            match self.of.remove(&node.number()) {
                Some(gradient) if wanted.contains(&node.number()) => {
                    let copy = lazy(&gradient).collect()?;
                    self.of.insert(node.number(), gradient);
                    Ok(copy)
                }
                Some(gradient) => Ok(gradient),
                None => node.device().zeros(node.shape()),
            }
        })
    }

    /// Adds to the gradients by all nodes that an expression was computed from, the last one first. Nodes older than `oldest` are not gone
    /// through. Of the others, only the gradients of those that are `wanted` are kept.
    #[track_caller]
    pub(super) fn go_back<'a>(
        &mut self,
        expression: &impl Differentiable<'a, T, Item = T>,
        gradient: Lazy<impl Expression<Item = T>>,
        oldest: u64,
        wanted: &[u64],
    ) -> Result<()> {
        self.pull_back(expression, gradient)?;
        let mut nodes = nodes_of(expression);
        // A node has a larger number than those that it was computed from: when its turn comes, its gradient is complete.
        let mut pending = BTreeMap::new();
        loop {
            pending.extend(nodes.drain(..).filter(|node| node.number() >= oldest).map(|node| (node.number(), node)));
            let Some((number, node)) = pending.pop_last() else { return Ok(()) };
            let is_hidden = wanted.iter().any(|&wanted| node.computes_again(wanted));
            assert!(
                !is_hidden,
                "the gradient by an array that the function of a `checkpoint` has made: it makes another one for the gradient"
            );
            if let Some(changes) = &mut self.changes
                && let Some(change) = changes.of.remove(&number)
            {
                node.pull_back(&change, changes)?;
                if wanted.contains(&number) {
                    changes.of.insert(number, change);
                }
            }
            if let Some(gradient) = self.of.remove(&number) {
                if let Some(changes) = &mut self.changes {
                    node.bend(&gradient, changes)?;
                }
                node.pull_back(&gradient, self)?;
                if wanted.contains(&number) {
                    self.of.insert(number, gradient);
                }
            }
            nodes.extend_from_slice(node.parents());
        }
    }

    /// Adds to the gradients by the nodes of `x`. `gradient` is that by `x`, of its shape or of one that it is broadcast to.
    #[track_caller]
    pub(super) fn pull_back<'a, U: Expression<Item = T>>(&mut self, x: &impl Differentiable<'a, T>, gradient: Lazy<U>) -> Result<()> {
        if let Some(changes) = &mut self.changes
            && x.as_node().is_none()
            && let Some(node) = nodes_of(x).first()
        {
            x.bend(gradient.clone().on(node.device()).collect()?.view(), None, changes)?;
        }
        let mut parts = Parts { of: Vec::new() };
        x.pull_back(gradient, &mut parts)?;
        for mut parts in parts.of {
            let node = parts.node.clone();
            let number = node.number();
            if let Some(before) = self.of.remove(&number) {
                // In place.
                let part = parts.array.replace(before);
                part.into_iter().for_each(|part| parts.add(part));
            }
            let sum = sum_of(node.device(), node.shape(), parts.array, &parts.others)?;
            self.of.insert(number, sum);
        }
        Ok(())
    }

    /// Adds `gradient`, of the shape of `x`, to the gradient by it: where it is the first, and on its device, without a copy.
    #[track_caller]
    pub(super) fn give<'a>(&mut self, x: &Node<'a, T>, gradient: DeviceArray<T>) -> Result<()> {
        if self.changes.is_some() || self.of.contains_key(&x.number()) || gradient.device() != x.device() {
            return self.pull_back(x, lazy(&gradient));
        }
        self.of.insert(x.number(), gradient);
        Ok(())
    }

    /// Adds a part to the gradient by `x`: the first one without a copy, and a product of matrices where the sum is.
    #[track_caller]
    pub(super) fn add<'a>(&mut self, x: &impl Differentiable<'a, T, Item = T>, part: Part<'_, T>) -> Result<()> {
        let node = x.as_node();
        let array = match part {
            Part::Array(array) => array,
            Part::Product(a, b) => {
                let shape = match (a.shape().extents(), b.shape().extents()) {
                    ([rows, _], [_, columns]) => Some(Shape::from([*rows, *columns])),
                    _ => None,
                };
                if let Some(node) = node
                    && shape == Some(node.shape())
                    && node.device() == a.device()
                    && let Some(sum) = self.of.remove(&node.number())
                {
                    self.of.insert(node.number(), add_product(a, b, sum)?);
                    return Ok(());
                }
                a.matmul(b)?
            }
        };
        match node {
            Some(node) if node.shape() == array.shape() => self.give(node, array),
            _ => self.pull_back(x, lazy(&array)),
        }
    }

    /// Adds `gradient` to the gradient by a part of `x`: in place, so that many parts of one array cost as much as the whole, once.
    #[track_caller]
    pub(super) fn add_to_part<'a>(
        &mut self,
        x: &impl Differentiable<'a, T, Item = T>,
        shape: Shape,
        part: impl ArrayPart,
        gradient: &DeviceArray<T>,
    ) -> Result<()> {
        let number = x.as_node().map(Node::number);
        let whole = match number.and_then(|number| self.of.remove(&number)) {
            Some(mut whole) => {
                add_to(whole.view_mut().part(part), lazy(gradient))?;
                whole
            }
            None => {
                let mut whole = gradient.device().zeros::<T>(shape)?;
                whole.view_mut().part(part).copy_from(gradient)?;
                whole
            }
        };
        let Some(number) = number else { return self.pull_back(x, lazy(&whole)) };
        self.of.insert(number, whole);
        Ok(())
    }
}
