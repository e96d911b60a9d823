//! A function of an `impl` block: callable on the host, and from kernels through two hidden functions beside it.

use super::attributes;
use super::body::Body;
use super::device::{expand_param, is_array, lifetime};
use super::generics::is_generic;
use super::source_unit::{expand_constants, expand_unit};
use super::tokens::{expand_outcome, output_type};
use crate::emit::Source;
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::ext::IdentExt;

/// The twin of the function `name`. rustc names it where a kernel calls a function that lacks the attribute.
pub(super) fn twin_name(name: &Ident) -> Ident {
    format_ident!("gpu_device_{}", name.unraw(), span = name.span())
}

/// The function beside it that gives its CUDA C.
pub(super) fn code_name(name: &Ident) -> Ident {
    format_ident!("gpu_code_{}", name.unraw(), span = name.span())
}

/// The functions that replace the user's `item`.
pub(crate) fn expand_method(function: &Function, item: &syn::ImplItemFn, source: &Source) -> TokenStream {
    let Function { name, vis, runtime, .. } = function;
    let (own, repeated, generated) = (attributes::own(function), attributes::repeated(function), attributes::generated());
    let signature = &item.sig;
    let (twin, code) = (twin_name(name), code_name(name));
    let receiver = item.sig.receiver().map(|receiver| quote_spanned!(Span::mixed_site()=> #receiver,));
    let others = usize::from(function.receiver.is_some())..function.params.len();
    let names = others.clone().map(|index| &function.local(function.params[index].local).name);
    let call = match function.receiver {
        Some(_) => {
            let this = item.sig.receiver().map(|receiver| receiver.self_token.to_token_stream());
            quote_spanned!(Span::mixed_site()=> #this.#twin(__thread, #(#names),*))
        }
        None => quote_spanned!(Span::mixed_site()=> Self::#twin(__thread, #(#names),*)),
    };
    let lifetimes: Vec<_> = others.clone().filter(|&index| is_array(function, index)).map(lifetime).collect();
    let params = others.map(|index| expand_param(function, index));
    let outcome = expand_outcome(function, &output_type(function));
    let body = Body::new(function).expand_device_body();
    let (constants, unit) = (expand_constants(function), expand_unit(function, source));
    let callee = if is_generic(function) {
        // A `static` cannot depend on parameters, and the function is another for each instance of the struct.
        quote_spanned! {Span::mixed_site()=>
            #runtime::calls::Callee { id: ::core::any::TypeId::of::<(Self, Marker)>(), unit: const { &#unit } }
        }
    } else {
        quote_spanned! {Span::mixed_site()=>
            static UNIT: #runtime::__private::SourceUnit = #unit;
            #runtime::calls::Callee { id: ::core::any::TypeId::of::<Marker>(), unit: &UNIT }
        }
    };
    quote_spanned! {Span::mixed_site()=>
        #own
        // A `mut self` is the twin's.
        #[allow(unused_mut, clippy::used_underscore_binding)]
        #vis #signature {
            #runtime::__private::on_host(|__thread| #call)
        }

        #repeated
        #generated
        #[allow(dead_code)]
        #[doc(hidden)]
        #[inline]
        #vis fn #twin<#(#lifetimes),*>(#receiver __thread: &#runtime::__private::Thread<'_>, #(#params),*) -> #outcome {
            // A function that kernels use is not dead code, even if nobody calls it on the host.
            let _ = Self::#name;
            #body
        }

        #repeated
        #generated
        #[allow(dead_code)]
        #[doc(hidden)]
        #vis fn #code() -> #runtime::calls::Callee {
            #constants
            struct Marker;
            #callee
        }
    }
}
