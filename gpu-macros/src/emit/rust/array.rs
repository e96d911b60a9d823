//! An array function: a device function with a module through which arrays are mapped.
//!
//! In addition to the contents of a device function's module, there is a type `Function`: the instance that kernels call, and the type that
//! implements the runtime's `ArrayFunction`. Types in the module are written in full, because the user's scope is not visible there.

use super::attributes;
use super::device::expand_in_thread;
use super::generics::{expand_bounded_params, expand_bounded_params_in, known_params};
use super::reduction::expand_reduce_function;
use super::tokens::{argument, expand_module_of, expand_outcome, expand_type, text, visibility_from_inside};
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

/// The type that stands for the function, seen from outside of its module.
pub(super) fn expand_function_type(function: &Function) -> TokenStream {
    let (name, types) = (&function.name, type_arguments(function));
    quote_spanned!(Span::mixed_site()=> #name::Function #types)
}

/// The module with the function's name: its items for kernels and for arrays.
pub(super) fn expand_module(function: &Function, options: &ArrayOptions) -> TokenStream {
    let Signature { name, .. } = &function.signature;
    let attrs = attributes::of_module(function);
    let plain_name = text(name);
    let module_doc = format!("The function `{plain_name}` of arrays.");
    let device_doc = format!("The device function `{plain_name}` as kernels see it.");
    let vis = visibility_from_inside(&function.vis);
    let function_struct = expand_function_struct(function);
    let in_thread = expand_in_thread(function, &vis);
    let functions = if function.is_mappable() {
        let module = Module::new(function);
        let map = module.expand_map();
        let outer = (function.params.len() == 2).then(|| module.expand_outer());
        let at = (function.is_foldable() && function.output.is_array_element()).then(|| module.expand_at());
        let reductions = is_reduction(function, options).then(|| module.expand_reductions());
        let reduce_by = (at.is_some() && reductions.is_some()).then(|| module.expand_reduce_by());
        quote!(#map #outer #at #reductions #reduce_by)
    } else {
        expand_refused_map(function)
    };
    let items = quote_spanned! {Span::mixed_site()=>
        // Neither type has a value, whose name a parameter could not have.
        #[doc = #device_doc]
        #[doc(hidden)]
        #vis enum gpu_device {}
        #in_thread

        #function_struct

        #functions
    };
    let module = expand_module_of(function, &items);
    quote_spanned! {Span::mixed_site()=>
        #attrs
        // A program need not use all of it.
        #[allow(dead_code, non_camel_case_types)]
        #[allow(clippy::too_many_arguments, clippy::type_complexity, clippy::used_underscore_binding)]
        #[doc = #module_doc]
        #module
    }
}

/// The type `Function` in the module, generic over the same types.
pub(super) fn expand_function_struct(function: &Function) -> TokenStream {
    let doc = format!("The function `{}` as a type.", text(&function.name));
    let (types, vis) = (type_arguments(function), visibility_from_inside(&function.vis));
    let params = known_params(function).iter().map(|param| &param.name);
    quote_spanned! {Span::mixed_site()=>
        #[doc = #doc]
        #vis struct Function #types {
            types: ::core::marker::PhantomData<(#(#params,)*)>,
        }
    }
}

/// `<T, U>`.
pub(super) fn type_arguments(function: &Function) -> Option<TokenStream> {
    let names: Vec<_> = known_params(function).iter().map(|param| &param.name).collect();
    (!names.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> <#(#names),*>))
}

/// Whether its module has the functions that fold arrays.
fn is_reduction(function: &Function, options: &ArrayOptions) -> bool {
    options.reduction.is_some() && function.is_foldable()
}

/// What the functions of a module are made of.
pub(super) struct Module<'f> {
    pub(super) function: &'f Function,
    /// Its visibility, seen from inside the module: whoever can call it can name the types of its parameters.
    pub(super) vis: TokenStream,
    /// The runtime, seen from inside the module.
    pub(super) runtime: RuntimePath,
    /// `T: Num`, for each type parameter of the function.
    pub(super) bounded: Vec<TokenStream>,
    /// A type parameter for each argument: what it is in an expression.
    expressions: Vec<Ident>,
    /// What each argument is called.
    names: Vec<&'f Ident>,
    /// The elements of each argument.
    elements: Vec<TokenStream>,
}

impl<'f> Module<'f> {
    fn new(function: &'f Function) -> Self {
        let runtime = function.runtime.seen_from_inside();
        let numbered = function.params.iter().enumerate();
        let elements =
            numbered.map(|(number, param)| element_in_module(function, &runtime, number, &function.local(param.local).ty)).collect();
        Module {
            function,
            vis: visibility_from_inside(&function.vis),
            bounded: expand_bounded_params_in(function, &runtime),
            runtime,
            expressions: free_letters(function).take(function.params.len()).collect(),
            names: function.params.iter().map(|param| &function.local(param.local).name).collect(),
            elements,
        }
    }

    fn expand_map(&self) -> TokenStream {
        let Module { function, vis, runtime, bounded, expressions, names, elements } = self;
        let function_type = self.function_type();
        let doc = format!(
            "`{}` of the elements of arrays, as a lazy array: it is computed when it is collected or reduced.\n\nAn argument is a device array, a host slice, a number or another lazy array. Their shapes are broadcast.",
            text(&function.name)
        );
        quote_spanned! {Span::mixed_site()=>
            #[doc = #doc]
            #vis fn map<#(#bounded,)* #(#expressions),*>(
                #(#names: impl #runtime::IntoLazy<#elements, Expression = #expressions>),*
            ) -> #runtime::Lazy<#runtime::__private::Apply<#function_type, (#(#expressions,)*)>> {
                #runtime::Lazy::new(#runtime::__private::Apply::new((#(#runtime::Lazy::into_inner(#runtime::IntoLazy::into_lazy(#names)),)*)))
            }
        }
    }

    /// `Function<T>`, inside of the module, where a parameter may be called `Function` too.
    pub(super) fn function_type(&self) -> TokenStream {
        let types = type_arguments(self.function);
        quote_spanned!(Span::mixed_site()=> self::Function #types)
    }

    fn expand_outer(&self) -> TokenStream {
        let Module { function, vis, runtime, bounded, expressions, names, elements } = self;
        let function_type = self.function_type();
        let [first, second] = expressions.as_slice() else { unreachable!("pairs are made of two arrays") };
        let doc = format!(
            "`{}` of every element of the first array with every element of the second (NumPy: `outer`), as a lazy array: it is computed when it is collected or reduced.\n\nIts shape is the shape of the first array followed by the shape of the second.",
            text(&function.name)
        );
        quote_spanned! {Span::mixed_site()=>
            #[doc = #doc]
            #vis fn outer<#(#bounded,)* #(#expressions: #runtime::__private::Expression),*>(
                #(#names: impl #runtime::IntoLazy<#elements, Expression = #expressions>),*
            ) -> #runtime::Lazy<
                #runtime::__private::Apply<#function_type, (#runtime::__private::AppendAxes<#first>, #second)>,
            > {
                #runtime::__private::outer(#(#runtime::IntoLazy::into_lazy(#names)),*)
            }
        }
    }

    fn expand_at(&self) -> TokenStream {
        let Module { function, vis, runtime, bounded, elements, .. } = self;
        let (function_type, element) = (self.function_type(), &elements[0]);
        let [index, indices, values] = self.letters();
        let doc = format!(
            "Sets `target[i]` to the `{}` of `target[i]` and a value, for every index and its value (NumPy: `at`).\n\nIndices and values are broadcast. An index may occur more than once: its updates happen in the order of the indices. On a GPU, functions for which CUDA has an atomic operation update in any order, and functions that are associative may combine neighbouring values first.\n\n# Errors\n\nThe shapes of indices and values cannot be broadcast together, or an array is on another device than `target`. The next call that waits reports an index that is out of bounds.",
            text(&function.name)
        );
        quote_spanned! {Span::mixed_site()=>
            #[doc = #doc]
            #[track_caller]
            #vis fn at<'target, #(#bounded,)* #index: #runtime::IndexElement, #indices: #runtime::IntoLazy<#index>, #values: #runtime::IntoLazy<#element>>(
                target: impl #runtime::ArrayMut<'target, Item = #element>,
                indices: #indices,
                values: #values,
            ) -> #runtime::Result<()> {
                #runtime::__private::at::<#function_type, #element, #indices::Expression, #values::Expression>(
                    target,
                    #runtime::IntoLazy::into_lazy(indices),
                    #runtime::IntoLazy::into_lazy(values),
                )
            }
        }
    }

    /// Names for type parameters of a function of the module.
    pub(super) fn letters<const N: usize>(&self) -> [Ident; N] {
        let mut letters = free_letters(self.function);
        std::array::from_fn(|_| letters.next().expect("there are more letters than a function has type parameters"))
    }
}

