//! Derivatives of array functions, in expressions: what a gradient is multiplied by on its way back through a function.

use std::marker::PhantomData;

use super::code::Rows;
use super::cuda::ElementWriter;
use super::input::Inputs;
use super::{Apply, ArrayFunction, Code, Expression};
use crate::backend::cpu::{Stop, Thread};
use crate::source::Element;

/// An array function with a derivative: one with `#[vectorize(grad)]`, and those of [`functions`](crate::functions) that are smooth.
pub trait Derivative: ArrayFunction {
    /// Its partial derivatives: a number, or a tuple of them.
    type Gradient: ArrayFunction<Args = Self::Args>;
    /// For each parameter, the number of its component in the result of `Gradient`. `None` for a parameter that is a constant.
    #[doc(hidden)]
    const COMPONENTS: &'static [Option<usize>];
    /// Its second derivatives, of functions of one and of two floats: a number, or those by the first, by both, and by the second.
    #[doc(hidden)]
    type Hessian: ArrayFunction<Args = Self::Args>;
    /// Whether one of them can be another number than zero. `None` if they are not known: then `Hessian` is another function.
    #[doc(hidden)]
    fn is_curved(component: usize) -> Option<bool>;
}

/// Partial derivatives: a number, or a tuple of up to four.
pub trait Partials<T> {
    #[doc(hidden)]
    fn component(self, number: usize) -> T;
}

impl<T: Element> Partials<T> for T {
    fn component(self, _: usize) -> T {
        self
    }
}

macro_rules! partials {
    ($($tuple:ty)*) => {$(
        impl<T: Element> Partials<T> for $tuple {
            #[inline(always)]
            fn component(self, number: usize) -> T {
                <[T; _]>::from(self)[number]
            }
        }
    )*};
}

partials! { (T, T) (T, T, T) (T, T, T, T) }

/// One of the partial derivatives of a function.
pub(crate) trait Partial: 'static {
    /// The function that computes it, with others.
    type Function: ArrayFunction;

    /// Its number among them.
    fn number() -> usize;
}

/// The derivative of `F` by its parameter with number `N`.
pub(crate) struct By<F, const N: usize>(PhantomData<F>);

impl<F: Derivative, const N: usize> Partial for By<F, N> {
    type Function = F::Gradient;

    fn number() -> usize {
        F::COMPONENTS[N].expect("nothing is differentiated by a constant")
    }
}

/// The second derivative of `F` by its parameters with numbers `N` and `M`.
pub(crate) struct ByBoth<F, const N: usize, const M: usize>(PhantomData<F>);

impl<F: Derivative, const N: usize, const M: usize> Partial for ByBoth<F, N, M> {
    type Function = F::Hessian;

    /// Of two floats, the second derivatives by the first, by both, and by the second.
    fn number() -> usize {
        By::<F, N>::number() + By::<F, M>::number()
    }
}

/// A partial derivative, of type `T`, at the arguments `A`, a tuple of expressions.
pub(crate) struct Slope<T, P: Partial, A>(Apply<P::Function, A>, PhantomData<T>);

impl<T, P: Partial, A> Slope<T, P, A> {
    pub(crate) fn new(arguments: A) -> Self {
        Self(Apply::new(arguments), PhantomData)
    }
}

impl<T, P: Partial, A: Clone> Clone for Slope<T, P, A> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

// SAFETY: the inputs of the partial derivatives, and their code.
unsafe impl<T: Element, P: Partial, A: Clone> Expression for Slope<T, P, A>
where
    Apply<P::Function, A>: Expression<Item: Partials<T>>,
{
    type Item = T;
    type Code = SlopeOf<T, P, <Apply<P::Function, A> as Expression>::Code>;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        self.0.inputs(inputs);
    }
}

/// The code of a [`Slope`]: a component of what `C` computes.
pub(crate) struct SlopeOf<T, P, C>(PhantomData<(T, P, C)>);

// SAFETY: everything about the inputs is that of `C`.
unsafe impl<T: Element, P: Partial, C: Code<Item: Partials<T>>> Code for SlopeOf<T, P, C> {
    type Item = T;
    type Row = C::Row;
    const NAME: &'static str = C::NAME;
    const FMAD: bool = C::FMAD;

    fn write(writer: &mut ElementWriter) -> Vec<String> {
        vec![C::write(writer).swap_remove(P::number())]
    }

    unsafe fn row(rows: &mut Rows<'_>) -> C::Row {
        // SAFETY: the caller guarantees the same.
        unsafe { C::row(rows) }
    }

    #[inline(always)]
    unsafe fn at(row: C::Row, i: usize, thread: &Thread<'_>) -> Result<T, Stop> {
        // SAFETY: the caller guarantees the same.
        Ok(unsafe { C::at(row, i, thread)? }.component(P::number()))
    }
}
