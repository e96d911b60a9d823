//! Parameters of kernels that are references to structs of arrays: `fn step(b: &mut Bodies)`, whose body says `b.x[i]`.
//!
//! The attribute sees the kernel and not the struct, whose fields it needs. `#[derive(KernelData)]` declares a macro of the struct's name that
//! has them ([`kernel_data`](crate::kernel_data)). So the attribute is expanded twice:
//!
//! ```text
//! #[gpu_kernel(block = 64)] fn step(b: &mut Bodies) { … b.x[i] … }
//!     Bodies! { [::gpu_runtime::gpu_kernel] b [, block = 64] fn step(b: &mut Bodies) { … b.x[i] … } }
//!     #[::gpu_runtime::gpu_kernel(struct b [] { x: [DeviceArray<f32>] n: [usize] }, block = 64)] fn step(b: &mut Bodies) { … b.x[i] … }
//! ```
//!
//! and the second time, each field that the body uses becomes a parameter of its own, `b_x: &mut [f32]`. The stages know of no structs. Only the
//! launcher takes one, and passes `&mut b.x`.
//!
//! The fields are no more than a claim. A kernel has the arguments that its own parameters say, the launcher passes fields of the struct, and
//! rustc compares the types. What is proved of the arrays is what is proved of separate parameters, and the fields of a struct are separate.

mod body;
mod fields;

use crate::errors::Errors;
use crate::idents::{word, words_of};
use crate::model::{RuntimePath, Structure};
use crate::source_scope::Surroundings;
use body::{Body, Used};
pub(crate) use fields::{Fields, argument_params, take_fields};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

/// Names of types that are not structs of arrays: of std, of the language and of the runtime.
const NOT_STRUCTS: [&str; 17] = [
    "Vec",
    "View",
    "ViewMut",
    "str",
    "String",
    "Self",
    "bool",
    "f32",
    "f64",
    "usize",
    "isize",
    "DeviceArray",
    "DeviceSlice",
    "DeviceSliceMut",
    "DeviceView",
    "DeviceViewMut",
    "char",
];

/// The kernel for the macro of the first of its structs whose fields are not known yet. `written` are the arguments of the attribute. The fields
/// of a struct that lacks the derive are read where it is declared, so that the derive is all that is reported.
pub(crate) fn hand_over(
    function: &syn::ItemFn,
    known: &mut Vec<Fields>,
    written: &TokenStream,
    runtime: &RuntimePath,
    errors: &Errors,
) -> Option<TokenStream> {
    for (name, path) in function.sig.inputs.iter().filter_map(|input| referenced_struct(input, &function.sig)) {
        if known.iter().any(|fields| fields.name == *name) {
            continue;
        }
        let Some(item) = struct_without_derive(function, path) else {
            let mut path = path.clone();
            path.segments.iter_mut().for_each(|segment| segment.arguments = syn::PathArguments::None);
            let comma = (!written.is_empty()).then(|| quote!(,));
            return Some(quote!(#path! { [#runtime::gpu_kernel] #name [#comma #written] #function }));
        };
        let message =
            format!("a kernel does not see the fields of `{0}`\nhelp: write `#[derive(KernelData)]` above `struct {0}`", item.ident);
        errors.push_invalid(path.span(), message);
        known.push(Fields::of_struct(name.clone(), &item));
    }
    None
}

/// The name and the type of a parameter that may be a reference to a struct of arrays.
fn referenced_struct<'f>(input: &'f syn::FnArg, signature: &syn::Signature) -> Option<(&'f Ident, &'f syn::Path)> {
    let (name, reference) = reference_param(input)?;
    let syn::Type::Path(syn::TypePath { qself: None, path, .. }) = without_group(&reference.elem) else { return None };
    let last = &path.segments.last()?.ident;
    let is_other = NOT_STRUCTS.iter().any(|other| last == other) || is_number_or_atomic(&last.to_string());
    let is_param = signature.generics.type_params().any(|param| path.is_ident(&param.ident));
    (!is_other && !is_param).then_some((name, path))
}

fn reference_param(input: &syn::FnArg) -> Option<(&Ident, &syn::TypeReference)> {
    let syn::FnArg::Typed(typed) = input else { return None };
    let (syn::Pat::Ident(pattern), syn::Type::Reference(reference)) = (&*typed.pat, without_group(&typed.ty)) else { return None };
    Some((&pattern.ident, reference))
}

fn without_group(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Group(group) => without_group(&group.elem),
        other => other,
    }
}

