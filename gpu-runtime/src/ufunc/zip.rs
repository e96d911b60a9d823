//! A tuple of expressions is an expression of tuples, and can be used where an array of tuples is expected.

use super::code::Rows;
use super::cuda::ElementWriter;
use super::input::Inputs;
use super::{Code, Expression, IntoLazy, Lazy};
use crate::backend::cpu::{Stop, Thread};
use crate::source::Element;

/// The elements of both, broadcast together.
pub(super) fn zip<A, B>(a: Lazy<A>, b: Lazy<B>) -> Lazy<(A, B)>
where
    A: Expression<Item: Element>,
    B: Expression<Item: Element>,
{
    Lazy::new((a.expression, b.expression))
}

macro_rules! tuples {
    ($($T:ident $X:ident $E:ident $index:tt),*) => {
        // SAFETY: the inputs of each expression in order, as in the code.
        unsafe impl<$($E: Expression<Item: Element>),*> Expression for ($($E,)*) {
            type Item = ($($E::Item,)*);
            type Code = ($($E::Code,)*);

            fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
                $(self.$index.inputs(inputs);)*
            }
        }

        // SAFETY: the inputs of each code in order.
        unsafe impl<$($E: Code<Item: Element>),*> Code for ($($E,)*) {
            type Item = ($($E::Item,)*);
            type Row = ($($E::Row,)*);
            const NAME: &'static str = "zip";
            const FMAD: bool = true $(&& $E::FMAD)*;

            fn write(writer: &mut ElementWriter) -> Vec<String> {
                [$($E::write(writer)),*].concat()
            }

            unsafe fn row(rows: &mut Rows<'_>) -> Self::Row {
                // SAFETY: the caller guarantees the rows; each code takes its own.
                unsafe { ($($E::row(rows),)*) }
            }

            #[inline(always)]
            unsafe fn at(row: Self::Row, i: usize, thread: &Thread<'_>) -> Result<Self::Item, Stop> {
                // SAFETY: the caller guarantees the rows.
                Ok(unsafe { ($($E::at(row.$index, i, thread)?,)*) })
            }
        }

        /// Arrays as one of tuples, broadcast together.
        impl<$($T: Element, $X: IntoLazy<$T>),*> IntoLazy<($($T,)*)> for ($($X,)*) {
            type Expression = ($($X::Expression,)*);

            fn into_lazy(self) -> Lazy<Self::Expression> {
                Lazy::new(($(self.$index.into_lazy().expression,)*))
            }
        }
    };
}

tuples!(T0 X0 E0 0, T1 X1 E1 1);
tuples!(T0 X0 E0 0, T1 X1 E1 1, T2 X2 E2 2);
tuples!(T0 X0 E0 0, T1 X1 E1 1, T2 X2 E2 2, T3 X3 E3 3);
