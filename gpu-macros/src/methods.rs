//! `#[gpu_device]` on an `impl` block: the pipeline for each of its functions.

use crate::emit::rust::{ExpandedMethod, Home, code_name, expand_if_attributed, expand_method, expand_method_stub, mark_name};
use crate::errors::Errors;
use crate::members::{check_like_of_numbers, compile_member, parse};
use crate::model::{NamedType, Owner, RuntimePath};
use crate::operators::{expand_operator_impl, operator_of};
use crate::pattern_parameters::name_patterns;
use crate::pipeline::{Compiled, make_outer};
use crate::syntax::{in_expressions, replace_self_of};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

/// The block with each function replaced. After an error, with the user's functions.
pub(crate) fn expand_impl(mut block: syn::ItemImpl, runtime: &RuntimePath, errors: Errors) -> TokenStream {
    make_outer(&mut block.attrs);
    block.items.retain_mut(|item| match item {
        syn::ImplItem::Fn(function) => keep_without_own_attribute(function, &errors),
        _ => true,
    });
    if let Some(operator) = operator_of(&block) {
        return expand_operator_impl(&block, operator, runtime, errors);
    }
    let Some(owner) = check_impl(&block, &errors) else {
        let error = errors.check().expect_err("what was refused has errors").into_compile_error();
        // Of a trait with the attribute, what is hidden would be missing.
        let block = block.trait_.as_ref().is_none_or(|(path, _)| unsupported_trait(path).is_some()).then_some(block);
        return quote!(#block #error);
    };
    let std = std_trait_of(&block, runtime);
    let home = match (&block.trait_, &std) {
        (None, _) => Home::Type,
        (Some(_), Some(StdTrait { vis, .. })) => Home::Std(vis),
        (Some((path, _)), None) => Home::Impl(path),
    };
    let expand = |item| expand_item(item, &block.generics, &owner, &home, runtime, &errors);
    let items: Vec<Expanded> = block.items.iter().map(expand).collect();
    let syn::ItemImpl { attrs, unsafety, self_ty, trait_, generics, .. } = &block;
    let of_trait = trait_.as_ref().map(|(path, token)| quote!(#path #token));
    let (params, _, conditions) = generics.split_for_impl();
    if let Some(StdTrait { hidden_in, .. }) = &std {
        // What is hidden stands among the type's own functions, or in a trait.
        let preferred = expand_preferred(&block, runtime, !hidden_in.is_empty()).filter(|_| errors.is_empty());
        let (own, hidden): (Vec<_>, Vec<_>) = items.into_iter().map(Expanded::apart).unzip();
        let cfgs: Vec<_> = attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect();
        let error = errors.check().err().map(syn::Error::into_compile_error);
        let standing_in = error.is_some().then(|| quote!(#[allow(unused)]));
        let preferred = preferred.map(|preferred| quote!(#(#cfgs)* #preferred));
        return quote! {
            #(#attrs)* #standing_in #unsafety impl #params #of_trait #self_ty #conditions { #(#own)* }
            #(#cfgs)* impl #params #hidden_in #self_ty #conditions { #(#hidden)* }
            #preferred
            #error
        };
    }
    let mark = trait_.as_ref().map(|(path, _)| expand_mark(&owner, path.span()));
    let is_shown_to_rustc = trait_.is_none() && errors.may_be_valid_rust();
    match errors.check() {
        Ok(()) => {
            let items = items.into_iter().map(|Expanded { complete: ExpandedMethod { own, hidden }, .. }| quote!(#own #hidden));
            let complete = quote!(#(#attrs)* #unsafety impl #params #of_trait #self_ty #conditions { #mark #(#items)* });
            let Some((path, _)) = trait_ else { return complete };
            let preferred = expand_preferred(&block, runtime, true);
            let complete = quote!(#complete #preferred);
            let cfgs = attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
            expand_if_attributed(runtime, &quote!(#(#cfgs)*), std::iter::once(path), complete, &quote!(#[allow(unused)] #block))
        }
        Err(error) if !is_shown_to_rustc => {
            let (error, items) = (error.into_compile_error(), items.into_iter().map(Expanded::standing_in));
            quote!(#(#attrs)* #[allow(unused)] #unsafety impl #params #of_trait #self_ty #conditions { #mark #(#items)* } #error)
        }
        Err(error) => {
            let (error, stubs) = (error.into_compile_error(), items.into_iter().map(|item| item.stub));
            quote!(#[allow(unused)] #block impl #params #self_ty #conditions { #(#stubs)* } #error)
        }
    }
}

/// Refuses attributes of ours on a function of the block, which are for what stands alone. Whether the function stays in the block.
fn keep_without_own_attribute(function: &mut syn::ImplItemFn, errors: &Errors) -> bool {
    let mut is_kept = true;
    let name = &function.sig.ident;
    function.attrs.retain(|attribute| {
        let path = attribute.path();
        let attribute = path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
        let message = match attribute.as_str() {
            "gpu_device" => "the attribute on the `impl` applies to all its functions\nhelp: remove this one".to_owned(),
            "vectorize" | "reduce" | "guvectorize" => {
                is_kept = false;
                format!("a function with `#[{attribute}]` cannot belong to a type\nhelp: move `{name}` out of the `impl`")
            }
            _ => return true,
        };
        errors.push(path.span(), message);
        false
    });
    is_kept
}

/// A trait of std with functions that kernels can call.
struct StdTrait {
    /// Where the hidden functions of an `impl` stand: the `… for` of their own `impl`.
    hidden_in: TokenStream,
    /// Their visibility.
    vis: syn::Visibility,
}

fn std_trait_of(block: &syn::ItemImpl, runtime: &RuntimePath) -> Option<StdTrait> {
    let last = block.trait_.as_ref()?.0.segments.last()?;
    match &last.arguments {
        syn::PathArguments::None if last.ident == "Default" => {
            Some(StdTrait { hidden_in: TokenStream::new(), vis: syn::parse_quote!(pub) })
        }
        syn::PathArguments::AngleBracketed(arguments) if last.ident == "From" => {
            let from = &arguments.args;
            Some(StdTrait { hidden_in: quote!(#runtime::calls::ConvertFrom<#from> for), vis: syn::Visibility::Inherited })
        }
        _ => None,
    }
}

/// What to say of a trait of std that has no functions in kernels.
fn unsupported_trait(path: &syn::Path) -> Option<String> {
    let name = path.segments.last()?.ident.to_string();
    let (reason, help) = match name.as_str() {
        "Shl" | "Shr" | "ShlAssign" | "ShrAssign" => ("shifts of your own types are not supported in kernels", "write a method"),
        "Clone" => ("kernels copy values and never call `clone`", "remove the attribute"),
        "Into" => ("`Into` is not supported in kernels", "write `impl From`, and call `from`"),
        _ => return None,
    };
    Some(format!("{reason}\nhelp: {help}"))
}

/// What distinguishes the trait from one without the attribute: the name of the type.
fn expand_mark(owner: &NamedType, at: Span) -> TokenStream {
    let (mark, name) = (mark_name(Span::mixed_site().located_at(at)), owner.short_name());
    quote_spanned! {Span::mixed_site().located_at(at)=>
        #[doc(hidden)]
        #[allow(non_upper_case_globals)]
        const #mark: &'static ::core::primitive::str = #name;
    }
}

/// That no method of the type itself is preferred to those of the trait. What rustc finds for a type that depends on parameters is not known
/// here. `may_be_attributed`: one with the attribute may be preferred.
fn expand_preferred(block: &syn::ItemImpl, runtime: &RuntimePath, may_be_attributed: bool) -> Option<TokenStream> {
    let syn::ItemImpl { trait_, self_ty, generics, items, .. } = block;
    let (path, _) = trait_.as_ref()?;
    if !generics.params.is_empty() {
        return None;
    }
    let functions = items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(function) => Some(&function.sig.ident),
        _ => None,
    });
    let functions: Vec<_> = functions
        .map(|name| {
            let span = Span::mixed_site().located_at(name.span());
            let mut local = name.clone();
            local.set_span(span);
            let code = if may_be_attributed { code_name(&local) } else { quote::format_ident!("{local}_of_kernels", span = span) };
            quote_spanned!(span=> #local #code #local.and(#code);)
        })
        .collect();
    let at = Span::mixed_site().located_at(path.span());
    (!functions.is_empty()).then(|| quote_spanned!(at=> #runtime::calls::preferred::methods_of_trait! { #self_ty { #(#functions)* } }))
}

/// The type of an `impl`.
fn check_impl(block: &syn::ItemImpl, errors: &Errors) -> Option<NamedType> {
    let before = errors.count();
    if let Some((path, _)) = &block.trait_
        && let Some(message) = unsupported_trait(path)
    {
        errors.push(path.span(), message);
        return None;
    }
    let owner = match &*block.self_ty {
        syn::Type::Path(ty) if ty.qself.is_none() => Some(NamedType { path: in_expressions(&ty.path) }),
        other => {
            errors.push(
                other.span(),
                "this `impl` cannot have device functions\nhelp: put the attribute on an `impl` of a struct, an enum or a number, or on a `fn`",
            );
            None
        }
    };
    owner.filter(|_| errors.count() == before)
}

/// A function of the block.
#[derive(Default)]
struct Expanded {
    /// All that replaces it.
    complete: ExpandedMethod,
    /// What its callers refer to, where an error keeps the program from running: callers are correct and get no errors.
    stub: TokenStream,
    /// The function itself without its body.
    signature: TokenStream,
}

impl Expanded {
    /// What stays as it is: a constant, or a kernel, whose own attribute comes later.
    fn of_other(item: &syn::ImplItem) -> Self {
        let complete = ExpandedMethod { own: item.to_token_stream(), ..ExpandedMethod::default() };
        Self { complete, ..Self::default() }
    }

    /// What a trait's `impl` has of it, where an error keeps the program from running.
    fn standing_in(self) -> TokenStream {
        let (own, hidden) = self.apart();
        quote!(#own #hidden)
    }

    /// The user's function and those for kernels; after an error, what stands in for them.
    fn apart(self) -> (TokenStream, TokenStream) {
        let Expanded { complete: ExpandedMethod { own, hidden }, stub, signature } = self;
        if own.is_empty() { (signature, stub) } else { (own, hidden) }
    }
}

/// `generics` are those of the `impl`.
fn expand_item(
    item: &syn::ImplItem,
    generics: &syn::Generics,
    owner: &NamedType,
    home: &Home<'_>,
    runtime: &RuntimePath,
    errors: &Errors,
) -> Expanded {
    let syn::ImplItem::Fn(original) = item else {
        return Expanded::of_other(item);
    };
    if original.attrs.iter().any(|attribute| attribute.path().segments.last().is_some_and(|last| last.ident == "gpu_kernel")) {
        return Expanded::of_other(item);
    }
    let before = errors.count();
    let named = replace_self_of(original.to_token_stream(), &owner.path.to_token_stream());
    let Some(syn::ImplItemFn { mut attrs, vis, mut sig, mut block, .. }) = parse(named, errors) else { return Expanded::default() };
    make_outer(&mut attrs);
    name_patterns(&mut sig, &mut block);
    let Some(function) = parse(quote!(#(#attrs)* #vis #sig #block), errors) else { return Expanded::default() };
    let owner = Owner { ty: owner, name: &owner.short_name() };
    let Some(Compiled { function, output }) = compile_member(function, generics, owner, runtime, before, errors) else {
        return Expanded::default();
    };
    check_like_of_numbers(&function, errors);
    let complete = output.map(|(_, source)| expand_method(&function, &sig, home, &source));
    Expanded {
        complete: complete.unwrap_or_default(),
        stub: expand_method_stub(&function, &sig),
        signature: quote!(#vis #sig { ::core::unreachable!() }),
    }
}
