//! Fragments that every part of the expansion needs.

use super::attributes;
use crate::model::*;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;

/// The span of generated tokens that stand for the user's code at `span`: located there, resolved as ours.
pub(super) fn glue(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// `(tokens)` or `{ tokens }`. It moves them: `quote!` copies what it interpolates, and for each copy, a macro asks the compiler several times.
pub(super) fn in_delimiters(delimiter: Delimiter, tokens: TokenStream, span: Span) -> TokenStream {
    let mut group = Group::new(delimiter, tokens);
    group.set_span(span);
    group.into_token_stream()
}

/// A name as text, without `r#`.
pub(super) fn text(name: &Ident) -> String {
    name.unraw().to_string()
}

/// Our own variable for the parameter with this index, where the user's name for it must not appear.
pub(super) fn argument(index: usize) -> Ident {
    Ident::new(&format!("__argument{index}"), Span::mixed_site())
}

/// A type that is known down to its scalars. `None` for anything else: rustc finds those.
pub(super) fn expand_type(ty: &Type, span: Span) -> Option<TokenStream> {
    match ty {
        Type::Scalar(scalar) => Some(expand_scalar(*scalar, span)),
        Type::Parameter(TypeParam { name, .. }) => {
            let mut name = name.clone();
            name.set_span(glue(span));
            Some(name.into_token_stream())
        }
        Type::Named(named) => Some(named.path.to_token_stream()),
        Type::Tuple(elements) if !elements.is_empty() => {
            let elements = elements.iter().map(|element| expand_type(element, span)).collect::<Option<Vec<_>>>()?;
            Some(quote_spanned!(glue(span)=> (#(#elements,)*)))
        }
        Type::Std(owner, arguments) => {
            let arguments = arguments.iter().map(|argument| match argument {
                Type::Unit => Some(quote_spanned!(glue(span)=> ())),
                argument => expand_type(argument, span),
            });
            let (owner, arguments) = (expand_std_enum(*owner, span), arguments.collect::<Option<Vec<_>>>()?);
            Some(quote_spanned!(glue(span)=> #owner<#(#arguments),*>))
        }
        Type::Array(element, length) => {
            let (element, length) = (expand_type(element, span)?, length.tokens());
            Some(quote_spanned!(glue(span)=> [#element; #length]))
        }
        Type::Unit
        | Type::Never
        | Type::Tuple(_)
        | Type::Slice { .. }
        | Type::View { .. }
        | Type::Shared(_)
        | Type::Atomic(_)
        | Type::Tile(_)
        | Type::Function(_)
        | Type::Dim3
        | Type::Table(_)
        | Type::Part(..)
        | Type::Returned(_)
        | Type::Operation(_)
        | Type::Constant(_)
        | Type::Called(_)
        | Type::Opaque
        | Type::Refused
        | Type::Variable(_) => None,
    }
}

/// `Option` or `Result`, in a spelling that no item of the user's can capture.
pub(super) fn expand_std_enum(owner: StdEnum, span: Span) -> TokenStream {
    match owner {
        StdEnum::Option => quote_spanned!(glue(span)=> ::core::option::Option),
        StdEnum::Result => quote_spanned!(glue(span)=> ::core::result::Result),
    }
}

/// A variant of `Option` or `Result`. One of either is that of the `Result` that they become.
pub(super) fn expand_std_variant(variant: StdVariant, span: Span) -> TokenStream {
    let owner = expand_std_enum(variant.owner().unwrap_or(StdEnum::Result), span);
    let name = Ident::new(variant.name(), glue(span));
    quote_spanned!(glue(span)=> #owner::#name)
}

/// A scalar type, in a spelling that no item of the user's can capture.
pub(super) fn expand_scalar(scalar: Scalar, span: Span) -> TokenStream {
    let name = Ident::new(scalar.name(), glue(span));
    quote_spanned!(glue(span)=> ::core::primitive::#name)
}

/// An atomic type, in a spelling that no item of the user's can capture.
pub(super) fn expand_atomic(runtime: &RuntimePath, value: AtomicValue, span: Span) -> TokenStream {
    let name = Ident::new(value.atomic_name(), glue(span));
    match value.is_float() {
        true => quote_spanned!(glue(span)=> #runtime::atomic::#name),
        false => quote_spanned!(glue(span)=> ::core::sync::atomic::#name),
    }
}

/// The elided lifetime, in a place of the user's.
pub(super) fn elided(span: Span) -> syn::Lifetime {
    syn::Lifetime::new("'_", glue(span))
}

/// `Result<value, Stop>`.
pub(super) fn expand_outcome(function: &Function, value: &TokenStream) -> TokenStream {
    let runtime = &function.runtime;
    quote_spanned!(Span::mixed_site()=> ::core::result::Result<#value, #runtime::__private::Stop>)
}

/// The value of a call that may stop the thread. It means `call?`, but but of that operator rustc would speak where the value has another type. In parentheses, it can be
/// the left operand of an operator at the start of a statement.
pub(super) fn expand_or_stop(call: &TokenStream, span: Span) -> TokenStream {
    let span = glue(span);
    quote_spanned! {span=>
        (match #call {
            ::core::result::Result::Ok(__value) => __value,
            ::core::result::Result::Err(__stop) => return ::core::result::Result::Err(__stop),
        })
    }
}

/// The declared return type: `()` for kernels.
pub(super) fn output_type(function: &Function) -> TokenStream {
    match &function.output_tokens {
        Some(ty) => ty.to_token_stream(),
        None => quote_spanned!(Span::mixed_site()=> ()),
    }
}

/// What it returns: a value of that type, or a reference to one.
pub(super) fn returned_type(function: &Function) -> TokenStream {
    let ty = output_type(function);
    match function.returns {
        Holds::Value => ty,
        Holds::Shared => quote_spanned!(Span::mixed_site()=> &#ty),
        Holds::Mutable => quote_spanned!(Span::mixed_site()=> &mut #ty),
    }
}

/// The ends of the function that carries the user's name.
pub(super) struct UserFn {
    pub(super) fn_token: syn::Token![fn],
    pub(super) body: Group,
}

/// Makes that function count as the user's: lints on items, such as those for dead code and missing documentation, look at
/// where an item begins and ends.
pub(super) fn user_fn(function: &Function, body: TokenStream) -> UserFn {
    let span = function.name.span();
    let mut body = Group::new(Delimiter::Brace, body);
    body.set_span(span);
    UserFn { fn_token: syn::Token![fn](span), body }
}

/// The module of the function's name, with these `items`. In a module of the same name it is private, and the outer module has its items:
/// `use scale::scale;` next to `mod scale;` then imports the function alone, and `scale::gpu_device` leads to the same.
pub(super) fn expand_module_of(function: &Function, items: &TokenStream) -> TokenStream {
    let Signature { vis, name, .. } = &function.signature;
    if !function.is_in_module_of_its_name || matches!(vis, syn::Visibility::Inherited) {
        return quote_spanned!(Span::mixed_site()=> #vis mod #name { #items });
    }
    // Levels of lints are useless there, as Clippy would say.
    let conditions = attributes::conditions(function);
    quote_spanned! {Span::mixed_site()=>
        mod #name { #items }

        #conditions
        #[doc(hidden)]
        #[allow(unused_imports)]
        #vis use self::#name::*;
    }
}

/// The visibility `vis` for an item one module deeper. Its interface may have types of that visibility.
pub(crate) fn visibility_from_inside(vis: &syn::Visibility) -> TokenStream {
    match vis {
        syn::Visibility::Inherited => quote_spanned!(Span::mixed_site()=> pub(super)),
        syn::Visibility::Restricted(restricted) => {
            let path = &restricted.path;
            match path.segments.first() {
                Some(first) if first.ident == "self" && path.segments.len() == 1 => quote_spanned!(Span::mixed_site()=> pub(super)),
                Some(first) if first.ident == "super" => quote_spanned!(Span::mixed_site()=> pub(in super::#path)),
                _ => vis.to_token_stream(),
            }
        }
        syn::Visibility::Public(_) => vis.to_token_stream(),
    }
}
