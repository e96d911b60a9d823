//! The CUDA C as the runtime's `SourceUnit`.

use super::associated::expand_associated_callee;
use super::generics::expand_callee;
use super::grid::expand_meets_grid;
use super::tokens::{expand_site, expand_type, glue};
use crate::emit::{Piece, Source};
use crate::model::Function;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// `fn source()` of a kernel.
pub(super) fn expand_source(function: &Function, source: &Source) -> TokenStream {
    let runtime = &function.runtime;
    let (constants, unit) = (expand_constants(function), expand_unit(function, source));
    quote_spanned! {Span::mixed_site()=>
        fn source() -> &'static #runtime::__private::SourceUnit {
            const { #constants &#unit }
        }
    }
}

/// `const UNIT` of a device function, and what else callers need to know of it.
pub(super) fn expand_constant_unit(function: &Function, source: &Source) -> TokenStream {
    let runtime = &function.runtime;
    let (constants, unit) = (expand_constants(function), expand_unit(function, source));
    let meets_grid = expand_meets_grid(runtime, "MEETS_GRID", &source.grid);
    quote_spanned! {Span::mixed_site()=>
        #meets_grid
        const UNIT: &'static #runtime::__private::SourceUnit = {
            #constants
            &#unit
        };
    }
}

pub(super) fn expand_unit(function: &Function, source: &Source) -> TokenStream {
    let runtime = &function.runtime;
    let Source { name, snippets, several_elements, .. } = source;
    let prototype = expand_pieces(runtime, &source.prototype);
    let body = expand_pieces(runtime, &source.body);
    let sites = function.sites.iter().map(|site| expand_site(function, site));
    quote_spanned! {Span::mixed_site()=>
        #runtime::__private::SourceUnit {
            name: #name,
            file: ::core::file!(),
            prototype: #prototype,
            body: #body,
            snippets: &[#(#snippets),*],
            sites: &[#(#sites),*],
            several_elements: #several_elements,
        }
    }
}

/// Copies of the `const` items in the body, for generated functions that evaluate them outside of it.
pub(super) fn expand_constants(function: &Function) -> TokenStream {
    let constants = &function.constants;
    quote_spanned!(Span::mixed_site()=> #(#[allow(dead_code)] #constants)*)
}

fn expand_pieces(runtime: &TokenStream, pieces: &[Piece]) -> TokenStream {
    let segments = pieces.iter().map(|piece| {
        let segment = expand_piece(runtime, piece);
        quote_spanned!(Span::mixed_site()=> #runtime::__private::Segment::#segment)
    });
    quote_spanned!(Span::mixed_site()=> &[#(#segments),*])
}

fn expand_piece(runtime: &TokenStream, piece: &Piece) -> TokenStream {
    match piece {
        Piece::Text(text) => quote_spanned!(Span::mixed_site()=> Text(#text)),
        Piece::Foreign(text) => quote_spanned!(Span::mixed_site()=> Text(#text)),
        Piece::Linked(text) => quote_spanned!(Span::mixed_site()=> Linked(#text)),
        Piece::Constant(value) => quote_spanned!(Span::mixed_site()=> Constant(|| #runtime::__private::literal(#value))),
        Piece::Value(value) => quote_spanned!(Span::mixed_site()=> Value(|| #runtime::__private::constant(#value))),
        Piece::TableType(path) => quote_spanned!(Span::mixed_site()=> Constant(|| #runtime::__private::table_type(&#path))),
        Piece::Table(path) => quote_spanned!(Span::mixed_site()=> Constant(|| #runtime::__private::table(&#path))),
        Piece::Variant(value) => quote_spanned!(Span::mixed_site()=> Value(|| #runtime::__private::variant(#value))),
        Piece::VariantTest(owner, name) => {
            quote_spanned!(Span::mixed_site()=> Constant(|| #runtime::__private::variant_test::<#owner>(#name)))
        }
        Piece::Function(callee) => {
            let callee = expand_callee(runtime, callee);
            quote_spanned!(Span::mixed_site()=> Function(#callee::callee))
        }
        Piece::Associated(callee) => {
            let call = expand_associated_callee(runtime, callee);
            quote_spanned!(Span::mixed_site()=> Function(|| #runtime::calls::callee_of(|| #call)))
        }
        Piece::Type(name) => quote_spanned!(Span::mixed_site()=> Type(#runtime::calls::c_type::<#name>)),
        Piece::Tuple(ty) => {
            // Its elements have a spelling, or it had been refused.
            let ty = expand_type(ty, Span::mixed_site()).unwrap_or_else(|| quote_spanned!(Span::mixed_site()=> ()));
            quote_spanned!(Span::mixed_site()=> Type(#runtime::calls::c_type::<#ty>))
        }
        Piece::OwnName => quote_spanned!(Span::mixed_site()=> OwnName),
        Piece::Site(index) => {
            let index = *index as u32;
            quote_spanned!(Span::mixed_site()=> Site(#index))
        }
        Piece::Checked(inner) => {
            let inner = expand_pieces(runtime, inner);
            quote_spanned!(Span::mixed_site()=> Checked(#inner))
        }
        Piece::Cooperative(inner) => {
            let inner = expand_pieces(runtime, inner);
            quote_spanned!(Span::mixed_site()=> Cooperative(#inner))
        }
        Piece::Elements { one, several } => {
            let (one, several) = (expand_pieces(runtime, one), expand_pieces(runtime, several));
            quote_spanned!(Span::mixed_site()=> Elements { one: #one, several: #several })
        }
        Piece::Line(line) => quote_spanned!(Span::mixed_site()=> Line(#line)),
    }
}

/// The type behind the path of a device function: `path::f::Device`.
pub(super) fn device_path(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    let device = match path.segments.last_mut() {
        Some(last) => {
            last.arguments = syn::PathArguments::None;
            syn::Ident::new("gpu_device", glue(last.ident.span()))
        }
        None => syn::Ident::new("gpu_device", Span::mixed_site()),
    };
    path.segments.push(device.into());
    path
}
