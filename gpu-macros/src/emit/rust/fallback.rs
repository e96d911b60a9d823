//! The replacement for a refused function: all items that other code refers to, so that one mistake gives one message.
//!
//! The user's own function stays in it, where nothing can call it: for editors, for what else rustc has to say about it, and so that
//! what only it uses is not reported as unused. Only a function that is no valid Rust is left out: rustc would report the same mistake
//! once more.

use super::kernel::Known;
use super::tokens::expand_outcome;
use super::{array, device, generalized, kernel, launcher};
use crate::emit::{Cooperation, Source};
use crate::idents::idents_of;
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

/// Like [`expand_function`](super::expand_function) without a twin and CUDA C. The program does not compile, so none of it runs. The
/// user's function stands first, where editors find it.
pub(crate) fn expand_fallback(function: &Function, original: Option<&syn::ItemFn>) -> TokenStream {
    let is_kernel = matches!(function.kind, FunctionKind::Kernel(_));
    let original = match original {
        // Next to a function of a type, there is no place for it.
        _ if function.is_in_impl => None,
        // There, a tile is moved where it is used; in a kernel it is copied.
        Some(item) if stores_tiles(item) => None,
        Some(item) => Some(expand_original(function, item)),
        None => (!is_kernel).then(|| device::expand_host_function(function)),
    };
    let surroundings = expand_surroundings(function, &RaceFreedom::UNKNOWN);
    quote!(#original #surroundings)
}

/// Whether the function has tiles, as far as its text shows.
fn stores_tiles(item: &syn::ItemFn) -> bool {
    idents_of(item.block.to_token_stream()).into_iter().any(|name| name == "tile_mut")
}

/// The user's function: that of a kernel where nothing can call it.
pub(crate) fn expand_original(function: &Function, item: &syn::ItemFn) -> TokenStream {
    let item = with_mutable_views(function, item);
    match &function.kind {
        FunctionKind::Kernel(_) => quote_spanned! {Span::mixed_site()=>
            #[allow(elided_lifetimes_in_paths)]
            #[allow(unused, unreachable_pub, arithmetic_overflow, unconditional_panic)]
            const _: () = {
                #item
            };
        },
        FunctionKind::Device | FunctionKind::Array(_) | FunctionKind::Generalized(_) => {
            quote!(#[allow(elided_lifetimes_in_paths)] #[allow(unused)] #item)
        }
    }
}

/// What other code refers to, besides the function itself; of a kernel, also its launcher.
pub(crate) fn expand_surroundings(function: &Function, proof: &RaceFreedom) -> TokenStream {
    match &function.kind {
        FunctionKind::Kernel(options) => {
            let module = launcher::expand_module(function, proof, &[]);
            let known = (proof, &UniformParameters::NONE);
            let definition = kernel::expand_impl(function, options, known, Known::nothing(function), None, expand_kernel_stubs(function));
            launcher::expand_launcher(function, proof, &[], quote!(#module #definition))
        }
        FunctionKind::Device => {
            let (module, definition) = (device::expand_module(function), expand_device_stub(function));
            quote!(#module #definition)
        }
        FunctionKind::Array(options) => {
            let (module, definition) = (array::expand_module(function, options), expand_device_stub(function));
            let array_definition = function.is_mappable().then(|| array::expand_definition(function, options));
            quote!(#module #array_definition #definition)
        }
        FunctionKind::Generalized(options) => {
            let (module_and_mapping, definition) = (generalized::expand_stub(function, options), expand_device_stub(function));
            quote!(#module_and_mapping #definition)
        }
    }
}

/// The function with its `ViewMut` parameters declared `mut`: in a kernel they are handles that need it not, like a `&mut [T]`.
fn with_mutable_views(function: &Function, original: &syn::ItemFn) -> syn::ItemFn {
    let mut item = original.clone();
    for (input, param) in item.sig.inputs.iter_mut().zip(&function.params) {
        if let (syn::FnArg::Typed(typed), Type::View { mutable: true, .. }) = (input, &function.local(param.local).ty)
            && let syn::Pat::Ident(pattern) = &mut *typed.pat
        {
            pattern.mutability.get_or_insert(syn::Token![mut](Span::mixed_site()));
        }
    }
    item
}

/// The implementation of a kernel without a twin.
pub(super) fn expand_kernel_definition(function: &Function) -> TokenStream {
    let FunctionKind::Kernel(options) = &function.kind else { unreachable!("only a kernel has this definition") };
    let known = (&RaceFreedom::UNKNOWN, &UniformParameters::NONE);
    kernel::expand_impl(function, options, known, Known::nothing(function), None, expand_kernel_stubs(function))
}

fn expand_kernel_stubs(function: &Function) -> TokenStream {
    let runtime = &function.runtime;
    let outcome = expand_outcome(function, &quote_spanned!(Span::mixed_site()=> ()));
    quote_spanned! {Span::mixed_site()=>
        fn run_blocks(_: &Self::Args<'_>, _: #runtime::__private::Blocks<'_>) -> #outcome {
            ::core::unreachable!()
        }
    }
}

pub(super) fn expand_device_stub(function: &Function) -> TokenStream {
    let nothing = Source {
        name: String::new(),
        prototype: Vec::new(),
        body: Vec::new(),
        snippets: Vec::new(),
        several_elements: false,
        cooperation: Cooperation::default(),
        uniformity: UniformParameters::NONE,
        numbers: Vec::new(),
        racing: None,
    };
    let lints = quote_spanned!(Span::mixed_site()=> #[allow(unused)]);
    device::expand_impls(function, &nothing, lints, quote_spanned!(Span::mixed_site()=> ::core::unreachable!()), TokenStream::new())
}
