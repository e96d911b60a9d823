//! Types of the user's that a kernel's arguments consist of, as conditions of what is generated for the kernel.
//!
//! Without `#[derive(DeviceType)]`, most of it would be wrong. As a condition, `Point: DeviceType` is known to hold wherever it is needed, and
//! rustc reports the condition itself: the same message at the same place, which it prints once.

use super::generics::is_generic;
use super::tokens::glue;
use crate::idents::text_of;
use crate::model::*;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

/// `Point: DeviceType` for each of them. None of a generic kernel, whose conditions could decide what a parameter is.
pub(super) fn expand_held_types(function: &Function) -> Vec<TokenStream> {
    let mut found: Vec<(String, &syn::Path)> = Vec::new();
    if !is_generic(function) {
        function.params.iter().for_each(|param| collect(&function.local(param.local).ty, &mut found));
    }
    let held = found.into_iter().map(|(_, path)| {
        let span = glue(path.span());
        let device_type = located(quote_spanned!(span=> ::DeviceType), span);
        let (path, runtime) = (located(path.to_token_stream(), span), function.runtime.located_at(span));
        quote_spanned!(span=> #path: #runtime #device_type)
    });
    held.collect()
}

/// `where` and these conditions, after those of the user.
pub(super) fn expand_clause(clause: Option<&syn::WhereClause>, held: &[TokenStream]) -> TokenStream {
    let users: Vec<TokenStream> = clause.into_iter().flat_map(|clause| &clause.predicates).map(ToTokens::to_token_stream).collect();
    if users.is_empty() && held.is_empty() {
        return clause.to_token_stream();
    }
    quote_spanned!(Span::mixed_site()=> where #(#users,)* #(#held,)*)
}

fn collect<'t>(ty: &'t Type, found: &mut Vec<(String, &'t syn::Path)>) {
    match ty {
        Type::Named(named) => {
            let text = text_of(&named.path);
            if found.iter().all(|(other, _)| *other != text) {
                found.push((text, &named.path));
            }
        }
        Type::Slice { element, .. } | Type::View { element, .. } | Type::Array(element, _) => collect(element, found),
        Type::Tuple(elements) => elements.iter().for_each(|element| collect(element, found)),
        _ => {}
    }
}

/// `tokens` at one place, so that rustc takes it for that of the whole.
fn located(tokens: TokenStream, at: Span) -> TokenStream {
    let place = |mut token: TokenTree| {
        token.set_span(token.span().located_at(at));
        token
    };
    tokens.into_iter().map(place).collect()
}
