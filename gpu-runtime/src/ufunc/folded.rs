//! The elements of an expression, on their way into something that does not store them one by one.

use std::marker::PhantomData;

use super::code::Rows;
use super::cuda::ElementWriter;
use super::{ArrayFunction, Code};
use crate::backend::cpu::{Stop, Thread};

/// What takes elements: its name, and what it asks of the compiler.
pub(super) trait Consumer: 'static {
    /// What messages and profilers call it.
    const NAME: &'static str;
    /// Whether NVRTC may contract `a * b + c` into a fused multiply-add.
    const FMAD: bool;
}

impl<F: ArrayFunction> Consumer for F {
    const NAME: &'static str = F::NAME;
    const FMAD: bool = F::FMAD;
}

/// The elements of `C`, under the name of `F`: messages name the function that was asked for, and kernels of the same
/// expression for different functions are different kernels.
pub(super) struct Folded<C, F>(PhantomData<(C, F)>);

// SAFETY: everything about the inputs is that of `C`.
unsafe impl<C: Code, F: Consumer> Code for Folded<C, F> {
    type Item = C::Item;
    type Row = C::Row;
    const NAME: &'static str = F::NAME;
    const FMAD: bool = C::FMAD && F::FMAD;

    fn write(writer: &mut ElementWriter) -> Vec<String> {
        C::write(writer)
    }

    unsafe fn row(rows: &mut Rows<'_>) -> C::Row {
        // SAFETY: the caller vouches for the same.
        unsafe { C::row(rows) }
    }

    #[inline(always)]
    unsafe fn at(row: C::Row, i: usize, thread: &Thread<'_>) -> Result<C::Item, Stop> {
        // SAFETY: the caller vouches for the same.
        unsafe { C::at(row, i, thread) }
    }
}