fn is_number_or_atomic(name: &str) -> bool {
    let digits = name.strip_prefix(['i', 'u']).unwrap_or("-");
    name.starts_with("Atomic") || (!digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
}

/// The struct, if the text around the kernel shows it and it lacks the derive.
fn struct_without_derive(function: &syn::ItemFn, path: &syn::Path) -> Option<syn::DeriveInput> {
    let name = path.segments.last().filter(|_| path.segments.len() == 1 && path.leading_colon.is_none())?;
    let item = Surroundings::of(&function.sig.ident).type_of_module(&word(&name.ident))?;
    let derives = |attribute: &syn::Attribute| words_of(attribute.meta.to_token_stream()).iter().any(|word| word == "KernelData");
    (!item.attrs.iter().any(derives)).then_some(item)
}

/// Replaces the parameters that are structs with `known` fields by those of the fields that the body uses.
pub(crate) fn separate_fields(function: &mut syn::ItemFn, known: Vec<Fields>, errors: &Errors) -> Vec<Structure> {
    // A kernel without structs keeps its tokens.
    if known.is_empty() {
        return Vec::new();
    }
    let mut body = Body::new(function, errors);
    // After an error the body is emptied, so that nothing else is reported.
    let mut is_refused = false;
    for fields in known {
        is_refused |= fields.is_without_derive;
        let param = function.sig.inputs.iter().find_map(|input| reference_param(input).filter(|(name, _)| fields.name == **name));
        let Some((name, reference)) = param else { continue };
        let fields = fields.with_arguments(&reference.elem, errors);
        is_refused |= fields.is_none();
        body.add(name.clone(), reference.mutability.is_some(), fields.unwrap_or_default());
    }
    if !is_refused {
        let before = errors.count();
        match syn::parse2(body.rewrite(function.block.to_token_stream())) {
            Ok(block) => *function.block = block,
            Err(error) => errors.push_syn(error),
        }
        is_refused = errors.count() > before;
    }
    if is_refused {
        function.block.stmts.clear();
        body.forget_uses();
    }
    let (mut inputs, mut structures) = (syn::punctuated::Punctuated::new(), Vec::new());
    for input in std::mem::take(&mut function.sig.inputs) {
        match reference_param(&input).and_then(|(name, reference)| Some((body.used(name)?, name.clone(), reference.clone()))) {
            None => inputs.push(input),
            Some((used, name, reference)) => {
                let first = inputs.len();
                let ty = if body.is_known(&name) { *reference.elem } else { syn::parse_quote!(impl ::core::marker::Sized) };
                let mutability = reference.mutability.is_some().then(|| quote_spanned!(Span::mixed_site()=> mut));
                let ty = quote_spanned!(Span::mixed_site()=> &'a #mutability #ty);
                let fields = used.iter().map(|used| used.expand_field(&name)).collect();
                for param in used.iter().map(Used::expand_param) {
                    param.map_or_else(|error| errors.push_syn(error), |param| inputs.push(param));
                }
                structures.push(Structure { name, ty, made: None, first, fields });
            }
        }
    }
    function.sig.inputs = inputs;
    structures
}

/// `b_x`, or another name that is not in the kernel.
fn param_name(structure: &Ident, field: &Ident, words: &[String]) -> Ident {
    let mut name = format!("{}_{}", word(structure), word(field));
    while words.contains(&name) {
        name.push('_');
    }
    format_ident!("{name}", span = field.span().resolved_at(structure.span()))
}

/// The tokens of a type of the struct, as if the kernel had them: so they are resolved where it stands.
fn resolved_at(tokens: TokenStream, span: Span) -> TokenStream {
    let resolve = |mut token: proc_macro2::TokenTree| {
        match &mut token {
            proc_macro2::TokenTree::Group(group) => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), resolved_at(group.stream(), span));
                inner.set_span(group.span());
                *group = inner;
            }
            proc_macro2::TokenTree::Ident(name) if name == "$crate" => {}
            other => other.set_span(other.span().resolved_at(span)),
        }
        token
    };
    tokens.into_iter().map(resolve).collect()
}

#[cfg(test)]
mod tests;
