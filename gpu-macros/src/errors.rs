//! Collects every error of an expansion, so that one build shows all mistakes.

use proc_macro2::Span;
use std::cell::{Cell, RefCell};
use std::fmt::Display;

/// Errors found so far. Must be consumed with [`Errors::check`]; dropping it unchecked is a bug and panics.
pub(crate) struct Errors {
    /// `None` once checked.
    found: RefCell<Option<Vec<syn::Error>>>,
    /// Whether rustc would report one of them too, if it saw the function as it was written.
    invalid: Cell<bool>,
}

impl Errors {
    pub(crate) fn new() -> Errors {
        Errors { found: RefCell::new(Some(Vec::new())), invalid: Cell::new(false) }
    }

    /// Adds an error at `span`. Messages are lowercase, without a full stop, and go on with `help: …` where there is one.
    pub(crate) fn push(&self, span: Span, message: impl Display) {
        self.push_syn(syn::Error::new(span, message));
    }

    /// Adds an error of a function that is not valid Rust either. rustc must not see that function, or it would report the same error
    /// again.
    pub(crate) fn push_invalid(&self, span: Span, message: impl Display) {
        self.invalid.set(true);
        self.push(span, message);
    }

    /// Records that the function is not valid Rust as it is written, although it is a valid kernel.
    pub(crate) fn mark_invalid(&self) {
        self.invalid.set(true);
    }

    /// Whether the function may still be valid Rust, though not a kernel's.
    pub(crate) fn may_be_valid_rust(&self) -> bool {
        !self.invalid.get()
    }

    pub(crate) fn push_syn(&self, error: syn::Error) {
        self.found.borrow_mut().as_mut().expect("errors are added before they are checked").push(error);
    }

    /// How many errors there are so far.
    pub(crate) fn count(&self) -> usize {
        self.found.borrow().as_ref().map_or(0, Vec::len)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.borrow().as_ref().is_none_or(Vec::is_empty)
    }

    /// All errors as one, or `Ok` if there were none.
    pub(crate) fn check(self) -> syn::Result<()> {
        let mut found = self.found.take().expect("errors are checked once").into_iter();
        let Some(mut first) = found.next() else { return Ok(()) };
        first.extend(found);
        Err(first)
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        if !std::thread::panicking() && self.found.borrow().is_some() {
            panic!("errors were dropped without a check");
        }
    }
}
