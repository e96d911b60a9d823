//! Chains: functions of elements, one after the other, that are one kernel. Their types are those of lazy arrays.
//!
//! The gradient by an array of a chain is the product of the slopes of the functions on the way to it: one expression again.

use super::backward::{Gradients, Sink};
use super::forward::tangent_of;
use super::node::Node;
use super::traced::{Constant, Real};
use crate::Error;
use crate::Result;
use crate::functions;
use crate::memory::{DeviceArray, DeviceView};
use crate::source::Element;
use crate::ufunc::{Apply, ArrayFunction, ArrayLike as _, By, ByBoth, Derivative, Expression, Lazy, Partial, Partials, Slope};
use std::panic::Location;

/// An expression with a gradient, by arrays that it borrows for `'a`.
#[diagnostic::on_unimplemented(message = "`{Self}` has no gradient", label = "a function in it has no derivative")]
pub trait Differentiable<'a, T: Real>: Expression + 'a {
    /// The same elements as an array.
    #[doc(hidden)]
    type Kept: Differentiable<'a, T, Item = Self::Item>;
    /// Whether a gradient can go anywhere.
    #[doc(hidden)]
    const VARIES: bool;

    #[doc(hidden)]
    fn keep(&self) -> Result<Self::Kept>;

    /// The same expression of arrays that do not keep what they were computed from.
    #[doc(hidden)]
    fn detach(&self) -> Self;

    /// Adds the nodes of the expression.
    #[doc(hidden)]
    fn nodes(&self, nodes: &mut Vec<Node<'a, T>>);

    /// The node, if it is one by itself.
    #[doc(hidden)]
    fn as_node(&self) -> Option<&Node<'a, T>> {
        None
    }

    /// Adds its part to the gradient by each node. `gradient` is that by the expression, of its shape or of one that it is broadcast to.
    #[doc(hidden)]
    fn pull_back<'p, U: Expression<Item = T> + 'p>(&self, gradient: Lazy<U>, sink: &mut impl Sink<'p, T>) -> Result<()>
    where
        'a: 'p;

    /// Adds, for each node, how its part in the gradient changes while the nodes move along their directions. `gradient` is that by the expression,
    /// and `change` is how that changes; none is zero. (Of stored arrays: a type for each function of a chain is enough.)
    #[doc(hidden)]
    fn bend(&self, gradient: DeviceView<'_, T>, change: Option<DeviceView<'_, T>>, changes: &mut Gradients<T>) -> Result<()>;
}

/// The nodes of an expression.
pub(super) fn nodes_of<'a, T: Real>(expression: &impl Differentiable<'a, T>) -> Vec<Node<'a, T>> {
    let mut nodes = Vec::new();
    expression.nodes(&mut nodes);
    nodes
}

/// What every function does with its arguments, whatever its derivative is.
macro_rules! of_arguments {
    ($a:lifetime $T:ident; $($E:ident $index:tt),*) => {
        type Kept = Node<$a, $T>;
        const VARIES: bool = $($E::VARIES)||*;

        #[track_caller]
        fn keep(&self) -> Result<Node<$a, $T>> {
            Node::stored(self)
        }

        fn detach(&self) -> Self {
            Apply::new(($(self.arguments().$index.detach(),)*))
        }

        fn nodes(&self, nodes: &mut Vec<Node<$a, $T>>) {
            $(self.arguments().$index.nodes(nodes);)*
        }
    };
}

