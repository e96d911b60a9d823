//! `#[gpu_device]` on an `impl` block: the pipeline for each of its functions.

use crate::check::{check_bounds, check_generics, check_rules, check_translatable};
use crate::emit::cuda::write_cuda_as;
use crate::emit::rust::expand_method;
use crate::errors::Errors;
use crate::infer::infer_function;
use crate::lower::lower_method;
use crate::model::NamedType;
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

/// The block with each function replaced. After an error, with the user's functions.
pub(crate) fn expand_impl(block: syn::ItemImpl, runtime: &TokenStream, errors: Errors) -> TokenStream {
    let Some(owner) = check_impl(&block, &errors) else {
        let error = errors.check().expect_err("what was refused has errors").into_compile_error();
        return quote!(#error #block);
    };
    let items: Vec<TokenStream> = block.items.iter().map(|item| expand_item(item, &block.generics, &owner, runtime, &errors)).collect();
    let syn::ItemImpl { attrs, self_ty, generics, .. } = &block;
    let (params, _, conditions) = generics.split_for_impl();
    match errors.check() {
        Ok(()) => quote!(#(#attrs)* impl #params #self_ty #conditions { #(#items)* }),
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#error #block)
        }
    }
}

/// The struct of an inherent `impl`.
fn check_impl(block: &syn::ItemImpl, errors: &Errors) -> Option<NamedType> {
    let before = errors.count();
    if let Some((path, _)) = &block.trait_ {
        errors.push(path.span(), "a trait's functions are no device functions\nhelp: put them into an `impl` of the struct alone");
    }
    let owner = match &*block.self_ty {
        syn::Type::Path(ty) if ty.qself.is_none() => Some(NamedType { path: in_expressions(&ty.path) }),
        other => {
            errors.push(other.span(), "only a struct has device functions\nhelp: put the attribute on an `impl` of a struct, or on a `fn`");
            None
        }
    };
    owner.filter(|_| errors.count() == before)
}

/// The path of a type as an expression may have it too: `Pair::<T>`.
fn in_expressions(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    for segment in &mut path.segments {
        if let syn::PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token.get_or_insert_default();
        }
    }
    path
}

/// `generics` are those of the `impl`.
fn expand_item(item: &syn::ImplItem, generics: &syn::Generics, owner: &NamedType, runtime: &TokenStream, errors: &Errors) -> TokenStream {
    let syn::ImplItem::Fn(original) = item else { return item.to_token_stream() };
    let named = replace_self(original.to_token_stream(), &owner.path.to_token_stream());
    let method: syn::ImplItemFn = match syn::parse2(named) {
        Ok(method) => method,
        Err(error) => {
            errors.push_syn(error);
            return TokenStream::new();
        }
    };
    if let Some(own) = own_generics(&method.sig.generics) {
        errors.push(own, "a generic method is not supported yet\nhelp: write a device function outside of the `impl`");
        return TokenStream::new();
    }
    let syn::ImplItemFn { attrs, vis, mut sig, block, .. } = method.clone();
    // To the function, the parameters of the `impl` are its own.
    sig.generics = generics.clone();
    let function: syn::ItemFn = match syn::parse2(quote!(#(#attrs)* #vis #sig #block)) {
        Ok(function) => function,
        Err(error) => {
            errors.push_syn(error);
            return TokenStream::new();
        }
    };
    let before = errors.count();
    let Some(lowered) = lower_method(&function, owner, runtime.clone(), errors) else { return TokenStream::new() };
    if errors.count() > before {
        return TokenStream::new();
    }
    let mut function = infer_function(lowered, errors);
    check_translatable(&function, errors);
    check_generics(&function, errors);
    check_rules(&function, errors);
    if errors.count() > before {
        return TokenStream::new();
    }
    check_bounds(&mut function);
    let last = owner.path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
    let source = write_cuda_as(&function, &format!("{last}_{}", function.name));
    expand_method(&function, &method, &source)
}

/// Where a method has parameters or bounds of its own.
fn own_generics(generics: &syn::Generics) -> Option<Span> {
    let params = (!generics.params.is_empty()).then(|| generics.params.span());
    params.or_else(|| generics.where_clause.as_ref().map(Spanned::span))
}

/// `tokens` with the struct's name for `Self`, which means something else in generated items.
fn replace_self(tokens: TokenStream, owner: &TokenStream) -> TokenStream {
    let replace = |token| match token {
        TokenTree::Ident(ident) if ident == "Self" => {
            let at = |mut token: TokenTree| {
                token.set_span(ident.span());
                token
            };
            owner.clone().into_iter().map(at).collect()
        }
        TokenTree::Group(group) => {
            let mut replaced = Group::new(group.delimiter(), replace_self(group.stream(), owner));
            replaced.set_span(group.span());
            TokenStream::from(TokenTree::Group(replaced))
        }
        other => other.into(),
    };
    tokens.into_iter().map(replace).collect()
}
