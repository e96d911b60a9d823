//! `#[derive(GraphData)]`: a struct whose references are arguments of graphs, by those of its fields.

use crate::errors::Errors;
use crate::lower::{Argument, parse_distinct_arguments, parse_runtime};
use crate::model::RuntimePath;
use crate::pipeline::asserting;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;

/// `#[derive(GraphData)] item`.
pub(crate) fn expand_graph_data(item: TokenStream) -> TokenStream {
    let item: syn::DeriveInput = match syn::parse2(item) {
        Ok(item) => item,
        Err(error) => return error.into_compile_error(),
    };
    let errors = Errors::new();
    let runtime = runtime_of(&item.attrs, &errors);
    let expansion = match &item.data {
        syn::Data::Struct(data) => expand_impl(&item, &data.fields, &runtime),
        _ => {
            errors.push(
                item.ident.span(),
                "only a struct can be an argument of a graph as a whole\nhelp: put the arrays into a struct, or pass them one by one",
            );
            TokenStream::new()
        }
    };
    match errors.check() {
        Ok(()) => asserting(&runtime, expansion),
        Err(error) => error.into_compile_error(),
    }
}

/// `#[graph_data(crate = path)]`.
fn runtime_of(attrs: &[syn::Attribute], errors: &Errors) -> RuntimePath {
    let mut path = RuntimePath::default();
    for attribute in attrs.iter().filter(|attribute| attribute.path().is_ident("graph_data")) {
        let list = match attribute.meta.require_list() {
            Ok(list) => list,
            Err(error) => {
                errors.push_syn(error);
                continue;
            }
        };
        for Argument { name, value, is_unsafe } in parse_distinct_arguments(list.tokens.clone(), errors) {
            if name != "crate" {
                errors.push(name.span(), "unknown argument\nhelp: the only argument is `crate = path`");
            } else if let Some(runtime) = parse_runtime(&value, is_unsafe, errors) {
                path = runtime;
            }
        }
    }
    path
}

fn expand_impl(item: &syn::DeriveInput, fields: &syn::Fields, runtime: &RuntimePath) -> TokenStream {
    let name = &item.ident;
    let mut generics = item.generics.clone();
    if generics.type_params().next().is_some() {
        let predicates = &mut generics.make_where_clause().predicates;
        predicates.extend(fields.iter().map(|field| -> syn::WherePredicate {
            let ty = &field.ty;
            syn::parse_quote!(#ty: #runtime::GraphData)
        }));
    }
    let (params, arguments, conditions) = generics.split_for_impl();
    let (mut key, mut memory) = (TokenStream::new(), TokenStream::new());
    for (member, field) in fields.members().zip(fields) {
        let ty = &field.ty;
        let data = quote_spanned!(Span::mixed_site().located_at(ty.span())=> <#ty as #runtime::GraphData>);
        key.extend(quote_spanned!(Span::mixed_site()=> #data::add_to_key(&self.#member, key);));
        memory.extend(quote_spanned!(Span::mixed_site()=> #data::list_memory(&self.#member, memory);));
    }
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        // SAFETY: all fields are listed.
        unsafe impl #params #runtime::GraphData for #name #arguments #conditions {
            fn add_to_key(&self, key: &mut #runtime::support::Key) {
                let _ = &key;
                #key
            }

            fn list_memory<'s>(&'s self, memory: &mut #runtime::support::Borrowed<'s>) {
                let _ = &memory;
                #memory
            }
        }
    }
}
