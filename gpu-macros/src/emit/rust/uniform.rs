//! The parameters that must be the same for all threads of a block: a constant that depends on the constants of the callees.

use super::called::fallback_of_awaited;
use super::source_unit::device_path;
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// `pub const UNIFORM_PARAMETERS: u32 = …;`. Nothing if there are none: callers then find the constant of all functions.
pub(super) fn expand_uniform_parameters(runtime: &RuntimePath, uniformity: &UniformParameters, body: &Block) -> Option<TokenStream> {
    let UniformParameters { required: ParameterSet(required), calls } = uniformity;
    let through = awaited_calls(body).into_iter().zip(calls).flat_map(|(call, known)| known.through.iter().map(move |of| (call, of)));
    let through: Vec<TokenStream> = through.map(|(call, of)| expand_through(runtime, call, of)).collect();
    (*required != 0 || !through.is_empty()).then(|| {
        quote_spanned! {Span::mixed_site()=>
            #[doc(hidden)]
            pub const UNIFORM_PARAMETERS: ::core::primitive::u32 = #required #(| #through)*;
        }
    })
}

/// The parameters, if the callee needs the argument to be the same for all.
fn expand_through(runtime: &RuntimePath, call: &Expr, (argument, ParameterSet(parameters)): &(usize, ParameterSet)) -> TokenStream {
    let ExprKind::Call { path, .. } = &call.kind else { unreachable!("it is awaited") };
    let (device, fallback, ParameterSet(argument)) = (device_path(path), fallback_of_awaited(runtime), ParameterSet::of([*argument]));
    quote_spanned! {Span::mixed_site()=>
        (if { #fallback <#device>::UNIFORM_PARAMETERS & #argument } != 0 { #parameters } else { 0 })
    }
}
