//! Control flow: as the user wrote it, except that a failure and a `return` leave through a `Result`.

use super::super::sites::expand_site;
use super::super::tokens::{expand_scalar, glue};
use super::Body;
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

impl Body<'_> {
    pub(super) fn expand_if(&self, condition: &Expr, then: &Block, otherwise: Option<&Expr>, span: Span) -> TokenStream {
        let span = glue(span);
        let (condition, then) = (self.expand_condition(condition), self.expand_block(then));
        let otherwise = otherwise.map(|otherwise| {
            let tokens = self.expand_expr(otherwise);
            match &otherwise.kind {
                ExprKind::If { .. } | ExprKind::Block { label: None, .. } => quote_spanned!(span=> else #tokens),
                _ => quote_spanned!(span=> else { #tokens }),
            }
        });
        quote_spanned!(span=> if #condition #then #otherwise)
    }

    /// `'label: tokens`
    pub(super) fn expand_labelled(&self, label: Option<LabelId>, tokens: TokenStream, span: Span) -> TokenStream {
        let label = label.and_then(|id| self.label_name(id)).map(|name| quote_spanned!(glue(span)=> #name:));
        quote_spanned!(glue(span)=> #label #tokens)
    }

    fn label_name(&self, id: LabelId) -> Option<&syn::Lifetime> {
        self.function.labels[id.0].name.as_ref()
    }

    pub(super) fn expand_loop(&self, label: LabelId, body: &Block, span: Span) -> TokenStream {
        let body = self.expand_block(body);
        self.expand_labelled(Some(label), quote_spanned!(glue(span)=> loop #body), span)
    }

    pub(super) fn expand_while(&self, label: LabelId, condition: &Expr, body: &Block, span: Span) -> TokenStream {
        let (condition, body) = (self.expand_condition(condition), self.expand_block(body));
        self.expand_labelled(Some(label), quote_spanned!(glue(span)=> while #condition #body), span)
    }

    pub(super) fn expand_for(&self, label: LabelId, counter: LocalId, range: &Range, body: &Block, at: Span) -> TokenStream {
        let span = glue(at);
        if let (LocalKind::Round, Range::Bounds { start, end, adapters, .. }) = (self.function.local(counter).kind, range) {
            // As the user wrote it, but that it ends where the step would wrap around.
            let [start, end, mut body] = [self.expand_operand(start), self.expand_operand(end), self.expand_block(body)];
            if let [RangeAdapter::StepBy { step, .. }] = &adapters[..] {
                let step = self.expand_operand(step);
                body = quote_spanned!(span=> {
                    let __is_last = #end - #start <= #step;
                    #body
                    if __is_last {
                        break;
                    }
                });
            }
            return self.expand_labelled(Some(label), quote_spanned!(span=> while #start < #end #body), at);
        }
        let counter = self.expand_binding(counter);
        let range = self.expand_range(range, at);
        let body = self.expand_block(body);
        self.expand_labelled(Some(label), quote_spanned!(span=> for #counter in (#range) #body), at)
    }

    fn expand_range(&self, range: &Range, at: Span) -> TokenStream {
        let span = glue(at);
        match range {
            Range::Bounds { start, end, inclusive, adapters } => {
                let (start, end) = (self.expand_operand(start), self.expand_operand(end));
                let bounds = if *inclusive { quote_spanned!(span=> #start..=#end) } else { quote_spanned!(span=> #start..#end) };
                adapters.iter().fold(bounds, |range, adapter| self.expand_adapter(range, adapter))
            }
            Range::GridStride { path, length } => {
                let (function, length) = (self.expand_intrinsic_function(path, None), self.expand_expr(length));
                quote_spanned!(span=> #function(__thread, #length))
            }
        }
    }

    fn expand_adapter(&self, range: TokenStream, adapter: &RangeAdapter) -> TokenStream {
        match adapter {
            RangeAdapter::Rev(name) => quote_spanned!(glue(name.span())=> ::core::iter::Iterator::#name(#range)),
            RangeAdapter::StepBy { name, step, site } => {
                let span = glue(name.span());
                let (ty, step) = (expand_scalar(Scalar::Usize, step.span), self.expand_expr(step));
                let check = site.map(|site| {
                    let site = expand_site(site);
                    self.expand_stop_if(None, quote_spanned!(span=> __thread.stops_unless(__step != 0, #site)), false, span)
                });
                quote_spanned! {span=> {
                    let __range = #range;
                    let __step: #ty = #step;
                    #check
                    ::core::iter::Iterator::#name(__range, __step)
                }}
            }
        }
    }

    pub(super) fn expand_break(&self, label: LabelId, named: bool, value: Option<&Expr>, span: Span) -> TokenStream {
        let label = self.label_name(label).filter(|_| named);
        let value = value.map(|value| self.expand_operand(value));
        quote_spanned!(glue(span)=> break #label #value)
    }

    pub(super) fn expand_continue(&self, label: LabelId, named: bool, span: Span) -> TokenStream {
        let label = self.label_name(label).filter(|_| named);
        quote_spanned!(glue(span)=> continue #label)
    }

    pub(super) fn expand_return(&self, value: Option<&Expr>, at: Span) -> TokenStream {
        let span = glue(at);
        let Some(value) = value else {
            let unit = self.expand_ok(quote_spanned!(span=> ()));
            return quote_spanned!(span=> return #unit);
        };
        // Like the value of the body, it is checked against the declared type before it is wrapped.
        let (output, value) = (self.output_here(), self.expand_expr(value));
        let outcome = self.expand_ok(quote_spanned!(span=> __value));
        quote_spanned!(span=> { let __value: #output = #value; return #outcome })
    }

    pub(super) fn expand_panic(&self, site: SiteId, span: Span) -> TokenStream {
        let site = expand_site(site);
        quote_spanned!(glue(span)=> return ::core::result::Result::Err(__thread.fail(#site, [0, 0])))
    }

    pub(super) fn expand_assert(&self, condition: &Expr, site: SiteId, debug: bool, span: Span) -> TokenStream {
        let span = glue(span);
        let (condition, site) = (self.expand_expr(condition), expand_site(site));
        let assert = self.expand_stop_if(None, quote_spanned!(span=> __thread.stops_unless(#condition, #site)), false, span);
        // The user's crate decides: `cfg!` is expanded there.
        if debug { quote_spanned!(span=> if ::core::cfg!(debug_assertions) { #assert }) } else { assert }
    }
}
