//! The pipeline on one screen: lower → infer → check → emit. Every function goes through it, also those of an `impl` or a trait.
//!
//! All stages run, whatever an earlier one refused, so that one build shows all mistakes. Only a function without any is emitted.

use crate::check::{Analysis, check_function, count_while_loops};
use crate::emit::Source;
use crate::emit::cuda::write_cuda_function;
use crate::errors::Errors;
use crate::infer::infer_function;
use crate::lower::lower_function;
use crate::model::{Function, Item, RuntimePath};
use proc_macro2::TokenStream;
use quote::quote;

/// A function through all stages.
pub(crate) struct Compiled {
    pub(crate) function: Function,
    /// What is known of it, and its CUDA C. `None` after an error.
    pub(crate) output: Option<(Analysis, Source)>,
}

/// The stages. There were `before` errors before those of this function. `None` if its signature is too broken to continue.
pub(crate) fn compile(item: Item<'_>, before: usize, errors: &Errors) -> Option<Compiled> {
    let lowered = lower_function(item, errors)?;
    let mut function = infer_function(lowered, errors);
    count_while_loops(&mut function);
    let analysis = check_function(&function, before, errors);
    let output = analysis.map(|analysis| {
        let source = write_cuda_function(&function, &analysis);
        (analysis, source)
    });
    Some(Compiled { function, output })
}

/// Items that trust the runtime, and the assertion that it is the runtime.
pub(crate) fn asserting(runtime: &RuntimePath, items: TokenStream) -> TokenStream {
    let assertion = runtime.assert_is_crate();
    quote!(#items #assertion)
}

pub(crate) fn with_errors(errors: Errors, tokens: TokenStream) -> TokenStream {
    assert!(!errors.is_empty(), "what was refused has errors");
    let errors = errors.into_tokens();
    quote!(#tokens #errors)
}

/// Attributes at the start of a body, `#![…]`, in front of the item, where they mean the same: its parts are printed apart.
pub(crate) fn make_outer(attributes: &mut [syn::Attribute]) {
    for attribute in attributes {
        attribute.style = syn::AttrStyle::Outer;
    }
}
