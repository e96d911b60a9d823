//! Constant expressions that are lengths, extents and counts.

use proc_macro2::{Literal, Span, TokenStream};
use quote::ToTokens;

/// An array length or block extent: a constant expression, which rustc evaluates. The macro knows its value only if it is a literal.
#[derive(Clone)]
pub(crate) struct Length {
    tokens: TokenStream,
    span: Span,
    pub(crate) value: Option<u64>,
    /// What the proofs read in it.
    pub(crate) arithmetic: Arithmetic,
}

/// A constant expression over unsigned integers.
#[derive(Clone)]
pub(crate) enum Arithmetic {
    Number(u64),
    /// The constant at a path.
    Constant(syn::Path),
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
        Length { tokens, span, value, arithmetic }
    }

    /// The length of what is written out at `span`.
    pub(crate) fn of_elements(count: usize, span: Span) -> Length {
        let mut literal = Literal::usize_unsuffixed(count);
        literal.set_span(span);
        let value = count as u64;
        Length { tokens: literal.into_token_stream(), span, value: Some(value), arithmetic: Arithmetic::Number(value) }
    }

    pub(crate) fn span(&self) -> Span {
        self.span
    }

    pub(crate) fn tokens(&self) -> TokenStream {
        self.tokens.clone()
    }
}

impl PartialEq for Length {
    fn eq(&self, other: &Length) -> bool {
        match (self.value, other.value) {
            (Some(a), Some(b)) => a == b,
            _ => self.tokens.to_string() == other.tokens.to_string(),
        }
    }
}

impl std::fmt::Debug for Length {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.tokens)
    }
}
