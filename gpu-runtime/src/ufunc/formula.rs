//! Codes and functions as values: what writes a kernel needs to know of an expression, without the expression's type.
//!
//! So the text around an element is written, and its kernel launched, by functions that are compiled once, and not for each expression.

use std::any::TypeId;

use super::cuda::ElementWriter;
use super::folded::{Consumer, Folded};
use super::{Code, Component, Item as _, ReduceFunction};
use crate::source::Callee;

/// A [`Code`].
#[derive(Clone, Copy)]
pub(super) struct Formula {
    /// Its identity: no other has the same.
    pub(super) id: TypeId,
    /// What messages and profilers call it.
    pub(super) name: &'static str,
    /// Whether NVRTC may contract `a * b + c` into a fused multiply-add.
    pub(super) fmad: bool,
    /// What one element consists of.
    pub(super) components: &'static [Component],
    /// Writes the statements that compute an element, and returns the C expressions of its components.
    pub(super) write: fn(&mut ElementWriter) -> Vec<String>,
}

impl Formula {
    pub(super) fn of<C: Code>() -> Self {
        Self { id: TypeId::of::<C>(), name: C::NAME, fmad: C::FMAD, components: C::Item::COMPONENTS, write: C::write }
    }

    /// The elements of `C`, which `F` consumes and gives its name.
    pub(super) fn folded<C: Code, F: Consumer>() -> Self {
        Self::of::<Folded<C, F>>()
    }
}

/// A [`Code`] whose elements a function combines.
#[derive(Clone, Copy)]
pub(super) struct Folding {
    pub(super) formula: Formula,
    pub(super) function: fn() -> Callee,
}

impl Folding {
    pub(super) fn of<C: Code<Item = F::Output>, F: ReduceFunction>() -> Self {
        Self { formula: Formula::folded::<C, F>(), function: F::callee }
    }
}
