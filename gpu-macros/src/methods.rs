//! `#[gpu_device]` on an `impl` block: the pipeline for each of its functions.

use crate::check::{check_bounds, check_generics, check_rules, check_translatable};
use crate::emit::cuda::write_cuda_as;
use crate::emit::rust::{expand_method, expand_method_stub};
use crate::errors::Errors;
use crate::infer::infer_function;
use crate::lower::lower_method;
use crate::model::NamedType;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

/// The block with each function replaced. After an error, with the user's functions.
pub(crate) fn expand_impl(block: syn::ItemImpl, runtime: &TokenStream, errors: Errors) -> TokenStream {
    let Some(owner) = check_impl(&block, &errors) else {
        let error = errors.check().expect_err("what was refused has errors").into_compile_error();
        return quote!(#error #block);
    };
    let items: Vec<Expanded> = block.items.iter().map(|item| expand_item(item, &owner, runtime, &errors)).collect();
    let syn::ItemImpl { attrs, self_ty, .. } = &block;
    match errors.check() {
        Ok(()) => {
            let items = items.into_iter().map(|item| item.complete);
            quote!(#(#attrs)* impl #self_ty { #(#items)* })
        }
        Err(error) => {
            let (error, stubs) = (error.into_compile_error(), items.into_iter().map(|item| item.stub));
            quote!(#error #block impl #self_ty { #(#stubs)* })
        }
    }
}

/// The struct of an inherent `impl` without type parameters.
fn check_impl(block: &syn::ItemImpl, errors: &Errors) -> Option<NamedType> {
    let before = errors.count();
    if let Some((path, _)) = &block.trait_ {
        errors.push(path.span(), "a trait's functions are no device functions\nhelp: put them into an `impl` of the struct alone");
    }
    if !block.generics.params.is_empty() {
        errors.push(block.generics.params.span(), "a generic `impl` is not supported yet\nhelp: write one for each type");
    }
    let owner = match &*block.self_ty {
        syn::Type::Path(ty) if ty.qself.is_none() => Some(NamedType { path: ty.path.clone() }),
        other => {
            errors.push(other.span(), "only a struct has device functions\nhelp: put the attribute on an `impl` of a struct, or on a `fn`");
            None
        }
    };
    owner.filter(|_| errors.count() == before)
}

/// A function of the block.
#[derive(Default)]
struct Expanded {
    /// All that replaces it.
    complete: TokenStream,
    /// What its callers refer to, where an error keeps the program from running: they are not at fault.
    stub: TokenStream,
}

fn expand_item(item: &syn::ImplItem, owner: &NamedType, runtime: &TokenStream, errors: &Errors) -> Expanded {
    let syn::ImplItem::Fn(original) = item else {
        return Expanded { complete: item.to_token_stream(), stub: TokenStream::new() };
    };
    let named = replace_self(original.to_token_stream(), &owner.path.to_token_stream());
    let method: syn::ImplItemFn = match syn::parse2(named) {
        Ok(method) => method,
        Err(error) => {
            errors.push_syn(error);
            return Expanded::default();
        }
    };
    let syn::ImplItemFn { attrs, vis, sig, block, .. } = method.clone();
    let function: syn::ItemFn = match syn::parse2(quote!(#(#attrs)* #vis #sig #block)) {
        Ok(function) => function,
        Err(error) => {
            errors.push_syn(error);
            return Expanded::default();
        }
    };
    let before = errors.count();
    let Some(lowered) = lower_method(&function, owner, runtime.clone(), errors) else { return Expanded::default() };
    let stub = expand_method_stub(&lowered.function, &method);
    if !lowered.function.type_params.is_empty() {
        errors
            .push(sig.generics.params.span(), "a generic method is not supported yet\nhelp: write a device function outside of the `impl`");
    }
    if errors.count() > before {
        return Expanded { complete: TokenStream::new(), stub };
    }
    let mut function = infer_function(lowered, errors);
    check_translatable(&function, errors);
    check_generics(&function, errors);
    check_rules(&function, errors);
    if errors.count() > before {
        return Expanded { complete: TokenStream::new(), stub };
    }
    check_bounds(&mut function);
    let last = owner.path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
    let source = write_cuda_as(&function, &format!("{last}_{}", function.name));
    Expanded { complete: expand_method(&function, &method, &source), stub }
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
