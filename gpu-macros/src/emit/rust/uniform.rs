//! The parameters that must be the same for all threads of a block, and when the result is: constants that depend on those of the callees.

use super::called::{fallback_of_awaited, with_called_names};
use super::source_unit::device_path;
use super::tokens::text;
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// `pub const UNIFORM_PARAMETERS: u32 = …;`. Nothing if there are none: callers then find the constant of all functions.
pub(super) fn expand_uniform_parameters(runtime: &RuntimePath, uniformity: &UniformParameters, body: &Block) -> Option<TokenStream> {
    let UniformParameters { required: ParameterSet(required), calls, .. } = uniformity;
    let through = awaited_calls(body).into_iter().zip(calls).flat_map(|(call, known)| known.through.iter().map(move |of| (call, of)));
    let through: Vec<TokenStream> = through.map(|(call, of)| expand_through(runtime, call, of)).collect();
    (*required != 0 || !through.is_empty()).then(|| {
        quote_spanned! {Span::mixed_site()=>
            #[doc(hidden)]
            pub const UNIFORM_PARAMETERS: ::core::primitive::u32 = #required #(| #through)*;
        }
    })
}

/// `pub const UNIFORM_RESULT: … = …;`. Nothing if the threads of a block may always get different results.
pub(super) fn expand_uniform_result(runtime: &RuntimePath, uniformity: &UniformParameters, body: &Block) -> Option<TokenStream> {
    let UniformResult { parameters: ParameterSet(parameters), calls } = uniformity.result.as_ref()?;
    let awaited = awaited_calls(body);
    let conditions = calls.iter().map(|(call, divergent)| expand_has_uniform_result(runtime, awaited[*call], *divergent));
    Some(quote_spanned! {Span::mixed_site()=>
        #[doc(hidden)]
        pub const UNIFORM_RESULT: #runtime::calls::uniform::UniformResult<Self> =
            if true #(&& #conditions)* {
                // SAFETY: all threads of a block get the same result if these parameters and the results above are the same for them.
                unsafe { #runtime::calls::uniform::UniformResult::if_uniform(#parameters) }
            } else {
                #runtime::calls::uniform::UniformResult::UNKNOWN
            };
    })
}

/// Whether all threads of a block get the same result from `call`, if its `divergent` arguments may differ between them.
pub(super) fn expand_has_uniform_result(runtime: &RuntimePath, call: &Expr, ParameterSet(divergent): ParameterSet) -> TokenStream {
    let ExprKind::Call { path, .. } = &call.kind else { unreachable!("it is awaited") };
    let (device, fallback) = (device_path(path), fallback_of_awaited(runtime));
    quote_spanned!(Span::mixed_site()=> { #fallback <#device>::UNIFORM_RESULT.holds_for(#divergent) })
}

/// The calls that barriers depend on: the name of the function and the place of each, and whether all threads get the same result from it.
pub(super) fn expand_deciding_results(function: &Function, uniformity: &UniformParameters) -> Vec<(String, Span, TokenStream)> {
    let calls = awaited_calls(&function.body).into_iter().zip(&uniformity.calls);
    let deciding = calls.filter_map(|(call, known)| Some((call, known.decides?)));
    let expand = |(call, divergent): (&Expr, ParameterSet)| {
        let ExprKind::Call { path, .. } = &call.kind else { unreachable!("it is awaited") };
        let name = path.segments.last().map_or_else(String::new, |last| text(&last.ident));
        (name, call.span, with_called_names(function, expand_has_uniform_result(&function.runtime, call, divergent)))
    };
    deciding.map(expand).collect()
}

/// The parameters, if the callee needs the argument to be the same for all.
fn expand_through(runtime: &RuntimePath, call: &Expr, (argument, ParameterSet(parameters)): &(usize, ParameterSet)) -> TokenStream {
    let ExprKind::Call { path, .. } = &call.kind else { unreachable!("it is awaited") };
    let (device, fallback, ParameterSet(argument)) = (device_path(path), fallback_of_awaited(runtime), ParameterSet::of([*argument]));
    quote_spanned! {Span::mixed_site()=>
        (if { #fallback <#device>::UNIFORM_PARAMETERS & #argument } != 0 { #parameters } else { 0 })
    }
}
