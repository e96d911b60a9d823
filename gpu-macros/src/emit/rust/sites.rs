//! The places of a function that can fail, as one table for its twin and its CUDA C.

use super::tokens::glue;
use crate::model::*;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote_spanned;
use std::fmt::Write as _;

/// The name of the table.
pub(super) fn sites_name() -> Ident {
    Ident::new("__SITES", Span::mixed_site())
}

/// `static __SITES`, for a function that has any: a text that the runtime's type `Sites` explains.
pub(super) fn expand_sites(function: &Function) -> Option<TokenStream> {
    if function.sites.is_empty() {
        return None;
    }
    let (runtime, name) = (&function.runtime, sites_name());
    let mut text = String::new();
    let mut kinds = Vec::new();
    for site in &function.sites {
        if !text.is_empty() {
            text.push(' ');
        }
        let start = site.span.start();
        // Compilers count columns from 1, proc_macro2 from 0.
        write!(text, "{}:{}", start.line, start.column + 1).expect("a string takes any text");
        text.push_str(&kind_code(runtime, site, &mut kinds));
    }
    Some(quote_spanned! {Span::mixed_site()=>
        static #name: #runtime::__private::Sites =
            #runtime::__private::Sites::new(::core::file!(), #text, &[#(#runtime::__private::SiteKind::#kinds),*]);
    })
}

/// A place of the table, for the twin.
pub(super) fn expand_site(id: SiteId) -> Literal {
    Literal::usize_unsuffixed(id.0)
}

/// The thread in a device function, instead of in its caller.
pub(super) fn expand_thread_of_callee(function: &Function) -> Option<TokenStream> {
    let sites = sites_name();
    (!function.sites.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> let __thread = &__thread.in_function(&#sites);))
}

/// The kind as the table's text has it. One that is more than a number goes into `kinds`.
fn kind_code(runtime: &RuntimePath, site: &Site, kinds: &mut Vec<TokenStream>) -> String {
    let kind = match &site.kind {
        SiteKind::AxisIndex(axis) => return format!("a{axis}"),
        SiteKind::Division => return "d".into(),
        SiteKind::Barrier => return "b".into(),
        SiteKind::GridBarrier => return "g".into(),
        SiteKind::Warp => return "w".into(),
        // The latter are never reported; they keep their places in the numbering.
        SiteKind::Index | SiteKind::Unchecked | SiteKind::Yield => return "i".into(),
        SiteKind::Panic(message) => quote_spanned!(Span::mixed_site()=> Panic(#message)),
        SiteKind::Assert(message) => quote_spanned!(Span::mixed_site()=> Assert(#message)),
        SiteKind::Print(text) => {
            let format = expand_print(runtime, text, site.span);
            quote_spanned!(Span::mixed_site()=> Print(#runtime::__private::PrintFormat(#format)))
        }
    };
    kinds.push(kind);
    format!("k{}", kinds.len() - 1)
}

/// A function that formats the printed values with std's own `format!`.
fn expand_print(runtime: &RuntimePath, text: &PrintText, span: Span) -> TokenStream {
    let mut literal = Literal::string(&text.text);
    literal.set_span(glue(span));
    let values = text.names.iter().enumerate().map(|(i, name)| match name {
        Some(name) => {
            let name = Ident::new(name, Span::mixed_site());
            quote_spanned!(glue(span)=> #name = __values[#i])
        }
        None => quote_spanned!(glue(span)=> __values[#i]),
    });
    quote_spanned!(Span::mixed_site()=> |__values| #runtime::__private::format!(#literal #(, #values)*))
}
