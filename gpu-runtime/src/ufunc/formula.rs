//! Codes and functions as values: what writes a kernel needs to know of an expression, without the expression's type.
//!
//! So the text around an element is written, and its kernel launched, by functions that are compiled once, and not for each expression.

use std::any::TypeId;
use std::sync::LazyLock;

use super::cuda::ElementWriter;
use super::folded::{Consumer, Folded};
use super::{ArrayFunction, Code, Component, Item as _, ReduceFunction};
use crate::Result;
use crate::backend::cuda::Slots;
use crate::source::Callee;

/// A [`Code`], or a sum of several.
#[derive(Clone, Copy)]
pub(super) struct Formula {
    /// Its identity: no other has the same.
    pub(super) id: Identity,
    /// What messages and profilers call it.
    pub(super) name: &'static str,
    /// Whether NVRTC may contract `a * b + c` into a fused multiply-add.
    pub(super) fmad: bool,
    /// What one element consists of.
    pub(super) components: &'static [Component],
    text: Text,
}

/// What a kernel is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::ufunc) enum Identity {
    /// A type: that of a code or of a function.
    Type(TypeId),
    /// The sum of these codes, by the function that comes last.
    Sum(&'static [TypeId]),
}

/// What writes the statements that compute an element, and returns the C expressions of its components.
type Write = fn(&mut ElementWriter) -> Vec<String>;

#[derive(Clone, Copy)]
enum Text {
    Code(Write),
    Sum { terms: &'static [Write], add: fn() -> Callee },
}

/// The terms of a sum.
type Terms = (&'static [TypeId], &'static [Write]);

/// The sums there are: as many as the program has expressions, so they are kept for good.
static SUMS: LazyLock<Slots<Vec<TypeId>, Terms>> = LazyLock::new(Slots::default);

impl Formula {
    pub(super) fn of<C: Code>() -> Self {
        let (id, text) = (Identity::Type(TypeId::of::<C>()), Text::Code(C::write));
        Self { id, name: C::NAME, fmad: C::FMAD, components: C::Item::COMPONENTS, text }
    }

    /// The elements of `C`, which `F` consumes and gives its name.
    pub(super) fn folded<C: Code, F: Consumer>() -> Self {
        Self::of::<Folded<C, F>>()
    }

    /// The sum of codes, of which `Add` adds the elements, from left to right. Its inputs are theirs, in order.
    pub(super) fn sum<Add: ArrayFunction>(terms: &[Self]) -> Result<Self> {
        let (mut ids, writes): (Vec<TypeId>, Vec<Write>) = terms.iter().map(|term| term.code()).unzip();
        ids.push(TypeId::of::<Add>());
        let (ids, terms_text) = SUMS.find_or_make(&ids, || Ok((ids.clone().leak(), writes.leak())))?;
        Ok(Self {
            id: Identity::Sum(ids),
            name: Add::NAME,
            fmad: Add::FMAD && terms.iter().all(|term| term.fmad),
            components: Add::Output::COMPONENTS,
            text: Text::Sum { terms: terms_text, add: Add::callee },
        })
    }

    fn code(&self) -> (TypeId, Write) {
        match (self.id, self.text) {
            (Identity::Type(id), Text::Code(write)) => (id, write),
            _ => unreachable!("a term of a sum is a code"),
        }
    }

    /// Writes the statements that compute an element, and returns the C expressions of its components.
    pub(super) fn write(&self, writer: &mut ElementWriter) -> Vec<String> {
        match self.text {
            Text::Code(write) => write(writer),
            Text::Sum { terms, add } => {
                let sums = terms.iter().map(|write| write(writer)).collect::<Vec<_>>().into_iter();
                let sum = sums.reduce(|sum, term| writer.call(add, &[sum, term].concat(), self.components));
                sum.expect("a sum has terms")
            }
        }
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
