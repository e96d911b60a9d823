//! The places of the user's attributes, and the lints that generated code would trigger.

use crate::model::Function;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::punctuated::Punctuated;

/// The attributes of the item that carries the user's name: all of them.
pub(super) fn own(function: &Function) -> TokenStream {
    function.attrs.iter().map(relaxed).collect()
}

/// `#[inline]`: rustc generates code only where the function is called. Nothing if the user's attributes say how code is generated.
pub(super) fn inline(function: &Function) -> TokenStream {
    const OF_CODE: [&str; 5] = ["inline", "cfg_attr", "no_mangle", "export_name", "unsafe"];
    let is_of_code = |attribute: &syn::Attribute| OF_CODE.iter().any(|name| attribute.path().is_ident(name));
    if function.attrs.iter().any(is_of_code) {
        return TokenStream::new();
    }
    quote_spanned!(Span::mixed_site()=> #[inline])
}

/// The attributes that every other generated item repeats: `cfg` and lint levels.
pub(super) fn repeated(function: &Function) -> TokenStream {
    function.attrs.iter().filter(|attribute| is_repeated(&attribute.meta)).map(relaxed).collect()
}

/// Those that say whether the function is there.
pub(super) fn conditions(function: &Function) -> TokenStream {
    function.attrs.iter().filter(|attribute| is_condition(&attribute.meta)).map(relaxed).collect()
}

/// What `repeated` is, for a module of the user's name, which is hidden if the function is.
pub(super) fn of_module(function: &Function) -> TokenStream {
    let attributes = function.attrs.iter().filter(|attribute| is_repeated(&attribute.meta) || is_hidden(&attribute.meta));
    attributes.map(relaxed).collect()
}

/// Whether the function has `#[doc(hidden)]`.
pub(super) fn hide(function: &Function) -> bool {
    function.attrs.iter().any(|attribute| is_hidden(&attribute.meta))
}

/// `doc(hidden)`
fn is_hidden(meta: &syn::Meta) -> bool {
    meta.path().is_ident("doc") && meta.require_list().is_ok_and(|list| list.parse_args::<syn::Ident>().is_ok_and(|word| word == "hidden"))
}

/// Silences lints that the shape of generated code would trigger. Lints about the user's code, such as unused variables, stay.
pub(super) fn generated() -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        // rustc takes its time for each lint of Clippy's.
        #[cfg_attr(clippy, allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction))]
        #[allow(unused_braces, unused_parens)]
        // It is hidden, so it needs no documentation: an `allow` of that lint would clash with a `forbid` of the user's.
        #[doc(hidden)]
    }
}

const LINT_LEVELS: [&str; 5] = ["allow", "expect", "warn", "deny", "forbid"];

fn is_repeated(meta: &syn::Meta) -> bool {
    is_condition(meta) || LINT_LEVELS.iter().any(|level| meta.path().is_ident(level)) || turns_into(meta, is_repeated)
}

/// `cfg(…)`
fn is_condition(meta: &syn::Meta) -> bool {
    meta.path().is_ident("cfg") || turns_into(meta, is_condition)
}

/// Whether it is `cfg_attr(condition, attributes…)`, and all these attributes are of a kind.
fn turns_into(meta: &syn::Meta, is_of_kind: fn(&syn::Meta) -> bool) -> bool {
    meta.path().is_ident("cfg_attr")
        && meta
            .require_list()
            .and_then(|list| list.parse_args_with(Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated))
            .is_ok_and(|metas| metas.iter().skip(1).all(is_of_kind))
}

/// An `expect` is an `allow` here: of the several items that repeat it, at most one fulfils the expectation.
fn relaxed(attribute: &syn::Attribute) -> TokenStream {
    let mut attribute = attribute.clone();
    if attribute.path().is_ident("expect")
        && let syn::Meta::List(list) = &mut attribute.meta
    {
        list.path = syn::Ident::new("allow", attribute.pound_token.spans[0]).into();
    }
    attribute.into_token_stream()
}