/// `A`, `B` and so on, but for what the user calls a type parameter.
fn free_letters(function: &Function) -> impl Iterator<Item = Ident> {
    let is_free = |letter: &Ident| function.type_params.iter().all(|param| param.name != *letter);
    ('A'..='Z').map(|letter| format_ident!("{letter}", span = Span::mixed_site())).filter(is_free)
}

/// The type of an element or of a tuple of those. The spelling of scalars means them everywhere.
pub(super) fn element(ty: &Type) -> TokenStream {
    expand_type(ty, Span::mixed_site()).expect("the elements of an array function have types with names")
}

/// The element type of the argument with that number, in the module of the function.
pub(super) fn element_in_module(function: &Function, runtime: &RuntimePath, number: usize, ty: &Type) -> TokenStream {
    match ty {
        // Its path means something where the user wrote it.
        Type::Named(_) => {
            let types = type_arguments(function);
            quote_spanned!(Span::mixed_site()=> <self::Function #types as #runtime::__private::ElementArgument<#number>>::Element)
        }
        ty => element(ty),
    }
}

/// What [`element_in_module`] refers to, for the element types of the arguments.
pub(super) fn expand_element_arguments<'t>(function: &Function, types: impl Iterator<Item = &'t Type>) -> TokenStream {
    let (runtime, bounded, function_type) = (&function.runtime, expand_bounded_params(function), expand_function_type(function));
    let of_rustc = types.enumerate().filter(|(_, ty)| matches!(ty, Type::Named(_)));
    let arguments = of_rustc.map(|(number, ty)| {
        let element = element(ty);
        quote_spanned! {Span::mixed_site()=>
            impl<#(#bounded),*> #runtime::__private::ElementArgument<#number> for #function_type {
                type Element = #element;
            }
        }
    });
    arguments.collect()
}

