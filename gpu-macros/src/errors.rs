//! Collects every error of an expansion, so that one build shows all mistakes.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt::Display;

/// Errors found so far. Must be consumed with [`Errors::check`]; dropping it unchecked is a bug and panics.
pub(crate) struct Errors {
    /// `None` once checked.
    found: RefCell<Option<Vec<syn::Error>>>,
    /// Whether rustc would report one of them too, if it saw the function as it was written.
    invalid: Cell<bool>,
    /// What syn says of a body that it cannot read.
    unread: RefCell<Option<String>>,
}

impl Errors {
    pub(crate) fn new() -> Errors {
        Errors { found: RefCell::new(Some(Vec::new())), invalid: Cell::new(false), unread: RefCell::new(None) }
    }

    /// Adds an error at `span`. Messages are lowercase, without a full stop, and continue with `help: …` where there is one.
    pub(crate) fn push(&self, span: Span, message: impl Display) {
        self.push_syn(syn::Error::new(span, message));
    }

    /// Adds an error of a function that is not valid Rust either. rustc must not see that function, or it would report the same error
    /// again.
    pub(crate) fn push_invalid(&self, span: Span, message: impl Display) {
        self.invalid.set(true);
        self.push(span, message);
    }

    /// Records that the body cannot be read. rustc has read it before, and has reported what is no Rust.
    pub(crate) fn push_unread(&self, error: &syn::Error) {
        self.invalid.set(true);
        self.unread.replace(Some(error.to_string()));
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
        self.found.borrow().as_ref().map_or(0, Vec::len) + usize::from(self.unread.borrow().is_some())
    }

    /// The result of `attempt`, if it adds no errors. Those that it adds are dropped.
    pub(crate) fn attempt<R>(&self, attempt: impl FnOnce() -> Option<R>) -> Option<R> {
        let (count, was_invalid) = (self.count(), self.invalid.get());
        let result = attempt();
        if self.count() == count {
            return result;
        }
        if let Some(found) = &mut *self.found.borrow_mut() {
            found.truncate(count);
        }
        self.invalid.set(was_invalid);
        None
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// What reports all errors.
    pub(crate) fn into_tokens(self) -> TokenStream {
        let unread = self.unread.take().map(|error| report_late(&error));
        let found = self.check().err().map(syn::Error::into_compile_error);
        quote!(#unread #found)
    }

    /// All errors as one, or `Ok` if there were none.
    pub(crate) fn check(self) -> syn::Result<()> {
        let mut found = self.found.take().expect("errors are checked once");
        // A loop over a written array has copies of its body.
        let mut seen = HashSet::new();
        found.retain(|error| seen.insert(format!("{:?} {error}", error.span())));
        let mut found = found.into_iter();
        let Some(mut first) = found.next() else { return Ok(()) };
        first.extend(found);
        Err(first)
    }
}

/// A lint that rustc checks after everything else, and not if there was an error. So it speaks only of syntax that rustc knows and syn does not.
fn report_late(error: &str) -> TokenStream {
    let message = format!("this function has syntax that kernels do not have: {error}");
    quote_spanned! {Span::mixed_site()=>
        const _: () = {
            #[must_use = #message]
            const fn the_function() -> ::core::primitive::bool {
                true
            }
            #[allow(dead_code)]
            #[deny(unused_must_use)]
            const fn report() {
                the_function();
            }
        };
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        if !std::thread::panicking() && self.found.borrow().is_some() {
            panic!("errors were dropped without a check");
        }
    }
}
