//! Closures, which return `Err(Stop)` when they fail, like device functions, and functions passed by their names.

use super::super::source_unit::device_path;
use super::super::tokens::{expand_or_stop, expand_type, glue, returned_type};
use super::Body;
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

impl Body<'_> {
    pub(super) fn expand_closure(&self, closure: &Closure, at: Span) -> TokenStream {
        let (span, runtime) = (glue(at), self.runtime);
        let params = closure.params.iter().map(|(local, tokens)| {
            let name = self.expand_binding(*local);
            let ty = match tokens {
                Some(tokens) => Some(quote_spanned!(span=> : #tokens)),
                None => expand_type(&self.function.local(*local).ty, at).map(|ty| quote_spanned!(span=> : #ty)),
            };
            quote_spanned!(span=> #name #ty)
        });
        let output = match &closure.output {
            Type::Unit => quote_spanned!(span=> ()),
            output => expand_type(output, at).unwrap_or_else(|| quote_spanned!(span=> _)),
        };
        self.closure_outputs.borrow_mut().push(output.clone());
        let body = self.expand_expr(&closure.body);
        self.closure_outputs.borrow_mut().pop();
        let value = self.expand_ok(quote_spanned!(span=> __value));
        let capture = closure.is_move.then(|| quote_spanned!(span=> move));
        quote_spanned! {span=>
            #capture |#(#params),*| -> ::core::result::Result<#output, #runtime::__private::Stop> {
                let __value: #output = #body;
                #[allow(unreachable_code)]
                #value
            }
        }
    }

    /// What a `return` here returns.
    pub(super) fn output_here(&self) -> TokenStream {
        self.closure_outputs.borrow().last().cloned().unwrap_or_else(|| returned_type(self.function))
    }

    /// What a thread returns here that has recorded a failure.
    pub(super) fn expand_stopped(&self, span: Span) -> TokenStream {
        let runtime = self.runtime.located_at(span);
        if self.is_kernel && self.closure_outputs.borrow().is_empty() {
            return quote_spanned!(span=> #runtime::__private::STOPPED);
        }
        quote_spanned!(span=> ::core::result::Result::Err(#runtime::__private::Stop))
    }

    pub(super) fn expand_call_of_local(&self, function: LocalId, args: &[Expr], at: Span) -> TokenStream {
        let (name, args) = (self.expand_local(function, at), args.iter().map(|arg| self.expand_expr(arg)));
        expand_or_stop(&quote_spanned!(glue(at)=> #name(#(#args),*)), at)
    }

    /// A device function by its name, as something that calls its twin.
    pub(super) fn expand_function_item(&self, path: &syn::Path, explicit: &[GenericArgument], at: Span) -> TokenStream {
        let (device, explicit) = (device_path(path), self.expand_explicit(path, explicit, at));
        quote_spanned!(glue(at)=> <#device>::function #explicit(__thread))
    }
}
