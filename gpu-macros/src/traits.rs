//! `#[gpu_device]` on a trait: its functions with what an `impl` must have for kernels, and the pipeline for those with a body.
//!
//! Beside each function stand its twin and what gives its CUDA C, hidden items of the trait. An `impl` with the attribute has them
//! too, so that `<S as Shape>::area` leads to the CUDA C of the type that `S` is. A trait whose functions take or return a `Self` is
//! one of device types.

use crate::emit::rust::{ExpandedMethod, Home, expand_meaning_as_macro, expand_method, expand_method_stub, expand_required, mark_name};
use crate::errors::Errors;
use crate::members::{check_like_of_numbers, compile_member, parse};
use crate::model::{NamedType, Owner, RuntimePath};
use crate::pattern_parameters::name_patterns;
use crate::pipeline::{Compiled, make_outer};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

/// The trait with its hidden items. After an error, what was refused has none of its body, so that the `impl`s and callers get no errors.
pub(crate) fn expand_trait(mut item: syn::ItemTrait, runtime: &RuntimePath, errors: Errors) -> TokenStream {
    make_outer(&mut item.attrs);
    for item in &mut item.items {
        if let syn::TraitItem::Fn(function) = item {
            make_outer(&mut function.attrs);
        }
    }
    let generics =
        Generics { of_values: device_generics(&item.generics, runtime, &errors), of_bodies: generics_of_bodies(&item, runtime, &errors) };
    let items: Vec<TokenStream> = item.items.iter().map(|each| expand_item(each, &item.ident, &generics, runtime, &errors)).collect();
    match errors.check() {
        Ok(()) => expand_declaration(&item, &items, runtime),
        Err(error) => {
            // With the bounds that were asked for, nothing follows from their absence.
            item.generics = generics.of_bodies;
            let declaration = expand_declaration(&item, &items, runtime);
            let error = error.into_compile_error();
            quote!(#[allow(unused)] #declaration #error)
        }
    }
}

/// The type parameters of the trait.
struct Generics {
    /// As functions without a body see them.
    of_values: syn::Generics,
    /// As functions with one see them.
    of_bodies: syn::Generics,
}

/// Bodies compute what the bounds allow. Without any, they could not even pass on values.
fn generics_of_bodies(item: &syn::ItemTrait, runtime: &RuntimePath, errors: &Errors) -> syn::Generics {
    let mut generics = item.generics.clone();
    let has_bodies = item.items.iter().any(|item| matches!(item, syn::TraitItem::Fn(function) if function.default.is_some()));
    let clause = generics.where_clause.take();
    for param in generics.type_params_mut() {
        param.default = None;
        let name = &param.ident;
        let is_bounded_later = clause.iter().flat_map(|clause| &clause.predicates).any(|predicate| {
            matches!(predicate, syn::WherePredicate::Type(bounded) if matches!(&bounded.bounded_ty, syn::Type::Path(ty) if ty.path.is_ident(name)))
        });
        if param.bounds.is_empty() && !is_bounded_later {
            if has_bodies {
                let message = format!(
                    "`{name}` has no bound, so a function of the trait cannot have a body\nhelp: write `{name}: DeviceType` to pass values on, or `{name}: Num` to compute with them"
                );
                errors.push(name.span(), message);
            }
            param.bounds = syn::parse_quote!(#runtime::DeviceType);
        }
    }
    generics.where_clause = clause;
    generics
}

/// The type parameters of functions that pass on values of their types and compute nothing with them.
fn device_generics(generics: &syn::Generics, runtime: &RuntimePath, errors: &Errors) -> syn::Generics {
    let mut generics = syn::Generics { where_clause: None, ..generics.clone() };
    for param in &mut generics.params {
        match param {
            syn::GenericParam::Type(param) => {
                param.default = None;
                param.bounds = syn::parse_quote!(#runtime::DeviceType);
            }
            other => {
                let message = "a trait with `#[gpu_device]` can only have type parameters\nhelp: write an associated constant or type";
                errors.push(other.span(), message);
            }
        }
    }
    generics
}

fn expand_declaration(item: &syn::ItemTrait, items: &[TokenStream], runtime: &RuntimePath) -> TokenStream {
    let syn::ItemTrait { attrs, vis, unsafety, trait_token, ident, generics, supertraits, .. } = item;
    let has_values = item.items.iter().any(|item| mentions_value(item.to_token_stream()));
    let own = match has_values {
        true => quote_spanned!(Span::mixed_site()=> #runtime::DeviceType),
        false => quote_spanned!(Span::mixed_site()=> 'static),
    };
    let supertraits = supertraits.iter();
    let (mark, clause) = (mark_name(Span::mixed_site()), &generics.where_clause);
    let as_macro = expand_meaning_as_macro(vis, ident, runtime);
    let cfgs = attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    quote_spanned! {Span::mixed_site()=>
        #(#cfgs)*
        #as_macro
        #(#attrs)*
        #[allow(clippy::used_underscore_binding)]
        #vis #unsafety #trait_token #ident #generics: #(#supertraits +)* #own #clause {
            /// The name of the type in messages.
            #[doc(hidden)]
            #[allow(non_upper_case_globals)]
            const #mark: &'static ::core::primitive::str;

            #(#items)*
        }
    }
}

/// Whether a value of the type that has the trait is taken or returned: `self`, or a `Self` that is no path's beginning.
fn mentions_value(tokens: TokenStream) -> bool {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let found = match token {
            TokenTree::Ident(ident) if ident == "self" => true,
            TokenTree::Ident(ident) if ident == "Self" => !matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':'),
            TokenTree::Group(group) => mentions_value(group.stream()),
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

fn expand_item(item: &syn::TraitItem, name: &syn::Ident, generics: &Generics, runtime: &RuntimePath, errors: &Errors) -> TokenStream {
    let syn::TraitItem::Fn(syn::TraitItemFn { attrs, sig, default, .. }) = item else { return item.to_token_stream() };
    let before = errors.count();
    let owner = NamedType { path: syn::Ident::new("Self", name.span()).into() };
    // Of a function without a body, only the signature is checked.
    let body = default.as_ref().map_or_else(|| quote!({ loop {} }), ToTokens::to_token_stream);
    let (mut sig, Some(mut body)) = (sig.clone(), parse::<syn::Block>(body, errors)) else { return TokenStream::new() };
    name_patterns(&mut sig, &mut body);
    let sig = &sig;
    let Some(function) = parse(quote!(#(#attrs)* #sig #body), errors) else { return TokenStream::new() };
    let owner = Owner { ty: &owner, name: &name.to_string() };
    let generics = if default.is_some() { &generics.of_bodies } else { &generics.of_values };
    match compile_member(function, generics, owner, runtime, before, errors) {
        Some(Compiled { function, .. }) if default.is_none() => expand_required(&function, sig),
        Some(Compiled { function, output: Some((_, source)) }) => {
            let arguments = generics.split_for_impl().1;
            let path = syn::parse_quote!(#name #arguments);
            let home = Home::Trait(&path);
            check_like_of_numbers(&function, errors);
            let ExpandedMethod { own, hidden } = expand_method(&function, sig, &home, &source);
            quote!(#own #hidden)
        }
        Some(Compiled { function, output: None }) => {
            let stub = expand_method_stub(&function, sig);
            quote!(#sig { ::core::unreachable!() } #stub)
        }
        None => item.to_token_stream(),
    }
}