/// A function with a [`Derivative`]. `$all` has the indices of all parameters.
macro_rules! chains {
    ($all:tt; $($E:ident $index:tt),*) => {
        impl<'a, T: Real, F, $($E),*> Differentiable<'a, T> for Apply<F, ($($E,)*)>
        where
            F: Derivative<Gradient: ArrayFunction<Output: Partials<T>>, Hessian: ArrayFunction<Output: Partials<T>>>
                + ArrayFunction<Args = ($($E::Item,)*), Output = T>,
            $($E: Differentiable<'a, T, Item: Element>,)*
        {
            of_arguments! { 'a T; $($E $index),* }

            #[track_caller]
            fn pull_back<'p, U: Expression<Item = T> + 'p>(&self, gradient: Lazy<U>, sink: &mut impl Sink<'p, T>) -> Result<()>
            where
                'a: 'p,
            {
                $(
                    if $E::VARIES && F::COMPONENTS[$index].is_some() {
                        let slope = Lazy::new(Slope::<T, By<F, $index>, _>::new(self.arguments().clone()));
                        self.arguments().$index.pull_back(functions::mul::map(&gradient, slope), sink)?;
                    }
                )*
                Ok(())
            }

            #[track_caller]
            fn bend(&self, gradient: DeviceView<'_, T>, change: Option<DeviceView<'_, T>>, changes: &mut Gradients<T>) -> Result<()> {
                let tangents = [$(if F::COMPONENTS[$index].is_some() { tangent_of(&self.arguments().$index)? } else { None }),*];
                $(
                    chains!(@part self gradient change changes tangents F T $index $E; $all);
                )*
                Ok(())
            }
        }
    };
    // What comes to one argument: the change of what comes here, and the change of the slope along each of the arguments.
    (@part $self:ident $gradient:ident $change:ident $changes:ident $tangents:ident $F:ident $T:ident $index:tt $E:ident; [$($other:tt)*]) => {
        if $E::VARIES && $F::COMPONENTS[$index].is_some() {
            let argument = &$self.arguments().$index;
            let slope = Lazy::new(Slope::<$T, By<$F, $index>, _>::new($self.arguments().clone()));
            let mut sum = match $change {
                Some(change) => {
                    let is_left_out = functions::and::map(functions::equal::map($gradient, $T::ZERO), functions::equal::map(change, $T::ZERO));
                    Some(product(is_left_out, change.lazy(), &slope)?)
                }
                None => None,
            };
            $(
                if let Some(tangent) = &$tangents[$other]
                    && is_curved::<$F, $index, $other>()?
                {
                    let curvature = Lazy::new(Slope::<$T, ByBoth<$F, $index, $other>, _>::new($self.arguments().clone()));
                    let bent = product(functions::equal::map($gradient, $T::ZERO), functions::mul::map($gradient, tangent), &curvature)?;
                    sum = Some(match sum {
                        Some(sum) => functions::add::map(&sum, &bent).collect()?,
                        None => bent,
                    });
                }
            )*
            let sum = sum.as_ref().map(DeviceArray::view);
            match argument.as_node() {
                Some(_) => argument.bend($gradient, sum, $changes)?,
                None => {
                    let of_argument = product(functions::equal::map($gradient, $T::ZERO), $gradient.lazy(), &slope)?;
                    argument.bend(of_argument.view(), sum, $changes)?
                }
            }
        }
    };
}

/// The product, and zero where something is left out: where the gradient is zero, as that of what is not selected, no slope counts, even without a
/// limit. (A direction that is zero says nothing: zero times a curvature without a limit is NaN.)
#[track_caller]
fn product<T: Real>(
    is_left_out: Lazy<impl Expression<Item = bool>>,
    factor: Lazy<impl Expression<Item = T>>,
    slope: &Lazy<impl Expression<Item = T>>,
) -> Result<DeviceArray<T>> {
    functions::select::map(is_left_out, T::ZERO, functions::mul::map(factor, slope)).collect()
}

/// Whether the second derivative of `F` by these parameters can be another number than zero.
#[track_caller]
fn is_curved<F: Derivative, const N: usize, const M: usize>() -> Result<bool> {
    let (count, location) = (F::COMPONENTS.iter().flatten().count(), Location::caller());
    let known = if count <= 2 { F::is_curved(<ByBoth<F, N, M> as Partial>::number()) } else { None };
    known.ok_or(Error::NoSecondDerivative { function: F::NAME, location })
}

chains!([0]; A 0);
chains!([0 1]; A 0, B 1);
chains!([0 1 2]; A 0, B 1, C 2);
chains!([0 1 2 3]; A 0, B 1, C 2, D 3);
chains!([0 1 2 3 4]; A 0, B 1, C 2, D 3, G 4);
chains!([0 1 2 3 4 5]; A 0, B 1, C 2, D 3, G 4, H 5);
chains!([0 1 2 3 4 5 6]; A 0, B 1, C 2, D 3, G 4, H 5, I 6);
chains!([0 1 2 3 4 5 6 7]; A 0, B 1, C 2, D 3, G 4, H 5, I 6, J 7);

/// Functions whose derivatives are 1 or −1, which do not read their arguments.
macro_rules! linear {
    ($($function:ident($($E:ident $index:tt $sign:tt),*);)*) => {$(
        impl<'a, T: Real, $($E),*> Differentiable<'a, T> for Apply<functions::$function::Function<T>, ($($E,)*)>
        where
            $($E: Differentiable<'a, T, Item = T>,)*
        {
            of_arguments! { 'a T; $($E $index),* }

            #[track_caller]
            fn pull_back<'p, U: Expression<Item = T> + 'p>(&self, gradient: Lazy<U>, sink: &mut impl Sink<'p, T>) -> Result<()>
            where
                'a: 'p,
            {
                $(
                    if $E::VARIES {
                        self.arguments().$index.pull_back(linear!(@signed $sign gradient), sink)?;
                    }
                )*
                Ok(())
            }

            #[track_caller]
            fn bend(&self, gradient: DeviceView<'_, T>, change: Option<DeviceView<'_, T>>, changes: &mut Gradients<T>) -> Result<()> {
                $(
                    if $E::VARIES {
                        linear!(@bend $sign self.arguments().$index, gradient, change, changes);
                    }
                )*
                Ok(())
            }
        }
    )*};
    (@bend + $argument:expr, $gradient:ident, $change:ident, $changes:ident) => { $argument.bend($gradient, $change, $changes)? };
    (@bend - $argument:expr, $gradient:ident, $change:ident, $changes:ident) => {{
        let negative = |x: DeviceView<'_, T>| functions::neg::map(x).collect();
        let change = $change.map(negative).transpose()?;
        $argument.bend(negative($gradient)?.view(), change.as_ref().map(DeviceArray::view), $changes)?
    }};
    (@signed + $gradient:ident) => { $gradient.clone() };
    (@signed - $gradient:ident) => { functions::neg::map(&$gradient) };
}

linear! {
    add(A 0 +, B 1 +);
    sub(A 0 +, B 1 -);
    neg(A 0 -);
}

/// Selected elements: what is not selected has no part in the gradient, whatever its slope is.
impl<'a, T: Real, M, A, B> Differentiable<'a, T> for Apply<functions::select::Function<T>, (Constant<M>, A, B)>
where
    M: Expression<Item = bool> + 'a,
    A: Differentiable<'a, T, Item = T>,
    B: Differentiable<'a, T, Item = T>,
{
    type Kept = Node<'a, T>;
    const VARIES: bool = A::VARIES || B::VARIES;

    #[track_caller]
    fn keep(&self) -> Result<Node<'a, T>> {
        Node::stored(self)
    }

    fn detach(&self) -> Self {
        let (mask, a, b) = self.arguments();
        Apply::new((mask.clone(), a.detach(), b.detach()))
    }

    fn nodes(&self, nodes: &mut Vec<Node<'a, T>>) {
        let (_, a, b) = self.arguments();
        a.nodes(nodes);
        b.nodes(nodes);
    }

    #[track_caller]
    fn pull_back<'p, U: Expression<Item = T> + 'p>(&self, gradient: Lazy<U>, sink: &mut impl Sink<'p, T>) -> Result<()>
    where
        'a: 'p,
    {
        let (mask, a, b) = self.arguments();
        a.pull_back(gradient.clone(), &mut Masked { mask: Lazy::new(mask.expression().clone()), sink })?;
        b.pull_back(gradient, &mut Masked { mask: functions::not::map(Lazy::new(mask.expression().clone())), sink })
    }

    #[track_caller]
    fn bend(&self, gradient: DeviceView<'_, T>, change: Option<DeviceView<'_, T>>, changes: &mut Gradients<T>) -> Result<()> {
        let (mask, a, b) = self.arguments();
        let mask = Lazy::new(mask.expression().clone());
        let of_a = |x: DeviceView<'_, T>| functions::select::map(&mask, x, T::ZERO).collect();
        let of_b = |x: DeviceView<'_, T>| functions::select::map(&mask, T::ZERO, x).collect();
        a.bend(of_a(gradient)?.view(), change.map(of_a).transpose()?.as_ref().map(DeviceArray::view), changes)?;
        b.bend(of_b(gradient)?.view(), change.map(of_b).transpose()?.as_ref().map(DeviceArray::view), changes)
    }
}

/// Adds only the elements where the mask is true.
struct Masked<'s, M, S> {
    mask: Lazy<M>,
    sink: &'s mut S,
}

impl<'p, T: Real, M: Expression<Item = bool> + 'p, S: Sink<'p, T>> Sink<'p, T> for Masked<'_, M, S> {
    type Counted<U: Expression<Item = T> + 'p> = S::Counted<U>;

    fn count<U: Expression<Item = T> + 'p>(&self, node: &Node<'p, T>, part: Lazy<U>) -> Lazy<S::Counted<U>> {
        self.sink.count(node, part)
    }

    #[track_caller]
    fn add<U: Expression<Item = T> + 'p>(&mut self, node: &Node<'p, T>, part: Lazy<U>) -> Result<()> {
        self.sink.add(node, functions::select::map(self.mask.clone(), part, T::ZERO))
    }
}
