//! Chains: functions of elements, one after the other, that are one kernel. Their types are those of lazy arrays.
//!
//! The gradient by an array of a chain is the product of the slopes of the functions on the way to it: one expression again.

use super::backward::Sink;
use super::node::Node;
use super::traced::{Constant, Real};
use crate::Result;
use crate::functions;
use crate::source::Element;
use crate::ufunc::{Apply, ArrayFunction, Derivative, Expression, Lazy, Partials, Slope};

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
}

/// The nodes of an expression.
pub(super) fn nodes_of<'a, T: Real>(expression: &impl Differentiable<'a, T>) -> Vec<Node<'a, T>> {
    let mut nodes = Vec::new();
    expression.nodes(&mut nodes);
    nodes
}

/// A function with a [`Derivative`].
macro_rules! chains {
    ($($E:ident $index:tt),*) => {
        impl<'a, T: Real, F, $($E),*> Differentiable<'a, T> for Apply<F, ($($E,)*)>
        where
            F: Derivative<Gradient: ArrayFunction<Output: Partials<T>>> + ArrayFunction<Args = ($($E::Item,)*), Output = T>,
            $($E: Differentiable<'a, T, Item: Element>,)*
        {
            type Kept = Node<'a, T>;
            const VARIES: bool = $($E::VARIES)||*;

            #[track_caller]
            fn keep(&self) -> Result<Node<'a, T>> {
                Node::stored(self)
            }

            fn detach(&self) -> Self {
                Apply::new(($(self.arguments().$index.detach(),)*))
            }

            fn nodes(&self, nodes: &mut Vec<Node<'a, T>>) {
                $(self.arguments().$index.nodes(nodes);)*
            }

            #[track_caller]
            fn pull_back<'p, U: Expression<Item = T> + 'p>(&self, gradient: Lazy<U>, sink: &mut impl Sink<'p, T>) -> Result<()>
            where
                'a: 'p,
            {
                $(
                    if $E::VARIES && F::COMPONENTS[$index].is_some() {
                        let slope = Lazy::new(Slope::<F, _, $index>::new(self.arguments().clone()));
                        self.arguments().$index.pull_back(functions::mul::map(&gradient, slope), sink)?;
                    }
                )*
                Ok(())
            }
        }
    };
}

chains!(A 0);
chains!(A 0, B 1);
chains!(A 0, B 1, C 2);
chains!(A 0, B 1, C 2, D 3);
chains!(A 0, B 1, C 2, D 3, G 4);
chains!(A 0, B 1, C 2, D 3, G 4, H 5);
chains!(A 0, B 1, C 2, D 3, G 4, H 5, I 6);
chains!(A 0, B 1, C 2, D 3, G 4, H 5, I 6, J 7);

/// Functions whose derivatives are 1 or −1, which do not read their arguments.
macro_rules! linear {
    ($($function:ident($($E:ident $index:tt $sign:tt),*);)*) => {$(
        impl<'a, T: Real, $($E),*> Differentiable<'a, T> for Apply<functions::$function::Function<T>, ($($E,)*)>
        where
            $($E: Differentiable<'a, T, Item = T>,)*
        {
            type Kept = Node<'a, T>;
            const VARIES: bool = $($E::VARIES)||*;

            #[track_caller]
            fn keep(&self) -> Result<Node<'a, T>> {
                Node::stored(self)
            }

            fn detach(&self) -> Self {
                Apply::new(($(self.arguments().$index.detach(),)*))
            }

            fn nodes(&self, nodes: &mut Vec<Node<'a, T>>) {
                $(self.arguments().$index.nodes(nodes);)*
            }

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
        }
    )*};
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
