//! A device function: callable on the host, and from kernels through the module of the same name.

use super::attributes;
use super::body::Body;
use super::source_unit::expand_source;
use super::tokens::{UserFn, expand_outcome, output_type, slice_element, text, user_fn};
use crate::emit::Source;
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// The function as the user declared it, for calls from ordinary Rust.
pub(super) fn expand_host_function(function: &Function) -> TokenStream {
    let Function { vis, name, runtime, .. } = function;
    let attrs = attributes::own(function);
    let output = function.output_tokens.as_ref().map(|ty| quote_spanned!(Span::mixed_site()=> -> #ty));
    let names: Vec<_> = function.params.iter().map(|param| &function.local(param.local).name).collect();
    let types = function.params.iter().map(|param| &param.tokens);
    let call = quote_spanned!(Span::mixed_site()=> #runtime::__private::on_host(|__thread| #name::gpu_device::call(__thread, #(#names),*)));
    let UserFn { fn_token, body } = user_fn(function, call);
    quote_spanned! {Span::mixed_site()=>
        #attrs
        #[allow(clippy::used_underscore_binding)]
        #vis #fn_token #name(#(#names: #types),*) #output #body
    }
}

/// The module that a call `path::name(…)` in a kernel refers to.
pub(super) fn expand_module(function: &Function) -> TokenStream {
    let Function { vis, name, .. } = function;
    let attrs = attributes::repeated(function);
    // Named like the attribute: rustc names it where a kernel calls something that lacks the attribute.
    let doc = format!("The device function `{}` as kernels see it.", text(name));
    quote_spanned! {Span::mixed_site()=>
        #attrs
        // Only calls from kernels use it.
        #[allow(dead_code, non_camel_case_types)]
        #[doc(hidden)]
        #vis mod #name {
            #[doc = #doc]
            pub struct gpu_device;
        }
    }
}

pub(super) fn expand_definition(function: &Function, source: &Source) -> TokenStream {
    let Function { name, runtime, .. } = function;
    let attrs = attributes::repeated(function);
    let generated = attributes::generated();
    let signature = expand_call_signature(function);
    let body = Body::new(function).expand_device_body();
    let source = expand_source(function, source);
    quote_spanned! {Span::mixed_site()=>
        #attrs
        #generated
        const _: () = {
            impl #name::gpu_device {
                #[inline]
                #signature {
                    Self::__host();
                    #body
                }

                // A function that kernels use is not dead code, even if nobody calls it on the host.
                #[inline(always)]
                fn __host() {
                    let _ = #name;
                }
            }
            unsafe impl #runtime::__private::DeviceFunction for #name::gpu_device {
                #source
            }
        };
    }
}

/// The header of the twin, which kernels and the host function call.
pub(super) fn expand_call_signature(function: &Function) -> TokenStream {
    let runtime = &function.runtime;
    let lifetimes = (0..function.params.len()).filter(|&index| is_slice(function, index)).map(lifetime);
    let params = (0..function.params.len()).map(|index| expand_param(function, index));
    let outcome = expand_outcome(function, &output_type(function));
    quote_spanned! {Span::mixed_site()=>
        pub fn call<#(#lifetimes),*>(__thread: &#runtime::__private::Thread<'_>, #(#params),*) -> #outcome
    }
}

fn is_slice(function: &Function, index: usize) -> bool {
    matches!(function.local(function.params[index].local).ty, Type::Slice { .. })
}

/// Each slice has a lifetime of its own.
fn lifetime(index: usize) -> syn::Lifetime {
    syn::Lifetime::new(&format!("'a{index}"), Span::mixed_site())
}

/// A slice parameter takes whatever twins have for a slice.
fn expand_param(function: &Function, index: usize) -> TokenStream {
    let Param { local, tokens } = &function.params[index];
    let Local { name, ty, .. } = function.local(*local);
    let (runtime, lifetime) = (&function.runtime, lifetime(index));
    match (ty, slice_element(tokens)) {
        (Type::Slice { mutable: false, .. }, Some(element)) => {
            quote_spanned!(Span::mixed_site()=> #name: impl #runtime::__private::IntoSlice<#lifetime, #element>)
        }
        (Type::Slice { mutable: true, .. }, Some(element)) => {
            quote_spanned!(Span::mixed_site()=> #name: impl #runtime::__private::IntoSliceMut<#lifetime, #element>)
        }
        // Its type was refused.
        (Type::Opaque, _) => quote_spanned!(Span::mixed_site()=> #name: impl ::core::marker::Sized),
        _ => quote_spanned!(Span::mixed_site()=> #name: #tokens),
    }
}
