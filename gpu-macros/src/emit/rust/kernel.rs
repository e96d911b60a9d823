//! The implementation of `KernelDefinition`: what the runtime knows of a kernel, and its twin.

use super::attributes;
use super::body::Body;
use super::bounds::{expand_in_bounds, expand_race_free};
use super::generics::{expand_bounded_params, expand_instance_name, is_generic};
use super::launcher::{expand_kernel_type, known_type};
use super::source_unit::expand_source;
use super::tokens::{argument, expand_outcome, glue, slice_element, text};
use crate::emit::Source;
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

pub(super) fn expand_definition(function: &Function, options: &KernelOptions, proof: &RaceFreedom, source: &Source) -> TokenStream {
    let source = expand_source(function, source);
    let bind = expand_bind(function);
    let in_bounds = expand_in_bounds(function);
    let race_free = expand_race_free(function, proof);
    let run_blocks = expand_run_blocks(function);
    let functions = quote_spanned!(Span::mixed_site()=> #source #bind #in_bounds #race_free #run_blocks);
    expand_impl(function, options, proof, functions)
}

/// The implementation with these `functions`.
pub(super) fn expand_impl(function: &Function, options: &KernelOptions, proof: &RaceFreedom, functions: TokenStream) -> TokenStream {
    let runtime = &function.runtime;
    let attrs = attributes::repeated(function);
    let generated = attributes::generated();
    let args = function.params.iter().map(|param| expand_argument_type(function, param));
    let meta = expand_meta(function, options, proof);
    // What depends on a parameter is checked for each instance, with its metadata.
    let block_check = options.block.as_deref().filter(|_| !is_generic(function)).map(|extents| {
        let check = expand_block_check(extents);
        quote_spanned!(Span::mixed_site()=> const _: () = #check;)
    });
    let kernel = expand_kernel_type(function);
    let bounded = is_generic(function).then(|| {
        let bounded = expand_bounded_params(function);
        quote_spanned!(Span::mixed_site()=> <#(#bounded),*>)
    });
    quote_spanned! {Span::mixed_site()=>
        #attrs
        #generated
        const _: () = {
            #block_check
            unsafe impl #bounded #runtime::__private::KernelDefinition for #kernel {
                type Args<'a> = (#(#args,)*);
                #meta
                #functions
            }
        };
    }
}

/// Refuses a declared block that no device runs, before any of its extents is cut off to 32 bits.
fn expand_block_check(extents: &[Length]) -> TokenStream {
    let extents: Vec<_> = extents.iter().map(Length::tokens).collect();
    let at = extents.first().map_or_else(Span::mixed_site, |extent| glue(extent.span()));
    quote_spanned! {at=>
        ::core::assert!(
            #(1 <= (#extents) as ::core::primitive::i128 && (#extents) as ::core::primitive::i128 <= 1024 &&)*
            #((#extents) as ::core::primitive::i128 *)* 1 <= 1024,
            "a block has 1 to 1024 threads"
        )
    }
}

fn expand_argument_type(function: &Function, param: &Param) -> TokenStream {
    let runtime = &function.runtime;
    match (known_type(function, param), slice_element(&param.tokens)) {
        (Type::Slice { mutable: false, .. }, Some(element)) => quote_spanned!(Span::mixed_site()=> #runtime::DeviceSlice<'a, #element>),
        (Type::Slice { mutable: true, .. }, Some(element)) => quote_spanned!(Span::mixed_site()=> #runtime::DeviceSliceMut<'a, #element>),
        (Type::Opaque, _) => quote_spanned!(Span::mixed_site()=> ()),
        _ => param.tokens.to_token_stream(),
    }
}

fn expand_meta(function: &Function, options: &KernelOptions, proof: &RaceFreedom) -> TokenStream {
    let runtime = &function.runtime;
    let name = text(&function.name);
    let name = if is_generic(function) { expand_instance_name(function, &name) } else { name.into_token_stream() };
    let params = function.params.iter().map(|param| text(&function.local(param.local).name));
    let block = match &options.block {
        Some(extents) => {
            let extents = (0..3).map(|axis| match extents.get(axis) {
                Some(extent) => {
                    let extent = extent.tokens();
                    quote_spanned!(Span::mixed_site()=> (#extent) as ::core::primitive::u32)
                }
                None => quote_spanned!(Span::mixed_site()=> 1),
            });
            let check = is_generic(function).then(|| expand_block_check(options.block.as_deref().unwrap_or_default()));
            quote_spanned!(Span::mixed_site()=> Some({ #check; [#(#extents),*] }))
        }
        None => quote_spanned!(Span::mixed_site()=> None),
    };
    let (grid_axes, block_axes) = match proof {
        RaceFreedom::Proved { grid_axes, block_axes, .. } => (*grid_axes, *block_axes),
        RaceFreedom::Unproved(_) => (0, 0),
    };
    let fmad = options.fmad;
    quote_spanned! {Span::mixed_site()=>
        const META: &'static #runtime::__private::KernelMeta = &#runtime::__private::KernelMeta {
            name: #name,
            params: &[#(#params),*],
            block: ::core::option::Option::#block,
            proved_for: #runtime::__private::ProvedFor { grid_axes: #grid_axes, block_axes: #block_axes },
            fmad: #fmad,
        };
    }
}

fn expand_bind(function: &Function) -> TokenStream {
    let runtime = &function.runtime;
    let arguments: Vec<_> = (0..function.params.len()).map(argument).collect();
    let calls = function.params.iter().zip(&arguments).map(|(param, argument)| match &function.local(param.local).ty {
        Type::Slice { mutable: false, .. } => quote_spanned!(Span::mixed_site()=> slice(#argument)),
        Type::Slice { mutable: true, .. } => quote_spanned!(Span::mixed_site()=> slice_mut(#argument)),
        _ => quote_spanned!(Span::mixed_site()=> scalar(*#argument)),
    });
    quote_spanned! {Span::mixed_site()=>
        fn bind(__args: &Self::Args<'_>, __binder: &mut #runtime::__private::ArgumentBinder<'_>) {
            let (#(#arguments,)*) = __args;
            #(__binder.#calls;)*
        }
    }
}

/// The twin: the body as a closure that the CPU backend calls for every thread.
fn expand_run_blocks(function: &Function) -> TokenStream {
    let runtime = &function.runtime;
    let outcome = expand_outcome(function, &quote_spanned!(Span::mixed_site()=> ()));
    let arguments: Vec<_> = (0..function.params.len()).map(argument).collect();
    let names: Vec<_> = function.params.iter().map(|param| &function.local(param.local).name).collect();
    let values = function.params.iter().zip(&arguments).map(|(param, argument)| match &function.local(param.local).ty {
        // SAFETY: the runtime calls `run_blocks` only for arrays in host memory, which the launch keeps borrowed.
        Type::Slice { mutable: false, .. } => quote_spanned!(Span::mixed_site()=> unsafe { #argument.as_host() }),
        Type::Slice { mutable: true, .. } => quote_spanned!(Span::mixed_site()=> unsafe { #argument.as_host_mut() }),
        _ => quote_spanned!(Span::mixed_site()=> *#argument),
    });
    let body = Body::new(function).expand_kernel_body();
    let run = if function.has_barrier() {
        // The closure gets the thread by value: each future owns its own.
        quote_spanned! {Span::mixed_site()=>
            __blocks.for_each_thread_async(|__thread| async move {
                let __thread = &__thread;
                #body
            })
        }
    } else {
        quote_spanned!(Span::mixed_site()=> __blocks.for_each_thread(|__thread| { #body }))
    };
    quote_spanned! {Span::mixed_site()=>
        fn run_blocks(__args: &Self::Args<'_>, __blocks: #runtime::__private::Blocks<'_>) -> #outcome {
            let (#(#arguments,)*) = __args;
            let (#(#names,)*) = (#(#values,)*);
            #run
        }
    }
}
