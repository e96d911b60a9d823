//! Two expressions as one of pairs.

use std::marker::PhantomData;

use crate::backend::cpu::{Stop, Thread};
use crate::memory::Element;
use crate::ufunc::code::Rows;
use crate::ufunc::cuda::ElementWriter;
use crate::ufunc::input::Inputs;
use crate::ufunc::{Code, Expression, Lazy};

/// The elements of both, broadcast together.
pub(in crate::ufunc) fn zip<A, B>(a: Lazy<A>, b: Lazy<B>) -> Lazy<Zip<A, B>>
where
    A: Expression<Item: Element>,
    B: Expression<Item: Element>,
{
    Lazy::new(Zip(a.expression, b.expression))
}

/// See [`zip`].
pub(in crate::ufunc) struct Zip<A, B>(A, B);

// SAFETY: the inputs of the first, then those of the second, as in the code.
unsafe impl<A: Expression<Item: Element>, B: Expression<Item: Element>> Expression for Zip<A, B> {
    type Item = (A::Item, B::Item);
    type Code = ZipCode<A::Code, B::Code>;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        self.0.inputs(inputs);
        self.1.inputs(inputs);
    }
}

/// The code of [`Zip`].
pub(in crate::ufunc) struct ZipCode<A, B>(PhantomData<(A, B)>);

// SAFETY: the inputs of the first, then those of the second.
unsafe impl<A: Code<Item: Element>, B: Code<Item: Element>> Code for ZipCode<A, B> {
    type Item = (A::Item, B::Item);
    type Row = (A::Row, B::Row);
    const NAME: &'static str = "zip";
    const FMAD: bool = A::FMAD && B::FMAD;

    fn write(writer: &mut ElementWriter) -> Vec<String> {
        let mut components = A::write(writer);
        components.append(&mut B::write(writer));
        components
    }

    unsafe fn row(rows: &mut Rows<'_>) -> Self::Row {
        // SAFETY: the caller vouches for the rows; each takes its own.
        unsafe { (A::row(rows), B::row(rows)) }
    }

    #[inline(always)]
    unsafe fn at(row: Self::Row, i: usize, thread: &Thread<'_>) -> Result<Self::Item, Stop> {
        // SAFETY: the caller vouches for the rows.
        Ok(unsafe { (A::at(row.0, i, thread)?, B::at(row.1, i, thread)?) })
    }
}
