//! Nodes: the stored arrays of a computation, each with what it was computed from.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::backward::{Gradients, Sink};
use super::chain::{Differentiable, nodes_of};
use super::forward::oldest;
use super::traced::{Real, Traced};
use crate::device::Device;
use crate::memory::{DeviceArray, DeviceView, Shape};
use crate::source::Element;
use crate::ufunc::{ArrayLike, Deferred, Expression, Inputs, Lazy, Load};
use crate::{Error, Result, lazy};
use std::panic::Location;

/// A stored array: a variable, or a result. Its clones are the same.
pub struct Node<'a, T>(Rc<Data<'a, T>>);

struct Data<'a, T> {
    /// Larger than those of the nodes that it was computed from.
    number: u64,
    value: Value<'a, T>,
    /// The number of the innermost [`jvp`](super::jvp) that it was made in: see [`oldest`].
    made_in: u64,
    /// Its derivative along the directions of that one, if it moves.
    tangent: Option<Elements<'a, T>>,
    /// All nodes that `pull_back` holds.
    parents: Vec<Node<'a, T>>,
    pull_back: Option<Box<PullBack<'a, T>>>,
    curvature: Curvature<'a, T>,
    /// Of a [`checkpoint`](super::checkpoint): the nodes from this number to its own are computed again, as others.
    computes_again_from: Option<u64>,
}

/// Adds to the gradients by what a node was computed from: called with its value, and the gradient by it.
type PullBack<'a, T> = dyn Fn(&Value<'_, T>, &DeviceArray<T>, &mut Gradients<T>) -> Result<()> + 'a;

/// How what a node adds to the gradients changes while the nodes move, and the gradient by it stays the same. Chains among its operands change by
/// themselves.
enum Curvature<'a, T> {
    /// Not at all: its operation is linear.
    None,
    /// This adds it to the changes: called with its value, its tangent and the gradient by it.
    By(Box<Bend<'a, T>>),
    Unknown,
}

type Bend<'a, T> = dyn Fn(&DeviceView<'_, T>, DeviceView<'_, T>, &DeviceArray<T>, &mut Gradients<T>) -> Result<()> + 'a;

/// The elements of a node.
pub(super) enum Value<'a, T> {
    Known(Rc<Elements<'a, T>>),
    /// Those of a sum, which its gradient does not need.
    Later(Rc<Later<'a, T>>),
}

/// Elements in memory.
pub(super) enum Elements<'a, T> {
    Borrowed(DeviceView<'a, T>),
    Owned(Rc<DeviceArray<T>>),
    /// Those of another node: a part, in other axes or in another shape.
    Seen {
        of: Rc<Elements<'a, T>>,
        see: Box<See<'a, T>>,
    },
}

type See<'a, T> = dyn for<'v> Fn(DeviceView<'v, T>) -> DeviceView<'v, T> + 'a;

/// An array that is computed where its elements are needed first.
pub(super) struct Later<'a, T> {
    shape: Shape,
    device: Device,
    array: OnceCell<Rc<DeviceArray<T>>>,
    /// As long as the node lives.
    compute: Option<Box<Compute<'a, T>>>,
}

type Compute<'a, T> = dyn Fn() -> Result<DeviceArray<T>> + 'a;

impl<T> From<DeviceArray<T>> for Value<'_, T> {
    fn from(array: DeviceArray<T>) -> Self {
        Self::Known(Rc::new(Elements::owned(array)))
    }
}

impl<T> Clone for Node<'_, T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// One after the other: a computation has any number of steps, and each drop inside of another needs stack.
impl<T> Drop for Data<'_, T> {
    fn drop(&mut self) {
        let mut last = self.take_origin();
        while let Some(mut node) = last.pop() {
            if let Some(data) = Rc::get_mut(&mut node.0) {
                last.append(&mut data.take_origin());
            }
        }
    }
}

impl<'a, T> Data<'a, T> {
    /// Takes out all that holds what it was computed from: the parents are all.
    fn take_origin(&mut self) -> Vec<Node<'a, T>> {
        (self.pull_back, self.curvature) = (None, Curvature::None);
        if let Value::Later(later) = &mut self.value
            && let Some(later) = Rc::get_mut(later)
        {
            later.compute = None;
        }
        std::mem::take(&mut self.parents)
    }
}

impl<T> Elements<'_, T> {
    pub(super) fn owned(array: DeviceArray<T>) -> Self {
        Self::Owned(Rc::new(array))
    }
}

impl<T: Element> Elements<'_, T> {
    fn view(&self) -> DeviceView<'_, T> {
        match self {
            Self::Borrowed(view) => *view,
            Self::Owned(array) => array.view(),
            Self::Seen { of, see } => see(of.view()),
        }
    }
}

impl<'a, T: Element> Value<'a, T> {
    /// An array of this shape, which `compute` makes where its elements are needed.
    pub(super) fn later(shape: Shape, device: Device, compute: impl Fn() -> Result<DeviceArray<T>> + 'a) -> Self {
        Self::Later(Rc::new(Later { shape, device, array: OnceCell::new(), compute: Some(Box::new(compute)) }))
    }

