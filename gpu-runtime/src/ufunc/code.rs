//! The tree of a lazy array without its borrowed arrays: the text of a kernel, and the body of a loop.

use std::marker::PhantomData;

use super::cuda::ElementWriter;
use super::{ArrayFunction, Component, Item};
use crate::backend::cpu::{Stop, Thread};
use crate::source::Element;

/// The code of an [`Expression`](super::Expression). It names the generated kernel by its type.
///
/// # Safety
///
/// `row` takes as many rows as `write` reads inputs, of the same types, in the same order.
pub unsafe trait Code: 'static {
    /// What one element is.
    type Item: Item;
    /// Where the inputs of a run of elements are: what the loop body reads from.
    type Row: Copy;
    /// What messages and profilers call it.
    const NAME: &'static str;
    /// Whether NVRTC may contract `a * b + c` into a fused multiply-add.
    const FMAD: bool;

    /// Writes the statements that compute an element, and returns the C expressions of its components.
    fn write(writer: &mut ElementWriter) -> Vec<String>;

    /// The rows for a run of elements, from the rows of the inputs in order.
    ///
    /// # Safety
    ///
    /// `rows` are of the types that the code names, and outlive the result.
    unsafe fn row(rows: &mut Rows<'_>) -> Self::Row;

    /// The element with index `i` of the run.
    ///
    /// # Safety
    ///
    /// The rows are of a run with more than `i` elements.
    unsafe fn at(row: Self::Row, i: usize, thread: &Thread<'_>) -> Result<Self::Item, Stop>;
}

/// A run of one input on the CPU.
#[derive(Clone, Copy)]
pub(super) enum Row {
    /// Consecutive elements from this address.
    Elements(*const u8),
    /// The same value for each, at this address.
    Value(*const u8),
}

/// The runs of the inputs, in order.
#[doc(hidden)]
pub struct Rows<'r>(pub(super) std::slice::Iter<'r, Row>);

impl Rows<'_> {
    pub(super) fn next(&mut self) -> Row {
        *self.0.next().expect("there is a row for each input")
    }
}

/// Reads an array of `T`.
pub struct Load<T>(PhantomData<T>);

// SAFETY: one input, an array of `T`.
unsafe impl<T: Element> Code for Load<T> {
    type Item = T;
    type Row = *const T;
    const NAME: &'static str = "copy";
    const FMAD: bool = true;

    fn write(writer: &mut ElementWriter) -> Vec<String> {
        vec![writer.load(Component::of::<T>())]
    }

    unsafe fn row(rows: &mut Rows<'_>) -> *const T {
        match rows.next() {
            Row::Elements(first) => first.cast(),
            Row::Value(_) => unreachable!("an array is a row of elements"),
        }
    }

    #[inline(always)]
    unsafe fn at(row: *const T, i: usize, _: &Thread<'_>) -> Result<T, Stop> {
        // SAFETY: the caller guarantees the row.
        Ok(unsafe { *row.add(i) })
    }
}

/// Reads one value of `T`.
pub struct Value<T>(PhantomData<T>);

// SAFETY: one input, a value of `T`.
unsafe impl<T: Element> Code for Value<T> {
    type Item = T;
    type Row = T;
    const NAME: &'static str = "fill";
    const FMAD: bool = true;

    fn write(writer: &mut ElementWriter) -> Vec<String> {
        vec![writer.value(Component::of::<T>())]
    }

    unsafe fn row(rows: &mut Rows<'_>) -> T {
        match rows.next() {
            // SAFETY: the expression, which is borrowed, has a `T` there.
            Row::Value(value) => unsafe { value.cast::<T>().read() },
            Row::Elements(_) => unreachable!("a scalar is a row of one value"),
        }
    }

    #[inline(always)]
    unsafe fn at(row: T, _: usize, _: &Thread<'_>) -> Result<T, Stop> {
        Ok(row)
    }
}

/// The index of an element, times the strides of its input.
pub struct Index;

// SAFETY: one input without memory; on the CPU its rows are filled with its values.
unsafe impl Code for Index {
    type Item = usize;
    type Row = *const usize;
    const NAME: &'static str = "iota";
    const FMAD: bool = true;

    fn write(writer: &mut ElementWriter) -> Vec<String> {
        vec![writer.index()]
    }

    unsafe fn row(rows: &mut Rows<'_>) -> *const usize {
        // SAFETY: the same as for an array.
        unsafe { Load::<usize>::row(rows) }
    }

    #[inline(always)]
    unsafe fn at(row: *const usize, i: usize, _: &Thread<'_>) -> Result<usize, Stop> {
        // SAFETY: the caller guarantees the row.
        Ok(unsafe { *row.add(i) })
    }
}

/// A function of the values of `A`, a tuple of codes.
pub struct Call<F, A>(PhantomData<(F, A)>);

macro_rules! call {
    ($($C:ident $index:tt),*) => {
        // SAFETY: the inputs of each argument, in order.
        unsafe impl<F, $($C: Code<Item: Element>),*> Code for Call<F, ($($C,)*)>
        where
            F: ArrayFunction<Args = ($($C::Item,)*)>,
        {
            type Item = F::Output;
            type Row = ($($C::Row,)*);
            const NAME: &'static str = F::NAME;
            const FMAD: bool = F::FMAD $(&& $C::FMAD)*;

            fn write(writer: &mut ElementWriter) -> Vec<String> {
                let arguments = [$($C::write(writer).remove(0)),*];
                writer.call(F::callee, &arguments, F::Output::COMPONENTS)
            }

            unsafe fn row(rows: &mut Rows<'_>) -> Self::Row {
                // SAFETY: the caller guarantees the rows; each argument takes its own.
                unsafe { ($($C::row(rows),)*) }
            }

            #[inline(always)]
            unsafe fn at(row: Self::Row, i: usize, thread: &Thread<'_>) -> Result<F::Output, Stop> {
                // SAFETY: the caller guarantees the rows.
                let arguments = unsafe { ($($C::at(row.$index, i, thread)?,)*) };
                F::call(thread, arguments)
            }
        }
    };
}

call!(A 0);
call!(A 0, B 1);
call!(A 0, B 1, C 2);
call!(A 0, B 1, C 2, D 3);
call!(A 0, B 1, C 2, D 3, E 4);
call!(A 0, B 1, C 2, D 3, E 4, G 5);
call!(A 0, B 1, C 2, D 3, E 4, G 5, H 6);
call!(A 0, B 1, C 2, D 3, E 4, G 5, H 6, I 7);
