//! Type parameters: their declaration, and how a call finds the instance that it means.
//!
//! Caller and callee meet in the runtime's trait `DeviceFunction`: the caller lists what it knows of the types in the call
//! ([`expand_callee`]), the callee says where each of its type parameters is to be found in such a list ([`expand_lookup`]).

use super::source_unit::device_path;
use super::tokens::{expand_type, glue};
use crate::emit::{Callee, Known};
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};

/// `T: Float, U: Num`, with the runtime's own traits.
pub(super) fn expand_bounded_params(function: &Function) -> Vec<TokenStream> {
    expand_bounded_params_in(function, &function.runtime)
}

/// The same, where the runtime has this path.
pub(super) fn expand_bounded_params_in(function: &Function, runtime: &TokenStream) -> Vec<TokenStream> {
    let bounded = function.type_params.iter().map(|TypeParam { name, class }| match class {
        Some(class) => {
            let class = Ident::new(class.name(), Span::mixed_site());
            quote_spanned!(Span::mixed_site()=> #name: #runtime::#class)
        }
        None => name.to_token_stream(),
    });
    bounded.collect()
}

/// The type parameters, or none of them after an error in their bounds.
pub(super) fn known_params(function: &Function) -> &[TypeParam] {
    if function.type_params.iter().all(|param| param.class.is_some()) { &function.type_params } else { &[] }
}

/// The type behind a call, as an implementation of `DeviceFunction`.
pub(super) fn expand_callee(runtime: &TokenStream, callee: &Callee) -> TokenStream {
    let Callee { path, explicit, output, args } = callee;
    let span = path.segments.last().map_or_else(Span::mixed_site, |last| glue(last.ident.span()));
    let path = device_path(path);
    let expand = |known: &Known| expand_known(runtime, known, span);
    let (explicit, output, args) = (explicit.iter().map(expand), expand(output), args.iter().map(expand));
    quote_spanned!(span=> <#path as #runtime::calls::DeviceFunction<(#(#explicit,)*), (#output, #(#args,)*)>>)
}

fn expand_known(runtime: &TokenStream, known: &Known, span: Span) -> TokenStream {
    let ty = match known {
        Known::Nothing => None,
        Known::Type(ty) => expand_type(ty, span),
        Known::OutputOf(callee) => {
            let callee = expand_callee(runtime, callee);
            Some(quote_spanned!(span=> #callee::Output))
        }
    };
    match ty {
        Some(ty) => quote_spanned!(span=> #runtime::calls::Known<#ty>),
        None => quote_spanned!(span=> #runtime::calls::Unknown),
    }
}

/// What the implementation of `DeviceFunction` for a callee is generic over, and for which calls it is.
pub(super) struct Lookup {
    pub(super) params: TokenStream,
    pub(super) explicit: TokenStream,
    pub(super) evidence: TokenStream,
    pub(super) conditions: TokenStream,
}

/// For a function without type parameters, any call whatever. For a generic one, the calls in which each type parameter is known.
pub(super) fn expand_lookup(function: &Function) -> Lookup {
    if known_params(function).is_empty() {
        return Lookup {
            params: quote_spanned!(Span::mixed_site()=> __Explicit, __Evidence),
            explicit: quote_spanned!(Span::mixed_site()=> __Explicit),
            evidence: quote_spanned!(Span::mixed_site()=> __Evidence),
            conditions: TokenStream::new(),
        };
    }
    let runtime = &function.runtime;
    let arguments: Vec<Ident> = (0..function.params.len()).map(|index| format_ident!("__A{index}", span = Span::mixed_site())).collect();
    let bounded = expand_bounded_params(function);
    let conditions = function.type_params.iter().enumerate().map(|(index, param)| {
        let name = &param.name;
        let position = format_ident!("P{index}", span = Span::mixed_site());
        let explicit = quote_spanned!(Span::mixed_site()=> <__Explicit as #runtime::calls::Explicit>::#position);
        let places = function.params.iter().zip(&arguments);
        let places = places.filter(|(place, _)| stands_for(&function.local(place.local).ty, param)).map(|(_, argument)| argument);
        let output = (function.output == Type::Parameter(param.clone())).then(|| quote_spanned!(Span::mixed_site()=> __Output));
        let places = std::iter::once(explicit).chain(places.map(Ident::to_token_stream)).chain(output);
        let places = places.collect::<Vec<_>>().into_iter().rev();
        let list = places.fold(quote_spanned!(Span::mixed_site()=> ()), |rest, place| quote_spanned!(Span::mixed_site()=> (#place, #rest)));
        quote_spanned!(Span::mixed_site()=> #list: #runtime::calls::Evidence<Type = #name>)
    });
    Lookup {
        params: quote_spanned!(Span::mixed_site()=> __Explicit: #runtime::calls::Explicit, __Output, #(#arguments,)* #(#bounded),*),
        explicit: quote_spanned!(Span::mixed_site()=> __Explicit),
        evidence: quote_spanned!(Span::mixed_site()=> (__Output, #(#arguments,)*)),
        conditions: quote_spanned!(Span::mixed_site()=> where #(#conditions),*),
    }
}

/// Whether a parameter of type `ty` tells what `param` is.
fn stands_for(ty: &Type, param: &TypeParam) -> bool {
    match ty {
        Type::Parameter(other) => other == param,
        Type::Slice { element, .. } | Type::View { element, .. } => stands_for(element, param),
        _ => false,
    }
}
