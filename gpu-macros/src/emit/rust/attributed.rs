//! Code that depends on whether a trait has `#[gpu_device]`.
//!
//! An attribute sees the name of a trait, not the trait, and without the hidden items of the trait most of the code would be wrong. So the
//! attribute on a trait gives its name a second meaning, as a macro, which is imported with the trait. Code that uses hidden items is an
//! argument of that macro, beside what stands in for it; a substitute of the same name chooses the latter:
//!
//! ```text
//! use ::gpu_runtime::calls::missing::without_attribute as Shape_as_named_here;
//! const _: () = {
//!     use Shape as Shape_as_named_here;             // hides the substitute if `Shape` has the attribute
//!     const _: () = {
//!         Shape_as_named_here! { { … } { … compile_error!("…") } }
//!     };
//! };
//! ```
//!
//! The call stands one block further inside: as long as a block contains a macro that is not expanded, an import in it may change, and a
//! macro that waits for it would be nothing.

use super::tokens::glue;
use crate::idents::text_of;
use crate::model::{Function, RuntimePath, TraitBound};
use crate::syntax::without_arguments;
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// Names of macros of std, which derive traits of these names.
const DERIVED: [&str; 9] = ["Clone", "Copy", "Debug", "Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"];

/// What the attribute declares next to the trait `name`.
pub(crate) fn expand_meaning_as_macro(vis: &syn::Visibility, name: &syn::Ident, runtime: &RuntimePath) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        #[doc(hidden)]
        #[allow(unused_imports)]
        #vis use #runtime::calls::with_attribute as #name;
    }
}

/// `complete` if all of the `traits` have the attribute, else `fallback` and a message at each that has not.
pub(crate) fn expand_if_attributed<'p>(
    runtime: &RuntimePath,
    attrs: &TokenStream,
    traits: impl Iterator<Item = &'p syn::Path>,
    complete: TokenStream,
    fallback: &TokenStream,
) -> TokenStream {
    let is_derived = |path: &&syn::Path| path.segments.last().is_some_and(|last| DERIVED.iter().any(|name| last.ident == name));
    traits.filter(|path| !is_derived(path)).fold(complete, |complete, path| {
        let Some(last) = path.segments.last() else { return complete };
        let name = format_ident!("{}_as_named_here", last.ident.unraw(), span = glue(last.ident.span()));
        let message = format!("the trait `{}` has no `#[gpu_device]`\nhelp: write the attribute above the trait", last.ident.unraw());
        let error = syn::Error::new(path.span(), message).into_compile_error();
        let path = without_arguments(path);
        quote_spanned! {Span::mixed_site()=>
            #attrs
            const _: () = {
                #[allow(unused_imports)]
                use #runtime::calls::missing::without_attribute as #name;
                const _: () = {
                    #[allow(unused_imports)]
                    use #path as #name;
                    const _: () = {
                        #name! { { #complete } { #fallback #error } }
                    };
                };
            };
        }
    })
}

/// The traits that the function's type parameters have, each where it is named first.
pub(super) fn bounds(function: &Function) -> Vec<&syn::Path> {
    let mut found: Vec<(String, &syn::Path)> = Vec::new();
    for TraitBound { path } in function.type_params.iter().flat_map(|param| &param.traits) {
        let text = text_of(path);
        if found.iter().all(|(other, _)| *other != text) {
            found.push((text, path));
        }
    }
    found.into_iter().map(|(_, path)| path).collect()
}
