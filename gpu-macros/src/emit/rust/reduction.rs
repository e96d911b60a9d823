//! What `#[reduce]` adds to an array function: how it folds two items, and the functions of its module that fold arrays.

use super::array::{Module, element, expand_function_type};
use super::generics::expand_bounded_params;
use super::tokens::{expand_outcome, text};
use crate::model::*;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote_spanned;

/// The implementation of the runtime's `ReduceFunction`.
pub(super) fn expand_reduce_function(function: &Function, reduction: &Reduction) -> TokenStream {
    let runtime = &function.runtime;
    let (bounded, function_type) = (expand_bounded_params(function), expand_function_type(function));
    let output = element(&function.output);
    let outcome = expand_outcome(function, &output);
    let identity = match &reduction.identity {
        Some(identity) => quote_spanned!(Span::mixed_site()=> Some(const { #identity })),
        None => quote_spanned!(Span::mixed_site()=> None),
    };
    let components = ["__a", "__b"].into_iter().flat_map(|item| expand_components(function, &Ident::new(item, Span::mixed_site())));
    quote_spanned! {Span::mixed_site()=>
        impl<#(#bounded),*> #runtime::__private::ReduceFunction for #function_type {
            fn identity() -> ::core::option::Option<#output> {
                ::core::option::Option::#identity
            }

            #[inline(always)]
            fn combine(__thread: &#runtime::__private::Thread<'_>, __a: #output, __b: #output) -> #outcome {
                <Self as #runtime::__private::ArrayFunction>::call(__thread, (#(#components,)*))
            }
        }
    }
}

/// The components of an item of the function's output type.
fn expand_components(function: &Function, item: &Ident) -> Vec<TokenStream> {
    if function.output.is_scalar() {
        return vec![quote_spanned!(Span::mixed_site()=> #item)];
    }
    let indices = (0..function.output.components().len()).map(Literal::usize_unsuffixed);
    indices.map(|index| quote_spanned!(Span::mixed_site()=> #item.#index)).collect()
}

impl Module<'_> {
    /// The functions that fold an array, or the parts of it up to each element.
    pub(super) fn expand_reductions(&self) -> TokenStream {
        let name = text(&self.function.name);
        let accumulate = self.expand_fold(
            "accumulate",
            "accumulate_last",
            &format!("`{name}` of all elements up to each one along the last axis, its own included (NumPy: `accumulate`)."),
            None,
        );
        let axis = "An array without that axis";
        let accumulate_axis = self.expand_fold(
            "accumulate_axis",
            "accumulate",
            &format!("`{name}` of all elements up to each one along an axis, its own included (NumPy: `accumulate`)."),
            Some(axis),
        );
        let accumulate_exclusive = self.expand_fold(
            "accumulate_exclusive",
            "accumulate_exclusive",
            &format!("`{name}` of all elements before each one along an axis: the identity for the first."),
            Some("An array without that axis, a function without an identity"),
        );
        quote_spanned!(Span::mixed_site()=> #accumulate #accumulate_axis #accumulate_exclusive)
    }

    /// A function that hands its array, and an axis if there are errors to name for that, to one of the runtime's, and gives arrays.
    fn expand_fold(&self, name: &str, callee: &str, summary: &str, axis_errors: Option<&str>) -> TokenStream {
        let Module { function, runtime, bounded, .. } = self;
        let (name, callee) = (Ident::new(name, Span::mixed_site()), Ident::new(callee, Span::mixed_site()));
        let (function_type, item) = (self.function_type(), element(&function.output));
        let [array] = self.letters();
        let arrays = self.expand_arrays();
        let doc = format!(
            "{summary}\n\n# Errors\n\n{}, and as for `collect` of a lazy array.",
            axis_errors.unwrap_or("A number, which has no axis")
        );
        let (parameter, argument) = match axis_errors {
            Some(_) => (quote_spanned!(Span::mixed_site()=> axis: ::core::primitive::usize), quote_spanned!(Span::mixed_site()=> axis)),
            None => (TokenStream::new(), TokenStream::new()),
        };
        quote_spanned! {Span::mixed_site()=>
            #[doc = #doc]
            #[track_caller]
            pub fn #name<#(#bounded,)* #array: #runtime::IntoLazy<#item>>(array: #array, #parameter) -> #runtime::Result<#arrays> {
                #runtime::__private::#callee::<#function_type, #array::Expression>(#runtime::IntoLazy::into_lazy(array), #argument)
            }
        }
    }

    /// What holds items: an array, or a tuple of one per component.
    fn expand_arrays(&self) -> TokenStream {
        let runtime = &self.runtime;
        let arrays = self.function.output.components().iter().map(|component| {
            let component = element(component);
            quote_spanned!(Span::mixed_site()=> #runtime::DeviceArray<#component>)
        });
        match &self.function.output {
            Type::Tuple(_) => quote_spanned!(Span::mixed_site()=> (#(#arrays),*)),
            _ => arrays.collect(),
        }
    }
}