    pub(super) fn view(&self) -> Result<DeviceView<'_, T>> {
        match self {
            Self::Known(elements) => Ok(elements.view()),
            Self::Later(later) => Ok(later.array()?.view()),
        }
    }

    /// Whether they have been computed.
    fn is_known(&self) -> bool {
        match self {
            Self::Known(_) => true,
            Self::Later(later) => later.array.get().is_some(),
        }
    }

    fn shape(&self) -> Shape {
        match self {
            Self::Known(elements) => elements.view().shape(),
            Self::Later(later) => later.shape,
        }
    }

    fn device(&self) -> &Device {
        match self {
            Self::Known(elements) => elements.view().device(),
            Self::Later(later) => &later.device,
        }
    }
}

impl<T: Element> Later<'_, T> {
    fn array(&self) -> Result<&Rc<DeviceArray<T>>> {
        if let Some(array) = self.array.get() {
            return Ok(array);
        }
        let compute = self.compute.as_ref().expect("the node lives");
        let array = Rc::new(compute()?);
        Ok(self.array.get_or_init(|| array))
    }
}

impl<T: Element> Deferred for Later<'_, T> {
    fn device(&self) -> Option<&Device> {
        Some(&self.device)
    }

    fn compute<'s>(&'s self, inputs: &mut Inputs<'s>) {
        match self.array() {
            Ok(array) => inputs.array(&array.view()),
            Err(error) => inputs.fail(error),
        }
    }
}

impl<'a, T: Real> Node<'a, T> {
    fn new(value: Value<'a, T>, tangent: Option<Elements<'a, T>>, parents: Vec<Self>, pull_back: Option<Box<PullBack<'a, T>>>) -> Self {
        Self(Rc::new(Data {
            number: Self::next_number(),
            value,
            made_in: oldest(),
            tangent,
            parents,
            pull_back,
            curvature: Curvature::Unknown,
            computes_again_from: None,
        }))
    }

    /// A number that is larger than those of all nodes there are, and no 0.
    pub(super) fn next_number() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        NEXT.fetch_add(1, Ordering::Relaxed)
    }

    /// That of a variable, which moves along a direction or not.
    pub(super) fn variable(view: DeviceView<'a, T>, direction: Option<Elements<'a, T>>) -> Self {
        Self::new(Value::Known(Rc::new(Elements::Borrowed(view))), direction, Vec::new(), None)
    }

    /// A result that was computed from these nodes.
    pub(super) fn computed(
        value: impl Into<Value<'a, T>>,
        tangent: Option<DeviceArray<T>>,
        parents: Vec<Self>,
        pull_back: impl Fn(&DeviceView<'_, T>, &DeviceArray<T>, &mut Gradients<T>) -> Result<()> + 'a,
    ) -> Self {
        let pull_back = move |value: &Value<'_, T>, gradient: &DeviceArray<T>, gradients: &mut Gradients<T>| {
            pull_back(&value.view()?, gradient, gradients)
        };
        Self::new(value.into(), tangent.map(Elements::owned), parents, Some(Box::new(pull_back)))
    }

    /// The same of a result whose gradient does not need its value.
    pub(super) fn computed_later(
        value: Value<'a, T>,
        tangent: Option<DeviceArray<T>>,
        parents: Vec<Self>,
        pull_back: impl Fn(&DeviceArray<T>, &mut Gradients<T>) -> Result<()> + 'a,
    ) -> Self {
        let pull_back = move |_: &Value<'_, T>, gradient: &DeviceArray<T>, gradients: &mut Gradients<T>| pull_back(gradient, gradients);
        Self::new(value, tangent.map(Elements::owned), parents, Some(Box::new(pull_back)))
    }

    /// This node, new, whose gradient computes those from number `start` on again.
    pub(super) fn computing_again_from(mut self, start: u64) -> Self {
        Rc::get_mut(&mut self.0).expect("it is new").computes_again_from = Some(start);
        self
    }

    /// This node, new, whose operation is linear.
    pub(super) fn linear(self) -> Self {
        self.with_curvature(Curvature::None)
    }

    /// This node, new, whose operation bends by this.
    pub(super) fn bending(
        self,
        bend: impl Fn(&DeviceView<'_, T>, DeviceView<'_, T>, &DeviceArray<T>, &mut Gradients<T>) -> Result<()> + 'a,
    ) -> Self {
        self.with_curvature(Curvature::By(Box::new(bend)))
    }

    fn with_curvature(mut self, curvature: Curvature<'a, T>) -> Self {
        Rc::get_mut(&mut self.0).expect("it is new").curvature = curvature;
        self
    }

    /// Whether its gradient computes the node with that number again, as another one.
    pub(super) fn computes_again(&self, number: u64) -> bool {
        self.0.computes_again_from.is_some_and(|start| (start..self.number()).contains(&number))
    }

    /// The elements of an expression.
    #[track_caller]
    pub(super) fn stored<E: Differentiable<'a, T, Item = T>>(expression: &E) -> Result<Self> {
        let traced = Traced::new(expression.clone());
        let (value, tangent) = (traced.value()?, traced.tangent()?);
        let (parents, expression) = (nodes_of(expression), expression.clone());
        let pull_back = move |_: &DeviceView<'_, T>, gradient: &DeviceArray<T>, gradients: &mut Gradients<T>| {
            gradients.pull_back(&expression, gradient.lazy())
        };
        Ok(Self::computed(value, tangent, parents, pull_back).linear())
    }

    pub(super) fn number(&self) -> u64 {
        self.0.number
    }

    pub(super) fn parents(&self) -> &[Self] {
        &self.0.parents
    }

    /// Its elements, which may have to be computed.
    #[track_caller]
    pub(super) fn view(&self) -> Result<DeviceView<'_, T>> {
        self.0.value.view()
    }

    pub(super) fn shape(&self) -> Shape {
        self.0.value.shape()
    }

    pub(super) fn device(&self) -> &Device {
        self.0.value.device()
    }

    /// Its elements, seen in another way; copied, if they are those of another node already: else to look at them would go through a chain.
    #[track_caller]
    pub(super) fn seen(&self, see: impl for<'v> Fn(DeviceView<'v, T>) -> DeviceView<'v, T> + 'a) -> Result<Value<'a, T>> {
        Ok(match &self.0.value {
            Value::Known(of) if !matches!(**of, Elements::Seen { .. }) => {
                Value::Known(Rc::new(Elements::Seen { of: of.clone(), see: Box::new(see) }))
            }
            _ => lazy(see(self.view()?)).collect()?.into(),
        })
    }

    /// Its derivative along the directions of the [`jvp`](super::jvp) that this thread is in. What is older than that stands still.
    ///
    /// # Panics
    ///
    /// If it was made in another one, inside of that, which is over: along which directions it moves is not known here.
    #[track_caller]
    pub(super) fn tangent(&self) -> Option<DeviceView<'_, T>> {
        let Data { number, made_in, tangent, .. } = &*self.0;
        let inner = oldest();
        if *made_in == inner {
            return tangent.as_ref().map(Elements::view);
        }
        assert!(*number < inner || inner == 0, "a traced array is used outside of the `jvp` in which it was made");
        None
    }

    /// Adds to the gradients by the parents.
    pub(super) fn pull_back(&self, gradient: &DeviceArray<T>, gradients: &mut Gradients<T>) -> Result<()> {
        match &self.0.pull_back {
            Some(pull_back) => pull_back(&self.0.value, gradient, gradients),
            None => Ok(()),
        }
    }

    /// Adds, for each of the parents, how its part in the gradient changes by the operation itself.
    #[track_caller]
    pub(super) fn bend(&self, gradient: &DeviceArray<T>, changes: &mut Gradients<T>) -> Result<()> {
        match (&self.0.curvature, self.tangent()) {
            (Curvature::None, _) | (_, None) => Ok(()),
            (Curvature::By(bend), Some(tangent)) => bend(&self.view()?, tangent, gradient, changes),
            (Curvature::Unknown, Some(_)) if self.0.pull_back.is_none() => Ok(()),
            (Curvature::Unknown, Some(_)) => {
                Err(Error::NoSecondDerivative { function: "an operation of traced arrays", location: Location::caller() })
            }
        }
    }
}

