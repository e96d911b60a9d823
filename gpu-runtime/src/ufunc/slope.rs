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

/// The derivative of `F` by its parameter with number `N`, at the arguments `A`, a tuple of expressions.
pub(crate) struct Slope<F: Derivative, A, const N: usize>(Apply<F::Gradient, A>);

impl<F: Derivative, A, const N: usize> Slope<F, A, N> {
    pub(crate) fn new(arguments: A) -> Self {
        Self(Apply::new(arguments))
    }
}

impl<F: Derivative, A: Clone, const N: usize> Clone for Slope<F, A, N> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

// SAFETY: the inputs of the partial derivatives, and their code.
unsafe impl<F: Derivative, A: Clone, const N: usize> Expression for Slope<F, A, N>
where
    Apply<F::Gradient, A>: Expression<Item: Partials<F::Output>>,
    F::Output: Element,
{
    type Item = F::Output;
    type Code = SlopeOf<F, <Apply<F::Gradient, A> as Expression>::Code, N>;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        self.0.inputs(inputs);
    }
}

/// The code of a [`Slope`]: a component of what `C` computes.
pub(crate) struct SlopeOf<F, C, const N: usize>(PhantomData<(F, C)>);

impl<F: Derivative, C, const N: usize> SlopeOf<F, C, N> {
    fn number() -> usize {
        F::COMPONENTS[N].expect("nothing is differentiated by a constant")
    }
}

// SAFETY: everything about the inputs is that of `C`.
unsafe impl<F: Derivative<Output: Element>, C: Code<Item: Partials<F::Output>>, const N: usize> Code for SlopeOf<F, C, N> {
    type Item = F::Output;
    type Row = C::Row;
    const NAME: &'static str = C::NAME;
    const FMAD: bool = C::FMAD;

    fn write(writer: &mut ElementWriter) -> Vec<String> {
        vec![C::write(writer).swap_remove(Self::number())]
    }

    unsafe fn row(rows: &mut Rows<'_>) -> C::Row {
        // SAFETY: the caller guarantees the same.
        unsafe { C::row(rows) }
    }

    #[inline(always)]
    unsafe fn at(row: C::Row, i: usize, thread: &Thread<'_>) -> Result<F::Output, Stop> {
        // SAFETY: the caller guarantees the same.
        Ok(unsafe { C::at(row, i, thread)? }.component(Self::number()))
    }
}
