//! Whether a kernel's launch is safe, as an implementation of the runtime's `RaceFree`.
//!
//! Of a proved kernel it has no conditions. Where the proof depends on constants whose values only rustc knows, or where there is no
//! proof, the implementation is generic over a type parameter, which is always `()`, and requires a trait of it:
//!
//! ```ignore
//! #[diagnostic::on_unimplemented(message = "…", label = "…", note = "…")]
//! trait NoDataRace<const HOLDS: bool> {}
//! impl NoDataRace<true> for () {}
//! unsafe impl<By_: NoDataRace<{ TILE <= BLOCK }>> RaceFree<By_> for kernel::Kernel {}
//! ```
//!
//! So rustc evaluates the condition, which is `false` where there is no proof, and a launch of the kernel gets the trait's message.
//! Constant expressions in types cannot contain the parameters of a generic kernel; conditions on those are assertions that each
//! instance of the launch evaluates.

use super::bounds::expand_constant_condition;
use super::generics::{expand_instance_params, is_generic};
use super::held::{expand_clause, expand_held_types};
use super::launcher::expand_kernel_type;
use super::source_unit::expand_constants;
use super::tokens::{glue, text};
use super::uniform::expand_deciding_results;
use crate::idents::words_of;
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// The implementation of `RaceFree`, as far as the kernel is proved.
pub(super) fn expand_proof(function: &Function, proof: &RaceFreedom, uniformity: &UniformParameters) -> TokenStream {
    match proof {
        RaceFreedom::Unproved(accesses) => expand_unproved(function, accesses),
        RaceFreedom::Proved { conditions, .. } => expand_proved(function, conditions, uniformity),
    }
}

/// The conditions that the launch decides.
pub(super) fn launch_conditions(proof: &RaceFreedom) -> Vec<&Condition> {
    match proof {
        RaceFreedom::Proved { conditions, .. } => conditions.iter().filter(|condition| !condition.inequality.is_constant()).collect(),
        RaceFreedom::Unproved(_) => Vec::new(),
    }
}