// SAFETY: one array of `T`, which is what `Load<T>` reads.
unsafe impl<T: Real> Expression for Node<'_, T> {
    type Item = T;
    type Code = Load<T>;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        match &self.0.value {
            Value::Later(later) if inputs.defers() && !self.0.value.is_known() => inputs.deferred::<T>(&**later, later.shape),
            Value::Later(later) => later.compute(inputs),
            Value::Known(elements) => inputs.array(&elements.view()),
        }
    }
}

impl<'a, T: Real> Differentiable<'a, T> for Node<'a, T> {
    type Kept = Self;
    const VARIES: bool = true;

    fn keep(&self) -> Result<Self> {
        Ok(self.clone())
    }

    /// The same value, without what it was computed from. (If it cannot be computed, that is an error where it is used.)
    fn detach(&self) -> Self {
        let value = match &self.0.value {
            Value::Later(later) => match later.array() {
                Ok(array) => Value::Known(Rc::new(Elements::Owned(array.clone()))),
                Err(_) => Value::Later(later.clone()),
            },
            Value::Known(elements) => Value::Known(elements.clone()),
        };
        Self::new(value, None, Vec::new(), None)
    }

    fn nodes(&self, nodes: &mut Vec<Self>) {
        nodes.push(self.clone());
    }

    fn as_node(&self) -> Option<&Self> {
        Some(self)
    }

    #[track_caller]
    fn pull_back<'p, U: Expression<Item = T> + 'p>(&self, gradient: Lazy<U>, sink: &mut impl Sink<'p, T>) -> Result<()>
    where
        'a: 'p,
    {
        let counted = sink.count(self, gradient);
        sink.add(self, counted)
    }

    #[track_caller]
    fn bend(&self, _: DeviceView<'_, T>, change: Option<DeviceView<'_, T>>, changes: &mut Gradients<T>) -> Result<()> {
        match change {
            Some(change) => changes.pull_back(self, change.lazy()),
            None => Ok(()),
        }
    }
}
