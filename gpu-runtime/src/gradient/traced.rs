//! Traced arrays: expressions that know how a gradient goes back through them, and what they are computed with.

use std::marker::PhantomData;
use std::rc::Rc;

use super::backward::{Gradients, Sink};
use super::chain::Differentiable;
use super::node::Node;
use super::variables::Arrays;
use crate::Result;
use crate::arrays::AttentionElement;
use crate::memory::{DeviceArray, DeviceView, Shape};
use crate::scalar::Float;
use crate::source::Element;
use crate::ufunc::{ArrayLike as _, Expression, Inputs, IntoLazy, Lazy, Number, Summand};

/// The elements of arrays with a gradient: `f32` and `f64`.
#[diagnostic::on_unimplemented(message = "arrays of `{Self}` have no gradient", label = "not `f32` or `f64`")]
pub trait Real: Float + Number + AttentionElement + Summand<Sum = Self, Mean = Self> {}

impl Real for f32 {}
impl Real for f64 {}

/// An array of which a gradient can be computed: a [variable](super::variable), or what was computed from some.
///
/// Its operators and methods are those of arrays that are differentiable. Other functions do not take a traced array, so none loses a
/// derivative: see [`stop_gradient`](Self::stop_gradient).
///
/// Functions of elements compute nothing, as those of [`Lazy`] arrays: a chain of them is one kernel, where its result is needed. It is
/// computed again for the gradient, by each array in it: see [`keep`](Self::keep). What returns a `Result` stores its result: a sum or a mean,
/// where its value is needed.
///
/// ```
/// use gpu_runtime::gradient::{Differentiable, Stored, Traced, grad};
/// use gpu_runtime::prelude::*;
///
/// /// A function of any traced matrix, and of a stored one.
/// fn layer<'a>(x: &Traced<'a, impl Differentiable<'a, f32, Item = f32>>, w: &Stored<'a, f32>) -> gpu_runtime::Result<Stored<'a, f32>> {
///     (x.matmul(w)? + 1.0).tanh().keep()
/// }
///
/// let w = Device::cpu().to_device(&[0.5f32, 0.25, -0.5, 1.0])?.reshape([2, 2])?;
/// let by_w = grad(&w, |w| layer(&layer(&w.square(), &w)?, &w)?.sum())?;
/// assert_eq!(by_w.shape(), [2, 2]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "nothing is computed until a reduction such as `.sum()?`"]
pub struct Traced<'a, E> {
    pub(super) expression: E,
    borrows: PhantomData<&'a ()>,
}

/// A traced array whose elements are stored: a variable, or the result of an operation that returns a `Result`.
pub type Stored<'a, T> = Traced<'a, Node<'a, T>>;

impl<E> Traced<'_, E> {
    /// For generated code.
    #[doc(hidden)]
    pub fn new(expression: E) -> Self {
        Self { expression, borrows: PhantomData }
    }
}

impl<'a, T: Real> Stored<'a, T> {
    /// This array, new, whose operation is linear.
    pub(super) fn linear(self) -> Self {
        Self::new(self.expression.linear())
    }
}

impl<'a, T: Real, E: Differentiable<'a, T, Item = T>> Traced<'a, E> {
    /// Its elements as a lazy array that counts as a constant: `jax.lax.stop_gradient`. For conditions, and to look at them.
    ///
    /// It does not keep the arrays that this one was computed from: a loop whose steps are constants of the next ones needs no more memory.
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0, 2.0])?;
    /// let by_x = grad(&x, |x| (&x * x.square().stop_gradient()).sum())?;
    /// assert_eq!(by_x.to_host()?, [1.0, 4.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn stop_gradient(&self) -> Lazy<E> {
        Lazy::new(self.expression.detach())
    }

    /// Its elements, for what computes with them at once.
    pub(super) fn elements(&self) -> Lazy<E> {
        Lazy::new(self.expression.clone())
    }

    /// Its shape.
    ///
    /// # Errors
    ///
    /// [`Error::BroadcastMismatch`](crate::Error::BroadcastMismatch) if the shapes of its arrays do not go together.
    #[track_caller]
    pub fn shape(&self) -> Result<Shape> {
        self.elements().shape()
    }

    /// Its elements. Where they are used, they are constants.
    ///
    /// # Errors
    ///
    /// As for [`collect`](Lazy::collect).
    #[track_caller]
    pub fn value(&self) -> Result<DeviceArray<T>> {
        (&self.elements()).lazy().collect()
    }
}

