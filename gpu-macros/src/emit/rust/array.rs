//! An array function: a device function with a module through which arrays are mapped.
//!
//! Beside what a device function's module has, there is a type `Function`: the instance that kernels call, and what the runtime's
//! `ArrayFunction` is implemented for. Types in the module are written in full, because what the user's scope has is not seen from
//! there.

use super::attributes;
use super::generics::{expand_bounded_params, expand_bounded_params_in, known_params};
use super::launcher::seen_from_inside;
use super::tokens::{argument, expand_outcome, expand_type, text};
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

/// The type that stands for the function, seen from outside of its module.
pub(super) fn expand_function_type(function: &Function) -> TokenStream {
    let (name, types) = (&function.name, type_arguments(function));
    quote_spanned!(Span::mixed_site()=> #name::Function #types)
}

/// The module of the function's name: what kernels see of it, and what arrays do with it.
pub(super) fn expand_module(function: &Function, options: &ArrayOptions) -> TokenStream {
    let Function { vis, name, .. } = function;
    let attrs = attributes::repeated(function);
    let plain_name = text(name);
    let module_doc = format!("The function `{plain_name}` of arrays.");
    let device_doc = format!("The device function `{plain_name}` as kernels see it.");
    let function_doc = format!("The function `{plain_name}` as a type.");
    let types = type_arguments(function);
    let params: Vec<_> = known_params(function).iter().map(|param| &param.name).collect();
    let functions = if function.is_mappable() {
        let module = Module::new(function);
        let map = module.expand_map();
        let outer = (function.params.len() == 2).then(|| module.expand_outer());
        quote!(#map #outer)
    } else {
        expand_refused_map(function)
    };
    let _ = options;
    quote_spanned! {Span::mixed_site()=>
        #attrs
        // A program need not use all of it.
        #[allow(dead_code, non_camel_case_types)]
        #[allow(clippy::too_many_arguments, clippy::type_complexity, clippy::used_underscore_binding)]
        #[doc = #module_doc]
        #vis mod #name {
            // Neither type has a value, whose name a parameter could not have.
            #[doc = #device_doc]
            #[doc(hidden)]
            pub enum gpu_device {}

            #[doc = #function_doc]
            pub struct Function #types {
                types: ::core::marker::PhantomData<(#(#params,)*)>,
            }

            #functions
        }
    }
}

/// `<T, U>`.
fn type_arguments(function: &Function) -> Option<TokenStream> {
    let names: Vec<_> = known_params(function).iter().map(|param| &param.name).collect();
    (!names.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> <#(#names),*>))
}

/// What the functions of a module are made of.
struct Module<'f> {
    function: &'f Function,
    /// The runtime, seen from inside the module.
    runtime: TokenStream,
    /// `T: Num`, for each type parameter of the function.
    bounded: Vec<TokenStream>,
    /// A type parameter for each argument.
    arrays: Vec<Ident>,
    /// What each argument is called.
    names: Vec<&'f Ident>,
    /// The elements of each argument.
    elements: Vec<TokenStream>,
}

impl<'f> Module<'f> {
    fn new(function: &'f Function) -> Self {
        let runtime = seen_from_inside(&function.runtime);
        Module {
            function,
            bounded: expand_bounded_params_in(function, &runtime),
            runtime,
            arrays: free_letters(function).take(function.params.len()).collect(),
            names: function.params.iter().map(|param| &function.local(param.local).name).collect(),
            elements: function.params.iter().map(|param| element(&function.local(param.local).ty)).collect(),
        }
    }

    fn expand_map(&self) -> TokenStream {
        let Module { function, runtime, bounded, arrays, names, elements } = self;
        let types = type_arguments(function);
        let doc = format!(
            "`{}` of the elements of arrays: an array that is computed when it is asked for.\n\n\
             An argument is an array, a slice of the host, a number or another such array. Their shapes are broadcast.",
            text(&function.name)
        );
        quote_spanned! {Span::mixed_site()=>
            #[doc = #doc]
            pub fn map<#(#bounded,)* #(#arrays: #runtime::IntoLazy<#elements>),*>(
                #(#names: #arrays),*
            ) -> #runtime::Lazy<#runtime::__private::Apply<Function #types, (#(#arrays::Expression,)*)>> {
                #runtime::Lazy::new(#runtime::__private::Apply::new((#(#runtime::IntoLazy::into_lazy(#names).into_inner(),)*)))
            }
        }
    }

    fn expand_outer(&self) -> TokenStream {
        let Module { function, runtime, bounded, arrays, names, elements } = self;
        let types = type_arguments(function);
        let [first, second] = arrays.as_slice() else { unreachable!("pairs are made of two arrays") };
        let doc = format!(
            "`{}` of every element of the first array with every element of the second (NumPy: `outer`): an array that is computed \
             when it is asked for.\n\nIts shape is that of the first followed by that of the second.",
            text(&function.name)
        );
        quote_spanned! {Span::mixed_site()=>
            #[doc = #doc]
            pub fn outer<#(#bounded,)* #(#arrays: #runtime::IntoLazy<#elements>),*>(
                #(#names: #arrays),*
            ) -> #runtime::Lazy<
                #runtime::__private::Apply<Function #types, (#runtime::__private::AppendAxes<#first::Expression>, #second::Expression)>,
            > {
                #runtime::__private::outer(#(#runtime::IntoLazy::into_lazy(#names)),*)
            }
        }
    }
}

