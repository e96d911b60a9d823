//! A function of an `impl` or a trait, on its way through the pipeline.

use crate::errors::Errors;
use crate::model::{Function, FunctionKind, Holds, Item, Method, Owner, RuntimePath};
use crate::pipeline::{Compiled, compile};
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// A function of `owner` through all stages. The parameters of the `impl` are its own.
pub(crate) fn compile_member(
    mut function: syn::ItemFn,
    generics: &syn::Generics,
    owner: Owner<'_>,
    runtime: &RuntimePath,
    before: usize,
    errors: &Errors,
) -> Option<Compiled> {
    compile(member(&mut function, generics, owner, runtime, errors), before, errors)
}

/// The function as one of `owner`.
pub(crate) fn member<'i>(
    function: &'i mut syn::ItemFn,
    generics: &syn::Generics,
    owner: Owner<'i>,
    runtime: &RuntimePath,
    errors: &Errors,
) -> Item<'i> {
    if let Some(own) = own_generics(&function.sig.generics) {
        errors.push(own, "a generic method is not supported yet\nhelp: write a device function outside of the `impl`");
    }
    if let Some(token) = &function.sig.asyncness {
        errors.push(token.span(), "an `async` method is not supported yet\nhelp: write an `async` device function outside of the `impl`");
    }
    function.sig.generics = generics.clone();
    Item { owner: Some(owner), ..Item::free(function, FunctionKind::Device, runtime.clone()) }
}

/// A method with the name of one of numbers is called like it: the walk takes its receiver for a value, which it does not change.
pub(crate) fn check_like_of_numbers(function: &Function, errors: &Errors) {
    let name = &function.name;
    if function.has_receiver && function.params.len() == 2 && (name == "cmp" || name == "partial_cmp") {
        let of = if name == "cmp" { "Ord" } else { "PartialOrd" };
        errors.push(
            name.span(),
            format!("in kernels, `x.{name}(&y)` is the comparison of `{of}`\nhelp: write this method in `impl {of}`, or rename it"),
        );
    }
    let is_called_like_it = Method::find(&name.unraw().to_string()).is_some_and(|method| method.args.len() + 1 == function.params.len());
    if function.has_receiver && is_called_like_it && function.local(function.params[0].local).holds == Holds::Mutable {
        errors.push(
            name.span(),
            format!("`{name}` must not change its receiver, because numbers have a method of this name\nhelp: rename this method"),
        );
    }
}

pub(crate) fn parse<T: syn::parse::Parse>(tokens: TokenStream, errors: &Errors) -> Option<T> {
    syn::parse2(tokens).map_err(|error| errors.push_syn(error)).ok()
}

/// Where a method has parameters or bounds of its own.
fn own_generics(generics: &syn::Generics) -> Option<Span> {
    let params = (!generics.params.is_empty()).then(|| generics.params.span());
    params.or_else(|| generics.where_clause.as_ref().map(Spanned::span))
}