/// An array to differentiate by, or a tuple of several: see [`Traced::gradient`].
///
/// It is borrowed as long as anything that was computed from it is traced, so it cannot be changed before its gradient is computed.
///
/// ```
/// use gpu_runtime::gradient::variable;
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[1.0, 2.0])?;
/// let x = variable(&x);
/// let cubes = (&x * &x * &x).sum()?;
/// assert_eq!(cubes.gradient(&x)?.to_host()?, [3.0, 12.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub fn variable<'a, T: Real, A: Arrays<'a, T>>(array: A) -> A::Variables {
    array.variables()
}

/// An array or a number that counts as a constant, to call the methods of traced arrays: `constant(&x).matmul(&w)?`.
///
/// Where an operand can be traced, constants are passed as they are: `&w * &x + 1.0`.
pub fn constant<'a, T: Real, A: IntoLazy<T, Expression: 'a>>(array: A) -> Traced<'a, Constant<A::Expression>> {
    Traced::new(Constant::new(array.into_lazy().into_inner()))
}

/// An expression whose gradient is not computed. Its clones have the same numbers at the same address: a kernel in which an expression occurs several
/// times computes it once.
pub struct Constant<E>(Rc<E>);

impl<E> Constant<E> {
    pub(super) fn new(expression: E) -> Self {
        Self(Rc::new(expression))
    }

    pub(super) fn expression(&self) -> &E {
        &self.0
    }
}

impl<E> Clone for Constant<E> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

// SAFETY: the inputs of the inner expression, and its code.
unsafe impl<E: Expression> Expression for Constant<E> {
    type Item = E::Item;
    type Code = E::Code;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        self.0.inputs(inputs);
    }
}

impl<'a, T: Real, E: Expression + 'a> Differentiable<'a, T> for Constant<E> {
    type Kept = Self;
    const VARIES: bool = false;

    fn keep(&self) -> Result<Self> {
        Ok(self.clone())
    }

    fn detach(&self) -> Self {
        self.clone()
    }

    fn nodes(&self, _: &mut Vec<Node<'a, T>>) {}

    fn pull_back<'p, U: Expression<Item = T> + 'p>(&self, _: Lazy<U>, _: &mut impl Sink<'p, T>) -> Result<()>
    where
        'a: 'p,
    {
        Ok(())
    }

    fn bend(&self, _: DeviceView<'_, T>, _: Option<DeviceView<'_, T>>, _: &mut Gradients<T>) -> Result<()> {
        Ok(())
    }
}

/// An operand of traced arrays, with elements of type `T`: traced, or a constant. Constants are device arrays, views, lazy arrays, host
/// slices and numbers.
#[diagnostic::on_unimplemented(
    message = "a traced array is computed with traced arrays, arrays and numbers of type `{T}`, not with `{Self}`",
    label = "not an array of `{T}`",
    note = "pass an array as a reference, `&array`"
)]
pub trait IntoTraced<'a, T: Element> {
    /// Its type in an expression.
    type Expression: Expression<Item = T>;

    /// It as an expression.
    #[doc(hidden)]
    fn into_traced(self) -> Self::Expression;
}

macro_rules! operands {
    ($($T:ident)*; $($Real:ident)*) => {
        $(
            impl<'a, A: IntoLazy<$T, Expression: 'a>> IntoTraced<'a, $T> for A {
                type Expression = Constant<A::Expression>;

                fn into_traced(self) -> Self::Expression {
                    Constant::new(self.into_lazy().into_inner())
                }
            }
        )*
        $(
            impl<'a, E: Expression<Item = $Real>> IntoTraced<'a, $Real> for Traced<'a, E> {
                type Expression = E;

                fn into_traced(self) -> E {
                    self.expression
                }
            }

            impl<'a, E: Expression<Item = $Real>> IntoTraced<'a, $Real> for &Traced<'a, E> {
                type Expression = E;

                fn into_traced(self) -> E {
                    self.expression.clone()
                }
            }
        )*
    };
}

operands! { f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize bool; f32 f64 }
