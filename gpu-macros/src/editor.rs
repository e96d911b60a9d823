//! What rust-analyzer gets in place of an expansion: the user's function as it is written, and around it what other code refers to.
//!
//! An editor answers questions about a token from all tokens of the expansion that stand at the same place. In the expansion that the
//! compiler gets, most of them are calls of the runtime's hidden functions, and of a function that is half typed there is no body. So
//! here the user's tokens occur once, where they mean what they mean in plain Rust, and nothing else stands at their place.

use crate::emit::rust::{expand_original, expand_surroundings};
use crate::errors::Errors;
use crate::idents::words_of;
use crate::lower::without_unroll;
use crate::model::{FunctionKind, RaceFreedom, Type};
use crate::pipeline::Compiled;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;

/// An `impl` or a trait, or what is no function: as it is written.
pub(crate) fn as_written(item: TokenStream) -> TokenStream {
    without_unroll(item)
}

/// `item`, which was compiled to `compiled`.
pub(crate) fn expand_for_editor(item: TokenStream, compiled: Option<Compiled>, errors: Errors) -> TokenStream {
    // Where something is half typed, rust-analyzer fills in names that are no mistake of the user's.
    let is_half_typed = words_of(item.clone()).iter().any(|word| word.starts_with("__ra_fixup"));
    let errors = errors.check().err().filter(|_| !is_half_typed).map(|error| moved_in_front(error.into_compile_error()));
    let item = as_written(item);
    let Some(Compiled { function, output }) = compiled else { return quote!(#item #errors) };
    let proof = output.map_or(RaceFreedom::UNKNOWN, |(analysis, _)| analysis.race_freedom);
    let is_kernel = matches!(function.kind, FunctionKind::Kernel(_));
    // The name is that of the launcher, which is what other code calls.
    let item = if is_kernel { renamed(item, &function.name) } else { item };
    // Printing what was parsed would move the brackets, so that is left to functions that are changed.
    let takes_views = function.params.iter().any(|param| matches!(function.local(param.local).ty, Type::View { mutable: true, .. }));
    let original = match syn::parse2(item.clone()) {
        Ok(parsed) if takes_views => expand_original(&function, &parsed),
        _ if is_kernel => quote!(const _: () = { #item };),
        _ => item,
    };
    let around = expand_surroundings(&function, &proof);
    if !is_kernel {
        let around = away(around, None);
        return quote!(#original #around #errors);
    }
    let around = away(around, Some(&function.name));
    quote!(#original #around #errors)
}

/// The place of the attribute, with the names that are visible at `span`.
fn from_here(span: Span) -> Span {
    Span::call_site().resolved_at(span)
}

/// `tokens` at the place of the attribute, but for the name of the function `kept`.
pub(crate) fn away(tokens: TokenStream, kept: Option<&Ident>) -> TokenStream {
    let mut after_fn = false;
    let place = |token: TokenTree| {
        let is_kept = after_fn && matches!((&token, kept), (TokenTree::Ident(name), Some(kept)) if name == kept);
        after_fn = matches!(&token, TokenTree::Ident(word) if word == "fn");
        match token {
            token if is_kept => token,
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), away(group.stream(), None));
                inner.set_span(from_here(group.span()));
                inner.into()
            }
            mut token => {
                token.set_span(from_here(token.span()));
                token
            }
        }
    };
    tokens.into_iter().map(place).collect()
}

/// The function `tokens` with its name at the place of the attribute.
fn renamed(tokens: TokenStream, name: &Ident) -> TokenStream {
    let mut after_fn = false;
    let place = |mut token: TokenTree| {
        let is_name = after_fn && matches!(&token, TokenTree::Ident(found) if found == name);
        after_fn = matches!(&token, TokenTree::Ident(word) if word == "fn");
        if is_name {
            token.set_span(from_here(token.span()));
        }
        token
    };
    tokens.into_iter().map(place).collect()
}

/// `tokens` in front of the tokens at whose place they stand, so that they are not taken for them.
fn moved_in_front(tokens: TokenStream) -> TokenStream {
    let place = |token: TokenTree| match token {
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), moved_in_front(group.stream()));
            inner.set_span(in_front_of(group.span()));
            TokenTree::from(inner)
        }
        mut token => {
            token.set_span(in_front_of(token.span()));
            token
        }
    };
    tokens.into_iter().map(place).collect()
}

/// The empty place in front of `span`.
fn in_front_of(span: Span) -> Span {
    span.unwrap().start().into()
}
