//! A device function: callable on the host, and from kernels through the module of the same name.

use super::array;
use super::attributes;
use super::body::Body;
use super::called::with_called_names;
use super::generics::{
    Lookup, expand_bounded_params, expand_call_params, expand_call_turbofish, expand_inputs, expand_instance_arguments,
    expand_instance_params, expand_lookup, expand_named_function, has_refused_params, known_params,
};
use super::parameter::Parameter;
use super::sites::expand_sites;
use super::source_unit::expand_constant_unit;
use super::tokens::{
    UserFn, argument, elided, expand_module_of, expand_outcome, expand_type, output_type, text, user_fn, visibility_from_inside,
};
use super::uniform::{expand_uniform_parameters, expand_uniform_result};
use crate::emit::Source;
use crate::idents::idents_of;
use crate::model::*;
use crate::source_scope::Surroundings;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// The function as the user declared it, for calls from ordinary Rust.
pub(super) fn expand_host_function(function: &Function) -> TokenStream {
    let Signature { vis, name, runtime, .. } = &function.signature;
    let (attrs, inline) = (attributes::own(function), attributes::inline(function));
    let output = function.output_tokens.as_ref().map(|ty| quote_spanned!(Span::mixed_site()=> -> #ty));
    let names: Vec<_> = function.params.iter().map(|param| &function.local(param.local).name).collect();
    let types = function.params.iter().map(|param| expand_host_type(function, param));
    let arguments = function.params.iter().map(|param| expand_host_argument(function, param));
    let instance = expand_call_turbofish(function);
    let call = if let Some(body) = &function.const_body {
        body.clone()
    } else if function.is_async {
        // Its callers wait for the other threads of a block, which only a kernel has.
        let text = text(name);
        quote_spanned!(Span::mixed_site()=> #(let _ = #names;)* #runtime::__private::outside_kernel(#text))
    } else {
        quote_spanned!(Span::mixed_site()=> #runtime::__private::on_host(|__thread| #name::gpu_device::on(__thread).call #instance(#(#arguments),*)))
    };
    let asyncness = asyncness(function);
    let constness = function.const_body.as_ref().map(|_| syn::Token![const](Span::mixed_site()));
    let UserFn { fn_token, body } = user_fn(function, call);
    let (generics, clause) = (&function.generics, &function.generics.where_clause);
    quote_spanned! {Span::mixed_site()=>
        #attrs
        #inline
        #[allow(clippy::used_underscore_binding)]
        #vis #constness #asyncness #fn_token #name #generics(#(#names: #types),*) #output #clause #body
    }
}

/// The type of a parameter as the user wrote it, with the lifetime of a view spelled out: a lint asks for it.
fn expand_host_type(function: &Function, param: &Param) -> TokenStream {
    let lifetime = elided(function.local(param.local).name.span());
    param.written.view(&lifetime).unwrap_or_else(|| param.written.to_token_stream())
}

/// An argument as the twin takes it: a function of the host's never stops the thread.
pub(super) fn expand_host_argument(function: &Function, param: &Param) -> TokenStream {
    let Local { name, ty, .. } = function.local(param.local);
    let Type::Function(ty) = ty else { return name.to_token_stream() };
    let inputs: Vec<_> = (0..ty.inputs.len()).map(argument).collect();
    let call = quote_spanned!(Span::mixed_site()=> |#(#inputs),*| ::core::result::Result::Ok(#name(#(#inputs),*)));
    // The host's function does not repeat the `mut` of a parameter.
    if ty.is_mut { quote_spanned!(Span::mixed_site()=> { let mut #name = #name; move #call }) } else { call }
}

/// The module that a call `path::name(…)` in a kernel refers to.
pub(super) fn expand_module(function: &Function) -> TokenStream {
    let Signature { vis, name, .. } = &function.signature;
    let attrs = attributes::repeated(function);
    // Named like the attribute: rustc names it where a kernel calls something that lacks the attribute.
    let inner_vis = visibility_from_inside(vis);
    let doc = format!("The device function `{}` as kernels see it.", text(name));
    let in_thread = expand_in_thread(function, &inner_vis);
    let items = quote_spanned! {Span::mixed_site()=>
        #[doc = #doc]
        #inner_vis struct gpu_device;
        #in_thread
    };
    let module = expand_module_of(function, &items);
    quote_spanned! {Span::mixed_site()=>
        #attrs
        // Only calls from kernels use it.
        #[allow(dead_code, non_camel_case_types)]
        #[doc(hidden)]
        #module
    }
}

/// The type whose methods are the twin: so rustc counts the arguments of a call as the user does. And the function itself, which a call has
/// to mean as well as the module: see `called`. In a block, nothing leads from a module to what is beside it.
pub(super) fn expand_in_thread(function: &Function, vis: &TokenStream) -> TokenStream {
    let (runtime, name) = (function.runtime.seen_from_inside(), &function.name);
    let is_generic = function.generics.params.iter().any(|param| !matches!(param, syn::GenericParam::Lifetime(_)));
    let instance = is_generic.then(|| expand_same_instance(function)).flatten();
    let is_known = (!is_generic || instance.is_some()) && !takes_functions(function);
    let itself = if is_known && Surroundings::of(name).has_one_function(name) {
        let inner_vis = visibility_from_inside(&syn::parse_quote!(#vis));
        quote_spanned!(Span::mixed_site()=> #vis mod itself { #[allow(unused_imports)] #inner_vis use super::super::#name as __meant; #instance })
    } else {
        quote_spanned!(Span::mixed_site()=> #[allow(unused_imports)] #vis use #runtime::calls::unknown_function as itself;)
    };
    quote_spanned! {Span::mixed_site()=>
        #[doc(hidden)]
        #itself

        #[doc(hidden)]
        #vis struct in_thread<'t, 'b> {
            #vis thread: &'t #runtime::calls::Thread<'b>,
        }
    }
}

/// What compares the function with another by one instance, whose parameters tell what the arguments of both are. `None` if they do not, or if no
/// type is known to have the bounds. What an `async` function returns depends on lifetimes.
fn expand_same_instance(function: &Function) -> Option<TokenStream> {
    if function.is_async {
        return None;
    }
    let types: Vec<_> = function.params.iter().map(|param| param.written.to_token_stream()).collect();
    let words = idents_of(types.iter().cloned().collect());
    let type_of_instance = |TypeParam { name, class, traits, is_of_std, .. }: &TypeParam| {
        let ty = Ident::new(if *class == Some(Class::Float) { "f32" } else { "i32" }, Span::mixed_site());
        let is_known = traits.is_empty() && !is_of_std && words.contains(name);
        is_known.then(|| quote_spanned!(Span::mixed_site()=> type #name = ::core::primitive::#ty;))
    };
    let number_of_instance = |ConstParam { name, scalar }: &ConstParam| {
        let is_known = *scalar == Scalar::Usize && words.contains(name);
        is_known.then(|| quote_spanned!(Span::mixed_site()=> const #name: ::core::primitive::usize = 1;))
    };
    let types_of_instance = function.type_params.iter().map(type_of_instance).collect::<Option<Vec<_>>>()?;
    let numbers_of_instance = function.const_params.iter().map(number_of_instance).collect::<Option<Vec<_>>>()?;
    // Other names may mean something else here.
    let is_known = |word: &Ident| {
        let is_param =
            function.type_params.iter().any(|param| param.name == *word) || function.const_params.iter().any(|param| param.name == *word);
        is_param || word == "mut" || word == "bool" || Scalar::from_name(&word.to_string()).is_some()
    };
    if !words.iter().all(is_known) {
        return None;
    }
    Some(quote_spanned! {Span::mixed_site()=>
        #(#types_of_instance)*
        #(#numbers_of_instance)*
        pub const fn __same<FunctionOfThisName: ::core::marker::Copy + ::core::ops::Fn(#(#types),*) -> OutputOfIt, OutputOfIt>(_: FunctionOfThisName, _: FunctionOfThisName) {
            const { ::core::assert!(::core::mem::size_of::<FunctionOfThisName>() == 0) }
        }
    })
}

pub(super) fn expand_definition(function: &Function, source: &Source) -> TokenStream {
    let generated = attributes::generated();
    let name = &function.name;
    let bounded = expand_bounded_params(function);
    let arguments = expand_instance_arguments(function);
    let turbofish = (!arguments.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> ::<#(#arguments),*>));
    let body = Body::new(function).with_uniformity(&source.uniformity).with_numbers(&source.numbers).expand_device_body();
    let body = quote_spanned!(Span::mixed_site()=> #name::gpu_device::__host #turbofish(); #body);
    let instance = if takes_functions(function) {
        expand_call_turbofish(function).filter(|_| !function.params.iter().any(|param| param.written.is_impl_fn()))
    } else {
        turbofish.clone()
    };
    let mention = expand_host_mention(function, quote_spanned!(Span::mixed_site()=> #name #instance));
    let named = expand_named(function);
    // A function that kernels use is not dead code, even if nothing calls it on the host.
    let host = quote_spanned! {Span::mixed_site()=>
        #[inline(always)]
        fn __host<#(#bounded),*>() {
            let _ = #mention;
        }
        #named
    };
    expand_impls(function, source, generated, body, host)
}

fn takes_functions(function: &Function) -> bool {
    function.params.iter().any(|param| matches!(function.local(param.local).ty, Type::Function(_)))
}

/// Mentions the host's function at `path`: where it takes functions, by a closure that would call it with some.
pub(super) fn expand_host_mention(function: &Function, path: TokenStream) -> TokenStream {
    if !takes_functions(function) {
        return path;
    }
    let arguments: Vec<_> = (0..function.params.len()).map(argument).collect();
    let types = function.params.iter().map(|param| match &function.local(param.local).ty {
        Type::Function(ty) => {
            let inputs = expand_inputs(ty, Span::mixed_site());
            let output = expand_type(&ty.output, Span::mixed_site()).map(|output| quote_spanned!(Span::mixed_site()=> -> #output));
            quote_spanned!(Span::mixed_site()=> fn(#(#inputs),*) #output)
        }
        _ if function.is_self(param.local) => match function.local(param.local).holds {
            Holds::Value => quote_spanned!(Span::mixed_site()=> Self),
            Holds::Shared => quote_spanned!(Span::mixed_site()=> &Self),
            Holds::Mutable => quote_spanned!(Span::mixed_site()=> &mut Self),
        },
        _ => param.written.to_token_stream(),
    });
    quote_spanned!(Span::mixed_site()=> |#(#arguments: #types),*| ::core::mem::drop(#path(#(#arguments),*)))
}

/// Whether it can be passed to a function: it takes values and shared references, returns a value, and does not wait for other threads.
fn can_be_named(function: &Function) -> bool {
    let is_value = |ty: &Type| ty.is_scalar() || matches!(ty, Type::Named(_) | Type::Tuple(_) | Type::Array(..) | Type::Std(..));
    let is_plain = function.params.iter().all(|param| is_value(&function.local(param.local).ty)) && is_value(&function.output);
    let changes_nothing = function.params.iter().all(|param| function.local(param.local).holds != Holds::Mutable);
    is_plain && changes_nothing && !function.is_async && function.function_params.is_empty() && !has_refused_params(function)
}

/// The twin as something that another function can be given.
fn expand_named(function: &Function) -> TokenStream {
    if !can_be_named(function) {
        return TokenStream::new();
    }
    let runtime = &function.runtime;
    let (bounded, names) = (expand_bounded_params(function), expand_instance_arguments(function));
    let types: Vec<_> = function.params.iter().map(|param| &param.written).collect();
    let outcome = expand_outcome(function, &output_type(function));
    let arguments: Vec<_> = (0..types.len()).map(argument).collect();
    let instance = expand_call_turbofish(function);
    quote_spanned! {Span::mixed_site()=>
        #[inline(always)]
        #[allow(dead_code)]
        pub fn function<'t, 'b, #(#bounded),*>(
            __thread: &'t #runtime::__private::Thread<'b>,
        ) -> impl ::core::ops::Fn(#(#types),*) -> #outcome + ::core::marker::Copy + use<'t, 'b, #(#names),*> {
            move |#(#arguments),*| Self::on(__thread).call #instance(#(#arguments),*)
        }
    }
}

/// What kernels find behind the function's name: the twin with this `body`, `helpers`, and the CUDA C of each instance.
pub(super) fn expand_impls(
    function: &Function,
    source: &Source,
    lints: TokenStream,
    body: TokenStream,
    helpers: TokenStream,
) -> TokenStream {
    let Signature { name, runtime, .. } = &function.signature;
    let attrs = attributes::repeated(function);
    let (signature, on) = (expand_call_signature(function), expand_on(function));
    let is_refused = has_refused_params(function);
    let output = if is_refused { quote_spanned!(Span::mixed_site()=> ()) } else { output_type(function) };
    let uniform = expand_uniform_parameters(runtime, &source.uniformity, &function.body);
    let uniform_result = expand_uniform_result(runtime, &source.uniformity, &function.body);
    let (sites, unit) = (expand_sites(function), expand_constant_unit(function, source));
    let bounded = if is_refused { Vec::new() } else { expand_bounded_params(function) };
    let types: Vec<_> = known_params(function).iter().map(|param| &param.name).collect();
    let (params_of_instance, instance) = (expand_instance_params(function), expand_instance(function));
    let declaration = match &function.kind {
        FunctionKind::Array(_) | FunctionKind::Generalized(_) => TokenStream::new(),
        FunctionKind::Kernel(_) | FunctionKind::Device => {
            quote_spanned!(Span::mixed_site()=> pub struct __Instance<#(#params_of_instance),*>(::core::marker::PhantomData<(#(#types,)*)>);)
        }
    };
    let Lookup { params, explicit, evidence, conditions } = expand_lookup(function);
    let named = can_be_named(function).then(|| expand_named_function(function, &instance));
    let items = quote_spanned! {Span::mixed_site()=>
        #sites
        impl #name::gpu_device {
            #on
            #uniform
            #uniform_result
            #helpers
        }
        impl<'t, 'b> #name::in_thread<'t, 'b> {
            #[inline]
            #signature {
                let __thread = self.thread;
                #body
            }
        }
        #declaration
        unsafe impl<#(#bounded),*> #runtime::calls::DeviceInstance for #instance {
            #unit
        }
        unsafe impl<#params> #runtime::calls::DeviceFunction<#explicit, #evidence> for #name::gpu_device #conditions {
            type Output = #output;
            type Instance = #instance;
        }
        #named
    };
    let items = with_called_names(function, items);
    quote_spanned! {Span::mixed_site()=>
        #attrs
        #lints
        const _: () = {
            #items
        };
    }
}

/// The function with types and constants for its parameters, as a type. That of an array function has a name, and stands in its module.
pub(super) fn expand_instance(function: &Function) -> TokenStream {
    let arguments = expand_instance_arguments(function);
    match &function.kind {
        FunctionKind::Array(_) | FunctionKind::Generalized(_) => array::expand_function_type(function),
        FunctionKind::Kernel(_) | FunctionKind::Device => {
            quote_spanned!(Span::mixed_site()=> __Instance<#(#arguments),*>)
        }
    }
}

/// The header of the twin, which kernels and the host function call.
fn expand_call_signature(function: &Function) -> TokenStream {
    let lifetimes = (0..function.params.len()).filter(|&index| is_array(function, index)).map(lifetime);
    let params = (0..function.params.len()).map(|index| expand_param(function, index));
    let types = expand_call_params(function);
    let outcome = expand_outcome(function, &output_type(function));
    let asyncness = asyncness(function);
    quote_spanned! {Span::mixed_site()=>
        pub #asyncness fn call<#(#lifetimes,)* #(#types),*>(self, #(#params),*) -> #outcome
    }
}

/// The function that a call begins with: `on` or, where the call is awaited, `on_async`. Nothing implements the condition of the other one,
/// which is checked where it is called. It is there also so that nobody can add one.
fn expand_on(function: &Function) -> TokenStream {
    let Signature { name, runtime, .. } = &function.signature;
    let [on, other, condition] = match function.is_async {
        false => ["on", "on_async", "IsAsync"],
        true => ["on_async", "on", "Awaited"],
    }
    .map(|name| Ident::new(name, Span::mixed_site()));
    let condition = quote_spanned!(Span::mixed_site()=> #runtime::calls::missing::#condition);
    quote_spanned! {Span::mixed_site()=>
        #[inline(always)]
        pub fn #on<'t, 'b>(__thread: &'t #runtime::__private::Thread<'b>) -> #name::in_thread<'t, 'b> {
            #name::in_thread { thread: __thread }
        }
        #[allow(unused)]
        pub fn #other(_: &#runtime::__private::Thread<'_>) -> <Self as #condition>::Output
        where
            for<'unmet> Self: #condition,
        {
            ::core::unreachable!()
        }
    }
}

fn asyncness(function: &Function) -> Option<syn::Token![async]> {
    function.is_async.then(|| syn::Token![async](Span::mixed_site()))
}

pub(super) fn is_array(function: &Function, index: usize) -> bool {
    Parameter::new(function, &function.params[index]).is_array()
}

/// Each slice or view has its own lifetime.
pub(super) fn lifetime(index: usize) -> syn::Lifetime {
    syn::Lifetime::new(&format!("'a{index}"), Span::mixed_site())
}

/// A slice or view parameter takes whatever twins have for one.
pub(super) fn expand_param(function: &Function, index: usize) -> TokenStream {
    Parameter::new(function, &function.params[index]).expand_passed(&lifetime(index))
}
