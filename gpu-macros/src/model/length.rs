//! Constant expressions that are lengths, extents and counts.

use crate::idents::text_of;
use proc_macro2::{Literal, Span, TokenStream};
use quote::ToTokens;
use std::rc::Rc;

/// An array length or block extent: a constant expression, which rustc evaluates. The macro knows its value only if it is a literal.
///
/// The copies of a type share it: for a copy of tokens, a macro asks the compiler.
#[derive(Clone)]
pub(crate) struct Length(Rc<Parts>);

struct Parts {
    tokens: TokenStream,
    span: Span,
    value: Option<u64>,
    arithmetic: Arithmetic,
}

/// A constant expression over unsigned integers.
pub(crate) enum Arithmetic {
    Number(u64),
    /// The constant at a path.
    Constant(syn::Path),
    /// One of another type of integers, as a `usize`.
    Cast(syn::Path),
    Sum(Box<[Arithmetic; 2]>),
    Difference(Box<[Arithmetic; 2]>),
    Product(Box<[Arithmetic; 2]>),
    /// By a literal that is not 0.
    Quotient(Box<Arithmetic>, u64),
    /// Any other expression.
    Other(TokenStream),
}

impl Length {
    pub(crate) fn new(tokens: TokenStream, span: Span, value: Option<u64>, arithmetic: Arithmetic) -> Length {
        Length(Rc::new(Parts { tokens, span, value, arithmetic }))
    }

    /// The length of what is written out at `span`.
    pub(crate) fn of_elements(count: usize, span: Span) -> Length {
        let mut literal = Literal::usize_unsuffixed(count);
        literal.set_span(span);
        let value = count as u64;
        Length::new(literal.into_token_stream(), span, Some(value), Arithmetic::Number(value))
    }

    pub(crate) fn span(&self) -> Span {
        self.0.span
    }

    pub(crate) fn value(&self) -> Option<u64> {
        self.0.value
    }

    /// What the proofs read in it.
    pub(crate) fn arithmetic(&self) -> &Arithmetic {
        &self.0.arithmetic
    }

    pub(crate) fn tokens(&self) -> TokenStream {
        self.0.tokens.clone()
    }
}

impl PartialEq for Length {
    fn eq(&self, other: &Length) -> bool {
        match (self.value(), other.value()) {
            (Some(a), Some(b)) => a == b,
            _ => Rc::ptr_eq(&self.0, &other.0) || text_of(&self.0.tokens) == text_of(&other.0.tokens),
        }
    }
}

impl std::fmt::Debug for Length {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.tokens)
    }
}
