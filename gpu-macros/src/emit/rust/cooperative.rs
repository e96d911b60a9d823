//! Whether a function contains a grid barrier: a constant that depends on the constants of its callees.
//!
//! The kernel's constant determines how it is launched. Only rustc knows the callees, so the constant is looked up through the callee's
//! path, like the callee's name in the CUDA C. Only awaited calls count, and those cannot be recursive.

use super::generics::expand_callee;
use crate::emit::Cooperation;
use crate::model::RuntimePath;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// `const COOPERATIVE: bool = …;`, for a function that may wait for the grid.
pub(super) fn expand_cooperative(runtime: &RuntimePath, cooperation: &Cooperation) -> Option<TokenStream> {
    let value = expand_value(runtime, cooperation)?;
    Some(quote_spanned!(Span::mixed_site()=> const COOPERATIVE: ::core::primitive::bool = #value;))
}

fn expand_value(runtime: &RuntimePath, cooperation: &Cooperation) -> Option<TokenStream> {
    if cooperation.has_barrier {
        return Some(quote_spanned!(Span::mixed_site()=> true));
    }
    let callees: Vec<_> = cooperation.awaited.iter().map(|callee| expand_callee(runtime, callee)).collect();
    if callees.is_empty() {
        return None;
    }
    Some(quote_spanned!(Span::mixed_site()=> #(<#callees::Instance as #runtime::calls::DeviceInstance>::COOPERATIVE)||*))
}

/// Runs the body `kernel`, an asynchronous closure, for the threads of `__blocks`.
pub(super) fn expand_run(runtime: &RuntimePath, cooperation: &Cooperation, kernel: &TokenStream) -> TokenStream {
    let in_blocks = quote_spanned!(Span::mixed_site()=> __blocks.for_each_thread_async(#kernel));
    let in_grid = quote_spanned!(Span::mixed_site()=> __blocks.for_each_thread_of_grid(#kernel));
    match cooperation {
        Cooperation { has_barrier: true, .. } => in_grid,
        Cooperation { awaited, .. } if awaited.is_empty() => in_blocks,
        _ => quote_spanned! {Span::mixed_site()=>
            let __kernel = #kernel;
            if <Self as #runtime::__private::KernelDefinition>::COOPERATIVE {
                __blocks.for_each_thread_of_grid(__kernel)
            } else {
                __blocks.for_each_thread_async(__kernel)
            }
        },
    }
}
