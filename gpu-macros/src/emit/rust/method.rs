//! A function of a type or trait: callable on the host, and from kernels through two hidden functions next to it.
//!
//! The twin computes the same as the function. The other has the same parameters as the function, and returns a value that identifies the
//! CUDA C (see [`associated`](super::associated)).

use super::associated::with_traits_of_std;
use super::attributes;
use super::body::Body;
use super::called::with_called_names;
use super::device::{expand_host_argument, expand_host_mention, expand_param, is_array, lifetime};
use super::generics::{expand_bounded_params, expand_instance_arguments, expand_instance_params, known_params};
use super::sites::expand_sites;
use super::source_unit::{expand_constants, expand_units};
use super::tokens::{expand_outcome, output_type};
use crate::emit::Source;
use crate::model::*;
use crate::syntax::replace_self;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::ext::IdentExt;

/// The twin of the function `name`. rustc names it where a kernel calls a function that lacks the attribute.
pub(super) fn twin_name(name: &Ident) -> Ident {
    format_ident!("gpu_device_{}", name.unraw(), span = name.span())
}

/// The hidden function next to it, which returns its CUDA C.
pub(crate) fn code_name(name: &Ident) -> Ident {
    format_ident!("gpu_code_{}", name.unraw(), span = name.span())
}

/// The constant that distinguishes a trait with `#[gpu_device]` from others: what messages call the type that implements it.
pub(crate) fn mark_name(span: Span) -> Ident {
    Ident::new("write_gpu_device_above_this_impl", span)
}

