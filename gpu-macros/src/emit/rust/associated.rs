//! How a call of a function of a type finds its CUDA C: by an expression like the user's, which rustc types and nothing evaluates.
//!
//! Each such function has a hidden function with the same parameters, which returns a value that identifies its CUDA C. A call of the
//! hidden function, with placeholder values for receiver and arguments, resolves like the user's call: inherent `impl`s before traits, by
//! value before by reference, by all of rustc's rules.

use super::generics::expand_callee;
use super::method::code_name;
use super::tokens::{expand_type, glue};
use crate::emit::{AssociatedCallee, AssociatedFunction, Known};
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// `(*value::<Circle>()).gpu_code_area()`
pub(super) fn expand_associated_callee(runtime: &TokenStream, callee: &AssociatedCallee) -> TokenStream {
    let span = match &callee.function {
        AssociatedFunction::Method(_, name) => glue(name.span()),
        AssociatedFunction::Path(path) => path.path.segments.last().map_or_else(Span::mixed_site, |last| glue(last.ident.span())),
    };
    let args = callee.args.iter().map(|arg| expand_value(runtime, arg, span));
    match &callee.function {
        AssociatedFunction::Method(receiver, name) => {
            let (receiver, code) = (expand_value(runtime, receiver, span), code_name(name));
            quote_spanned!(span=> #receiver.#code(#(#args),*))
        }
        AssociatedFunction::Path(path) => {
            let code = path.path.segments.last().map(|last| code_name(&last.ident));
            match callee.owner.as_ref().and_then(|owner| expand_type(owner, span)) {
                Some(owner) => quote_spanned!(span=> <#owner>::#code(#(#args),*)),
                None => {
                    let function = code.map(|code| path.renamed(code));
                    quote_spanned!(span=> #function(#(#args),*))
                }
            }
        }
    }
}

/// An expression of the known type.
fn expand_value(runtime: &TokenStream, known: &Known, span: Span) -> TokenStream {
    match known {
        Known::Returned(callee) => {
            let call = expand_associated_callee(runtime, callee);
            quote_spanned!(span=> (*#runtime::calls::output(#call)))
        }
        Known::Part(base, part) => expand_part(runtime, base, part, span),
        Known::Reference(value, mutable) => {
            let value = expand_value(runtime, value, span);
            if *mutable { quote_spanned!(span=> &mut #value) } else { quote_spanned!(span=> &#value) }
        }
        Known::OutputOf(callee) => {
            let callee = expand_callee(runtime, callee);
            quote_spanned!(span=> (*#runtime::calls::value::<#callee::Output>()))
        }
        Known::Type(ty) => {
            let ty = expand_type(ty, span).unwrap_or_else(|| quote_spanned!(span=> _));
            quote_spanned!(span=> (*#runtime::calls::value::<#ty>()))
        }
        Known::Nothing | Known::Const(_) => quote_spanned!(span=> #runtime::calls::any()),
    }
}

fn expand_part(runtime: &TokenStream, base: &Known, part: &Part, span: Span) -> TokenStream {
    // The fields of a variant are there where the value is of it.
    if let (Known::Part(value, Part::Variant(variant)), Part::Field(_) | Part::Position(_)) = (base, part)
        && let Known::Type(Type::Named(owner)) = &**value
    {
        let (path, value) = (&owner.path, expand_value(runtime, value, span));
        let member = match part {
            Part::Field(name) => quote_spanned!(span=> #name),
            Part::Position(index) => {
                let index = syn::Index { index: *index as u32, span };
                quote_spanned!(span=> #index)
            }
            _ => unreachable!("it is a field"),
        };
        return quote_spanned! {span=>
            match #value {
                #path::#variant { #member: __part, .. } => __part,
                #[allow(unreachable_patterns)]
                _ => #runtime::calls::any(),
            }
        };
    }
    let base = expand_value(runtime, base, span);
    match part {
        Part::Field(name) => quote_spanned!(span=> #base.#name),
        Part::Position(index) => {
            let index = syn::Index { index: *index as u32, span };
            quote_spanned!(span=> #base.#index)
        }
        Part::Element => quote_spanned!(span=> #base[0]),
        Part::Output(..) | Part::Variant(_) => unreachable!("a call is known as one, and a variant has no values of its own"),
    }
}
