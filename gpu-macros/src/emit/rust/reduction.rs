//! The additions of `#[reduce]` to an array function: how it combines two items, and the functions of its module that reduce arrays.

use super::array::{Module, element, expand_function_type};
use super::generics::expand_bounded_params;
use super::tokens::{expand_outcome, text};
use crate::model::*;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};

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
    // Of a type that rustc knows, it says here what it would say where the function is used.
    let assertion = bounded.is_empty().then(|| {
        let call = quote_spanned!(function.name.span()=> assert_combinable::<__Combined>());
        quote_spanned! {Span::mixed_site()=>
            const _: () = {
                use #runtime::support::assert_combinable;
                type __Combined = #output;
                #call
            };
        }
    });
    quote_spanned! {Span::mixed_site()=>
        #assertion
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
    if !matches!(function.output, Type::Tuple(_)) {
        return vec![quote_spanned!(Span::mixed_site()=> #item)];
    }
    let indices = (0..function.output.components().len()).map(Literal::usize_unsuffixed);
    indices.map(|index| quote_spanned!(Span::mixed_site()=> #item.#index)).collect()
}

/// A function of the module that hands its array to a function of the runtime.
struct Fold {
    name: &'static str,
    /// The runtime's function.
    callee: &'static str,
    /// What of the array the function is applied to.
    what: &'static str,
    errors: &'static str,
    /// What it takes of the caller's choice of axes.
    along: Along,
    /// Whether it gives an item, and not arrays of them.
    gives_item: bool,
}

/// The axes that a fold is along.
#[derive(Clone, Copy)]
enum Along {
    NoneGiven,
    One,
    Several,
}

const FOLDS: [Fold; 5] = [
    Fold {
        name: "reduce",
        callee: "reduce",
        what: "of all elements, in any order (NumPy: `reduce` with `axis=None`)",
        errors: "There are no elements, and the function has no identity",
        along: Along::NoneGiven,
        gives_item: true,
    },
    Fold {
        name: "reduce_axis",
        callee: "reduce_axis",
        what: "of the elements along an axis or several, in any order (NumPy: `reduce`)",
        errors: "The array does not have that axis; the axis has no elements, and the function has no identity",
        along: Along::Several,
        gives_item: false,
    },
    Fold {
        name: "accumulate",
        callee: "accumulate_last",
        what: "of all elements up to and including each one along the last axis (NumPy: `accumulate` with `axis=-1`)",
        errors: "The argument is a number, which has no axis",
        along: Along::NoneGiven,
        gives_item: false,
    },
    Fold {
        name: "accumulate_axis",
        callee: "accumulate",
        what: "of all elements up to and including each one along an axis (NumPy: `accumulate`)",
        errors: "The array does not have that axis",
        along: Along::One,
        gives_item: false,
    },
    Fold {
        name: "accumulate_exclusive",
        callee: "accumulate_exclusive",
        what: "of all elements before each one along an axis, the identity for the first",
        errors: "The array does not have that axis; the function has no identity",
        along: Along::One,
        gives_item: false,
    },
];

impl Module<'_> {
    /// The functions that fold an array, or the parts of it up to each element.
    pub(super) fn expand_reductions(&self) -> TokenStream {
        FOLDS.iter().map(|fold| self.expand_fold(fold)).collect()
    }

    /// The function that reduces the elements of each key.
    pub(super) fn expand_reduce_by(&self) -> TokenStream {
        let Module { function, vis, runtime, bounded, .. } = self;
        let (function_type, item) = (self.function_type(), self.expand_item());
        let [array, key, keys] = self.letters();
        let doc = format!(
            "`{}` of the elements of each group: of those that have the same key, from 0 up to `groups`. The identity for a group without elements.\n\n# Errors\n\nThe shapes of elements and keys cannot be broadcast together; a group has no elements, and the function has no identity. The next call that waits reports a key that is out of bounds. As for `collect` of a lazy array.",
            text(&function.name)
        );
        quote_spanned! {Span::mixed_site()=>
            #[doc = #doc]
            #[track_caller]
            #vis fn reduce_by<#(#bounded,)* #key: #runtime::IndexElement, #array: #runtime::IntoLazy<#item>, #keys: #runtime::IntoLazy<#key>>(
                array: #array,
                keys: #keys,
                groups: ::core::primitive::usize,
            ) -> #runtime::Result<#runtime::DeviceArray<#item>> {
                #runtime::__private::reduce_by::<#function_type, #item, #keys::Expression, #array::Expression>(
                    #runtime::IntoLazy::into_lazy(array),
                    #runtime::IntoLazy::into_lazy(keys),
                    groups,
                )
            }
        }
    }

    fn expand_fold(&self, fold: &Fold) -> TokenStream {
        let Module { function, vis, runtime, bounded, .. } = self;
        let [name, callee] = [fold.name, fold.callee].map(|name| Ident::new(name, Span::mixed_site()));
        let (function_type, item) = (self.function_type(), self.expand_item());
        let [array] = self.letters();
        let result = if fold.gives_item { item.clone() } else { self.expand_arrays(&item) };
        let doc =
            format!("`{}` {}.\n\n# Errors\n\n{}; and as for `collect` of a lazy array.", text(&function.name), fold.what, fold.errors);
        let axis = match fold.along {
            Along::NoneGiven => quote!(),
            Along::One => quote_spanned!(Span::mixed_site()=> axis: impl #runtime::Axis),
            Along::Several => quote_spanned!(Span::mixed_site()=> axis: impl ::core::convert::Into<#runtime::Axes>),
        };
        let axis_argument = (!axis.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> axis));
        quote_spanned! {Span::mixed_site()=>
            #[doc = #doc]
            #[track_caller]
            #vis fn #name<#(#bounded,)* #array: #runtime::IntoLazy<#item>>(array: #array, #axis) -> #runtime::Result<#result> {
                #runtime::__private::#callee::<#function_type, #array::Expression>(#runtime::IntoLazy::into_lazy(array), #axis_argument)
            }
        }
    }

    /// What is folded. A type that rustc finds by a path has no other name in the module than that of the function's result.
    fn expand_item(&self) -> TokenStream {
        let (runtime, function_type) = (&self.runtime, self.function_type());
        match self.has_named_components() {
            true => quote_spanned!(Span::mixed_site()=> <#function_type as #runtime::__private::ArrayFunction>::Output),
            false => element(&self.function.output),
        }
    }

    fn has_named_components(&self) -> bool {
        self.function.output.components().iter().any(|component| matches!(component, Type::Named(_)))
    }

    /// What holds items: an array, or a tuple of one per component.
    fn expand_arrays(&self, item: &TokenStream) -> TokenStream {
        let runtime = &self.runtime;
        if self.has_named_components() {
            return quote_spanned!(Span::mixed_site()=> <#item as #runtime::support::Item>::Arrays);
        }
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