/// The place of a function: an `impl` or a trait.
pub(crate) enum Home<'h> {
    /// In an `impl` of a type.
    Type,
    /// In an `impl` of this trait.
    Impl(&'h syn::Path),
    /// In the declaration of this trait.
    Trait(&'h syn::Path),
    /// In an `impl` of a trait of std, which has no hidden functions: they are elsewhere, with this visibility.
    Std(&'h syn::Visibility),
}

/// The functions that replace the user's.
#[derive(Default)]
pub(crate) struct ExpandedMethod {
    /// The user's, for the host.
    pub(crate) own: TokenStream,
    /// Those for kernels.
    pub(crate) hidden: TokenStream,
}

/// The functions that replace the user's: `signature` with its body.
pub(crate) fn expand_method(function: &Function, signature: &syn::Signature, home: &Home<'_>, source: &Source) -> ExpandedMethod {
    let Signature { name, vis, .. } = &function.signature;
    let runtime = &function.runtime;
    let (own, repeated, generated) = (attributes::own(function), attributes::repeated(function), attributes::generated());
    let twin = twin_name(name);
    let owner = match home {
        Home::Type | Home::Std(_) => quote_spanned!(Span::mixed_site()=> Self),
        Home::Impl(path) => quote_spanned!(Span::mixed_site()=> <Self as #path>),
        Home::Trait(path) => quote_spanned!(Span::mixed_site()=> <Self as #path>),
    };
    let this = signature.receiver().map(|receiver| receiver.self_token.to_token_stream());
    let twin_signature = expand_twin_signature(function, signature, true);
    let body = Body::new(function).with_numbers(&source.numbers).expand_device_body();
    let (sites, body) = (expand_sites(function), with_called_names(function, body));
    let code_signature = expand_code_signature(function, signature);
    let code = with_called_names(function, expand_code(function, home, source));
    let others = others(function).map(|index| expand_host_argument(function, &function.params[index]));
    let arguments = this.into_iter().chain(others);
    let call = quote_spanned!(Span::mixed_site()=> #owner::#twin(#(#arguments,)* __thread));
    let call = if matches!(home, Home::Std(_)) { with_traits_of_std(runtime, name, call) } else { call };
    let host = match &function.const_body {
        Some(body) => body.clone(),
        None => quote_spanned!(Span::mixed_site()=> { #runtime::__private::on_host(|__thread| #call) }),
    };
    let own = quote_spanned! {Span::mixed_site()=>
        #own
        // A `mut self` is the twin's.
        #[allow(unused_mut, clippy::used_underscore_binding)]
        #vis #signature #host
    };
    // A function that kernels use is not dead code, even if nothing calls it on the host. One of a trait of std is not in any case.
    let (vis, mention) = match home {
        Home::Std(vis) => (*vis, None),
        Home::Type | Home::Impl(_) | Home::Trait(_) => {
            let mention = expand_host_mention(function, quote_spanned!(Span::mixed_site()=> #owner::#name));
            (vis, Some(quote_spanned!(Span::mixed_site()=> let _ = #mention;)))
        }
    };
    let hidden = quote_spanned! {Span::mixed_site()=>
        #repeated
        #generated
        #[allow(dead_code)]
        #[inline]
        #vis #twin_signature {
            #mention
            #sites
            #body
        }

        #repeated
        #generated
        #[allow(dead_code)]
        #vis #code_signature {
            #code
        }
    };
    ExpandedMethod { own, hidden }
}

/// The same for a function that a trait declares without a body. What is hidden has one, so that rustc does not list it as missing in an
/// `impl` without the attribute, which lacks the mark.
pub(crate) fn expand_required(function: &Function, signature: &syn::Signature) -> TokenStream {
    let (runtime, output) = (&function.runtime, output_type(function));
    let (own, repeated, generated) = (attributes::own(function), attributes::repeated(function), attributes::generated());
    let (twin, code) = (expand_twin_signature(function, signature, false), expand_code_signature(function, signature));
    quote_spanned! {Span::mixed_site()=>
        #own
        #signature;

        #repeated
        #generated
        #[allow(unused)]
        #twin {
            ::core::unreachable!()
        }

        #repeated
        #generated
        #[allow(unused)]
        #code {
            unsafe { #runtime::calls::Found::<#runtime::calls::Refused, #output>::new() }
        }
    }
}

/// The two hidden functions of one that was refused, or that stands beside one. The program does not compile, so neither runs.
pub(crate) fn expand_method_stub(function: &Function, signature: &syn::Signature) -> TokenStream {
    let Signature { vis, runtime, .. } = &function.signature;
    let (twin, code) = (expand_twin_signature(function, signature, true), expand_code_signature(function, signature));
    let output = output_type(function);
    quote_spanned! {Span::mixed_site()=>
        #[allow(unused)]
        #vis #twin {
            ::core::unreachable!()
        }

        #[allow(unused)]
        #vis #code {
            unsafe { #runtime::calls::Found::<#runtime::calls::Refused, #output>::new() }
        }
    }
}

/// The parameters other than `self`.
fn others(function: &Function) -> std::ops::Range<usize> {
    usize::from(function.has_receiver)..function.params.len()
}

/// `fn gpu_device_area(&self, by: f32, __thread: &Thread) -> Result<f32, Stop>`
fn expand_twin_signature(function: &Function, signature: &syn::Signature, has_body: bool) -> TokenStream {
    let (twin, runtime) = (twin_name(&function.name), &function.runtime);
    let receiver = signature.receiver().map(|receiver| match has_body {
        true => receiver.to_token_stream(),
        false => without_mut(receiver),
    });
    let receiver = receiver.map(|receiver| quote_spanned!(Span::mixed_site()=> #receiver,));
    let lifetimes: Vec<_> = others(function).filter(|&index| is_array(function, index)).map(lifetime).collect();
    let params = others(function).map(|index| expand_param(function, index));
    let outcome = expand_outcome(function, &output_type(function));
    quote_spanned! {Span::mixed_site()=>
        fn #twin<#(#lifetimes),*>(#receiver #(#params,)* __thread: &#runtime::__private::Thread<'_>) -> #outcome
    }
}

/// `fn gpu_code_area(&self, _: f32) -> impl AssociatedFunction<Output = f32>`
fn expand_code_signature(function: &Function, signature: &syn::Signature) -> TokenStream {
    let (code, runtime) = (code_name(&function.name), &function.runtime);
    let receiver = signature.receiver().map(|receiver| {
        let receiver = without_mut(receiver);
        quote_spanned!(Span::mixed_site()=> #receiver,)
    });
    let types = others(function).map(|index| match &function.params[index] {
        // Whatever function it is, C++ makes the instance for it.
        Param { local, .. } if matches!(function.local(*local).ty, Type::Function(_)) => quote_spanned!(Span::mixed_site()=> ()),
        param => param.written.to_token_stream(),
    });
    let output = output_type(function);
    quote_spanned! {Span::mixed_site()=>
        fn #code(#receiver #(_: #types),*) -> impl #runtime::calls::AssociatedFunction<Output = #output>
    }
}

/// `self` for `mut self`.
fn without_mut(receiver: &syn::Receiver) -> TokenStream {
    let mut receiver = receiver.clone();
    if matches!(receiver.kind, syn::ReceiverKind::Value) {
        receiver.mutability = None;
    }
    receiver.into_token_stream()
}

/// The function that returns the CUDA C. In a trait, it depends on the implementing type.
pub(super) fn expand_code(function: &Function, home: &Home<'_>, source: &Source) -> TokenStream {
    let runtime = &function.runtime;
    let (constants, sites) = (expand_constants(function), expand_sites(function));
    let output = output_type(function);
    let unit = expand_units(function, source, &quote_spanned!(Span::mixed_site()=> #constants #sites));
    match home {
        Home::Type | Home::Impl(_) | Home::Std(_) => {
            // What is declared in a function sees none of the parameters of the `impl`, and each instance has CUDA C of its own.
            let (params, bounded) = (expand_instance_params(function), expand_bounded_params(function));
            let (types, arguments) = (known_params(function).iter().map(|param| &param.name), expand_instance_arguments(function));
            quote_spanned! {Span::mixed_site()=>
                struct __Marker<#(#params),*>(::core::marker::PhantomData<(#(#types,)*)>);
                unsafe impl<#(#bounded),*> #runtime::calls::DeviceInstance for __Marker<#(#arguments),*> {
                    #unit
                }
                unsafe { #runtime::calls::Found::<__Marker<#(#arguments),*>, #output>::new() }
            }
        }
        Home::Trait(path) => {
            let this = Ident::new("__Self", Span::mixed_site());
            let unit = replace_self(unit, &this.to_token_stream());
            let bounded = expand_bounded_params(function);
            let types: Vec<_> = known_params(function).iter().map(|param| &param.name).collect();
            quote_spanned! {Span::mixed_site()=>
                struct __Marker<#this #(, #types)*>(::core::marker::PhantomData<(#this, #(#types,)*)>);
                unsafe impl<#this: #path #(, #bounded)*> #runtime::calls::DeviceInstance for __Marker<#this #(, #types)*> {
                    #unit
                }
                unsafe { #runtime::calls::Found::<__Marker<Self #(, #types)*>, #output>::new() }
            }
        }
    }
}