/// For a function that cannot be mapped: a function that takes its callers' arguments and returns a value that can be collected.
fn expand_refused_map(function: &Function) -> TokenStream {
    let (runtime, vis) = (function.runtime.seen_from_inside(), visibility_from_inside(&function.vis));
    let arrays: Vec<Ident> = (0..function.params.len()).map(|index| format_ident!("A{index}", span = Span::mixed_site())).collect();
    quote_spanned! {Span::mixed_site()=>
        #vis fn map<#(#arrays),*>(#(_: #arrays),*) -> #runtime::Lazy<#runtime::__private::ScalarInput<::core::primitive::f32>> {
            ::core::unreachable!()
        }
    }
}

/// The data of the function for the runtime.
pub(super) fn expand_definition(function: &Function, options: &ArrayOptions) -> TokenStream {
    let Signature { name, runtime, .. } = &function.signature;
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
    let associative = reduction.map(|_| quote_spanned!(Span::mixed_site()=> const ASSOCIATIVE: ::core::primitive::bool = true;));
    let reduction = reduction.map(|reduction| expand_reduce_function(function, reduction));
    let arguments_of_rustc = expand_element_arguments(function, function.params.iter().map(|param| &function.local(param.local).ty));
    quote_spanned! {Span::mixed_site()=>
        #attrs
        #generated
        const _: () = {
            unsafe impl<#(#bounded),*> #runtime::__private::ArrayFunction for #function_type {
                type Args = (#(#elements,)*);
                type Output = #output;
                const NAME: &'static ::core::primitive::str = #plain_name;
                const FMAD: ::core::primitive::bool = #fmad;
                #associative

                fn source() -> &'static #runtime::__private::SourceUnit {
                    <Self as #runtime::calls::DeviceInstance>::UNIT
                }

                #[inline(always)]
                fn call(__thread: &#runtime::__private::Thread<'_>, (#(#arguments,)*): Self::Args) -> #outcome {
                    #name::gpu_device::on(__thread).call #turbofish(#(#arguments),*)
                }
            }

            #arguments_of_rustc
            #reduction
        };
    }
}