fn expand_unproved(function: &Function, accesses: &[UnprovedAccess]) -> TokenStream {
    let kernel = text(&function.name);
    let note = |(index, access): (usize, &UnprovedAccess)| match index {
        0 => format!("for a safe launch, {}", access.help),
        _ => format!("{}; for a safe launch, {}", access.what, access.help),
    };
    let finding = Finding {
        message: format!("the kernel `{kernel}` is not proved free of data races"),
        label: accesses.first().map_or_else(String::new, |access| access.what.clone()),
        notes: accesses.iter().enumerate().map(note).collect(),
        span: accesses.first().map_or_else(Span::mixed_site, |access| access.span),
    };
    let name = finding.name(0);
    let finding = finding.expand(&name, &kernel);
    let implementation = expand_implementation(function, Some(quote_spanned!(name.span()=> #name<false>)), None);
    quote_spanned!(Span::mixed_site()=> #finding #implementation)
}

fn expand_proved(function: &Function, conditions: &[Condition], uniformity: &UniformParameters) -> TokenStream {
    let kernel = text(&function.name);
    let decided = conditions.iter().filter(|condition| condition.inequality.is_constant());
    let (of_instances, of_kernel): (Vec<&Condition>, Vec<&Condition>) = decided.partition(|condition| names_parameter(function, condition));
    let constants = expand_constants(function);
    let mut findings = TokenStream::new();
    let bounds = of_kernel.iter().enumerate().map(|(index, condition)| {
        let (text, access) = (&condition.text, &condition.access);
        let finding = Finding {
            message: format!("the kernel `{kernel}` is not proved free of data races, because `{text}` is false"),
            label: format!("`{text}` is false"),
            notes: vec![format!("{access}: no two threads have the same index if `{text}`"), help_with_constants(condition)],
            span: function.name.span(),
        };
        let name = finding.name(index);
        findings.extend(finding.expand(&name, &kernel));
        let holds = expand_constant_condition(&condition.inequality);
        quote_spanned!(Span::mixed_site()=> #name<{ #constants #holds }>)
    });
    let mut bounds: Vec<TokenStream> = bounds.collect();
    for (called, span, holds) in expand_deciding_results(function, uniformity) {
        let finding = Finding {
            message: format!("the kernel `{kernel}` is not proved free of data races"),
            label: format!("the threads of a block may get different results from `{called}`, and a barrier depends on this one"),
            notes: vec!["for a safe launch, decide by `sync_threads_or(…)` or `sync_threads_and(…)`, which return the same to all threads of the block".to_owned()],
            span,
        };
        let name = finding.name(bounds.len());
        findings.extend(finding.expand(&name, &kernel));
        bounds.push(quote_spanned!(Span::mixed_site()=> #name<{ #holds }>));
    }
    let bound = (!bounds.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> #(#bounds)+*));
    let assertions = of_instances.iter().map(|condition| {
        let message = format!(
            "{}: the kernel `{kernel}` is free of data races only if `{}`, which is false for these parameters\nhelp: use other parameters, or `launch_unchecked` if no two threads use the same element",
            condition.access, condition.text
        );
        let holds = expand_constant_condition(&condition.inequality);
        quote_spanned!(Span::mixed_site()=> if !(#holds) { ::core::panic!("{}", #message) })
    });
    let assertions: Vec<TokenStream> = assertions.collect();
    let assertions = (!assertions.is_empty()).then(|| {
        quote_spanned! {Span::mixed_site()=>
            const CONDITIONS: () = { #constants #(#assertions)* };
        }
    });
    let implementation = expand_implementation(function, bound, assertions);
    quote_spanned!(Span::mixed_site()=> #findings #implementation)
}

/// What to write where a condition on constants is false. It suffices for the proof; the kernel may be right without it.
fn help_with_constants(condition: &Condition) -> String {
    let is_own =
        |atom: &Atom| matches!(atom, Atom::Constant(tokens) if !words_of(tokens.to_token_stream()).iter().any(|word| word == "WARP_SIZE"));
    let index = "compute the index so that the proof sees different elements for different threads, such as from `grid_1d()`";
    let Condition { inequality, text, .. } = condition;
    match inequality.most.any(&is_own) || inequality.length.any(&is_own) {
        true => format!("for a safe launch, {index}, or choose constants for which `{text}`"),
        false => format!("for a safe launch, {index}"),
    }
}

/// Whether the condition is about a parameter of a generic kernel.
fn names_parameter(function: &Function, condition: &Condition) -> bool {
    if !is_generic(function) {
        return false;
    }
    let names = function.type_params.iter().map(|param| &param.name).chain(function.const_params.iter().map(|param| &param.name));
    let names: Vec<String> = names.map(text).collect();
    let is_named = |atom: &Atom| match atom {
        Atom::Constant(tokens) => words_of(tokens.to_token_stream()).iter().any(|word| names.contains(word)),
        _ => false,
    };
    condition.inequality.most.any(&is_named) || condition.inequality.length.any(&is_named)
}

/// `unsafe impl RaceFree`. `bound`: what is required of the type parameter.
fn expand_implementation(function: &Function, bound: Option<TokenStream>, items: Option<TokenStream>) -> TokenStream {
    let (runtime, kernel) = (&function.runtime, expand_kernel_type(function));
    let params = if is_generic(function) { expand_instance_params(function) } else { Vec::new() };
    let held = expand_clause(None, &expand_held_types(function));
    match bound {
        None => {
            let params = (!params.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> <#(#params),*>));
            quote_spanned!(Span::mixed_site()=> unsafe impl #params #runtime::RaceFree for #kernel #held { #items })
        }
        Some(bound) => quote_spanned! {Span::mixed_site()=>
            unsafe impl<#(#params,)* By_: #bound> #runtime::RaceFree<By_> for #kernel #held { #items }
        },
    }
}

/// A trait whose message rustc prints where a launch needs the proof.
struct Finding {
    message: String,
    label: String,
    notes: Vec<String>,
    /// Of the code that is to blame.
    span: Span,
}

impl Finding {
    /// The name of the trait, located at the code.
    fn name(&self, index: usize) -> Ident {
        let number = if index == 0 { String::new() } else { index.to_string() };
        Ident::new(&format!("NoDataRace{number}"), glue(self.span))
    }

    /// The trait, which is generic over the value of a condition. (Of one without any implementation, rustc would advise to write one.)
    fn expand(&self, name: &Ident, kernel: &str) -> TokenStream {
        // The texts are format strings.
        let [message, label] = [&self.message, &self.label].map(|text| escaped(text));
        let notes = self.notes.iter().map(|note| escaped(note));
        let advice = escaped(&format!(
            "if you know that no two threads of a launch race: `unsafe {{ {kernel}(…).launch_unchecked(grid, block) }}`, or `forall_unchecked(n)`"
        ));
        quote_spanned! {Span::mixed_site()=>
            #[diagnostic::on_unimplemented(message = #message, label = #label, #(note = #notes,)* note = #advice)]
            pub trait #name<const HOLDS: ::core::primitive::bool> {}
            impl #name<true> for () {}
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}