/// `A`, `B` and so on, but for what the user calls a type parameter.
fn free_letters(function: &Function) -> impl Iterator<Item = Ident> {
    let is_free = |letter: &Ident| function.type_params.iter().all(|param| param.name != *letter);
    ('A'..='Z').map(|letter| format_ident!("{letter}", span = Span::mixed_site())).filter(is_free)
}

/// The type of a scalar, in a spelling that means it everywhere.
fn element(ty: &Type) -> TokenStream {
    expand_type(ty, Span::mixed_site()).expect("the elements of an array function are scalars")
}

/// For a function that cannot be mapped: what takes its callers' arguments and gives them something to collect.
fn expand_refused_map(function: &Function) -> TokenStream {
    let runtime = seen_from_inside(&function.runtime);
    let arrays: Vec<Ident> = (0..function.params.len()).map(|index| format_ident!("A{index}", span = Span::mixed_site())).collect();
    quote_spanned! {Span::mixed_site()=>
        pub fn map<#(#arrays),*>(#(_: #arrays),*) -> #runtime::Lazy<#runtime::__private::ScalarInput<::core::primitive::f32>> {
            ::core::unreachable!()
        }
    }
}

/// What the runtime knows of the function.
pub(super) fn expand_definition(function: &Function, options: &ArrayOptions) -> TokenStream {
    let Function { name, runtime, .. } = function;
    let attrs = attributes::repeated(function);
    let generated = attributes::generated();
    let plain_name = text(name);
    let (bounded, function_type) = (expand_bounded_params(function), expand_function_type(function));
    let elements: Vec<_> = function.params.iter().map(|param| element(&function.local(param.local).ty)).collect();
    let output = element(&function.output);
    let outcome = expand_outcome(function, &output);
    let fmad = options.fmad;
    let arguments: Vec<_> = (0..function.params.len()).map(argument).collect();
    let turbofish = type_arguments(function).map(|types| quote_spanned!(Span::mixed_site()=> ::#types));
    let reduction = options.reduction.as_ref().filter(|_| function.is_foldable());
    let reduction = reduction.map(|reduction| expand_reduction(function, reduction));
    quote_spanned! {Span::mixed_site()=>
        #attrs
        #generated
        const _: () = {
            unsafe impl<#(#bounded),*> #runtime::__private::ArrayFunction for #function_type {
                type Args = (#(#elements,)*);
                type Output = #output;
                const NAME: &'static ::core::primitive::str = #plain_name;
                const FMAD: ::core::primitive::bool = #fmad;

                fn source() -> &'static #runtime::__private::SourceUnit {
                    <Self as #runtime::calls::DeviceInstance>::UNIT
                }

                #[inline(always)]
                fn call(__thread: &#runtime::__private::Thread<'_>, (#(#arguments,)*): Self::Args) -> #outcome {
                    #name::gpu_device::call #turbofish(__thread, #(#arguments),*)
                }
            }

            #reduction
        };
    }
}

/// How the function folds items.
fn expand_reduction(function: &Function, reduction: &Reduction) -> TokenStream {
    let runtime = &function.runtime;
    let (bounded, function_type) = (expand_bounded_params(function), expand_function_type(function));
    let output = element(&function.output);
    let outcome = expand_outcome(function, &output);
    let identity = match &reduction.identity {
        Some(identity) => quote_spanned!(Span::mixed_site()=> Some(const { #identity })),
        None => quote_spanned!(Span::mixed_site()=> None),
    };
    let [a, b] = ["__a", "__b"].map(|item| Ident::new(item, Span::mixed_site()));
    let arguments = [a, b].into_iter().flat_map(|item| {
        let count = function.output.components().len();
        (0..count).map(move |component| match component {
            0 if count == 1 => quote_spanned!(Span::mixed_site()=> #item),
            _ => {
                let component = proc_macro2::Literal::usize_unsuffixed(component);
                quote_spanned!(Span::mixed_site()=> #item.#component)
            }
        })
    });
    quote_spanned! {Span::mixed_site()=>
        impl<#(#bounded),*> #runtime::__private::ReduceFunction for #function_type {
            fn identity() -> ::core::option::Option<#output> {
                ::core::option::Option::#identity
            }

            #[inline(always)]
            fn combine(__thread: &#runtime::__private::Thread<'_>, __a: #output, __b: #output) -> #outcome {
                <Self as #runtime::__private::ArrayFunction>::call(__thread, (#(#arguments),*))
            }
        }
    }
}
