//! The twin's body: the user's function as Rust with the semantics that both backends share.
//!
//! It has the shape of the user's body: the same blocks, bindings and control flow, so shadowing, scopes and borrows are rustc's
//! business. What differs: arithmetic that wraps, indices that are checked through the thread, failures that return `Err(Stop)`
//! instead of unwinding, and calls that pass the thread on.

mod assembly;
mod atomic;
mod call;
mod closure;
mod control;
mod expr;
mod operator;
mod pattern;
mod place;
mod preferred;
mod stmt;
mod structs;
mod tile;
mod views;

use super::called::KnownNames;
use super::method::mark_name;
use super::parameter::parameters;
use super::sites::expand_thread_of_callee;
use super::tokens::{expand_scalar, expand_type, glue, returned_type};
use crate::idents::text_of;
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use std::cell::RefCell;
use syn::spanned::Spanned;

/// Expands the body of one function.
pub(super) struct Body<'f> {
    function: &'f Function,
    /// For each site, when its check is redundant; nothing is known of sites beyond the end.
    bounds: &'f [Bound],
    /// The awaited calls, and which of their arguments are the same for all threads of a block; nothing is known of other calls.
    awaited: Vec<(&'f Expr, &'f UniformArguments)>,
    runtime: &'f RuntimePath,
    is_kernel: bool,
    /// The constants whose numbers proofs rely on.
    numbers: &'f [NamedNumber],
    /// The imports in front of the body say that the user's names mean the intrinsics.
    intrinsics_are_asserted: bool,
    /// The types that the closures around the current expression return, innermost last.
    closure_outputs: RefCell<Vec<TokenStream>>,
}

impl<'f> Body<'f> {
    pub(super) fn new(function: &'f Function) -> Self {
        Body {
            function,
            bounds: &[],
            awaited: Vec::new(),
            runtime: &function.runtime,
            is_kernel: false,
            numbers: &[],
            intrinsics_are_asserted: KnownNames::of(function).are_of_intrinsics,
            closure_outputs: RefCell::default(),
        }
    }

    /// The body of a kernel, of whose checks these are redundant.
    pub(super) fn of_kernel(function: &'f Function, bounds: &'f [Bound]) -> Self {
        Body { bounds, is_kernel: true, ..Body::new(function) }
    }

    /// The same body, whose proofs rely on these numbers.
    pub(super) fn with_numbers(self, numbers: &'f [NamedNumber]) -> Self {
        Body { numbers, ..self }
    }

    /// The same body, with what is known of the arguments of its awaited calls.
    pub(super) fn with_uniformity(self, uniformity: &'f UniformParameters) -> Self {
        Body { awaited: awaited_calls(&self.function.body).into_iter().zip(&uniformity.calls).collect(), ..self }
    }

    /// The code of one thread of a kernel. Expects the parameters under the user's names.
    pub(super) fn expand_kernel_body(&self) -> TokenStream {
        let params = self.function.params.iter().map(|param| {
            let Local { name, mutable, ty, .. } = self.function.local(param.local);
            if ty.view().is_some() {
                return Some(self.expand_view_of_thread(param));
            }
            // Each thread has its own handle to a `&mut` slice and its own copy of a `mut` number.
            let value = match ty {
                // SAFETY: threads use the same element only as the launch allows.
                Type::Slice { mutable: true, .. } => {
                    let runtime = self.runtime;
                    quote_spanned!(glue(name.span())=> unsafe { #runtime::__private::SharedSliceMut::of_thread(&#name) })
                }
                _ if *mutable => name.to_token_stream(),
                _ => return None,
            };
            Some(quote_spanned!(glue(name.span())=> #[allow(unused_mut)] let mut #name = #value;))
        });
        let body = self.expand_framed();
        quote_spanned!(Span::mixed_site()=> #(#params)* #body)
    }

    /// The code of a call of a device function.
    pub(super) fn expand_device_body(&self) -> TokenStream {
        let params = parameters(self.function).map(|param| param.expand_received());
        let (thread, body) = (expand_thread_of_callee(self.function), self.expand_framed());
        quote_spanned!(Span::mixed_site()=> #thread #(#params)* #body)
    }

    /// The constants, the statements, and the value: checked against the declared type before it is wrapped, so that a mismatch is
    /// reported on the user's last expression.
    fn expand_framed(&self) -> TokenStream {
        let (constants, output) = (&self.function.constants, returned_type(self.function));
        let (assumptions, marks) = (self.expand_assumptions(), self.expand_marks());
        let body = self.expand_block(&self.function.body);
        let value = self.expand_ok(quote_spanned!(Span::mixed_site()=> __value));
        quote_spanned! {Span::mixed_site()=>
            #(#constants)*
            #assumptions
            #marks
            let __value: #output = #body;
            #[allow(unreachable_code)]
            return #value;
        }
    }

    /// Asserts what the macro took names for: types, fields whose types it read, and constants whose type it inferred or whose number it
    /// read.
    fn expand_assumptions(&self) -> TokenStream {
        // The runtime compares tuples of at most so many.
        let types = self.function.assumptions.chunks(12).map(|assumptions| {
            let span = glue(assumptions[0].written.span());
            let written = assumptions.iter().map(|assumption| &assumption.written);
            let meant = assumptions.iter().map(|assumption| expand_scalar(assumption.scalar, span));
            let runtime = self.runtime.located_at(assumptions[0].written.span());
            quote_spanned!(span=> let _ = #runtime::calls::names_mean::<(#(#written,)*), (#(#meant,)*)>;)
        });
        let constants = inferred_constants(self.function).into_iter().map(|(path, scalar)| {
            let span = path.span();
            let scalar = expand_scalar(scalar, span);
            quote_spanned!(glue(span)=> let _: #scalar = #path;)
        });
        let owners = self.function.field_types.chunk_by(|one, other| one.owner == other.owner);
        let fields = owners.map(|fields| {
            let (owner, span) = (&fields[0].owner, glue(fields[0].owner.span()));
            let types = fields.iter().map(|field| expand_type(&field.ty, span));
            let values = fields.iter().map(|FieldType { members, .. }| quote_spanned!(span=> __value #(.#members)*));
            quote_spanned!(span=> let _ = |__value: #owner| -> (#(#types,)*) { (#(#values,)*) };)
        });
        let runtime = self.runtime;
        let functions = self.function.std_functions.iter().map(|(written, meant)| {
            let span = glue(written.span());
            quote_spanned!(span=> #runtime::calls::same_function(#written, #meant);)
        });
        // Of another number, the array has another length.
        let numbers = self.numbers.iter().map(|NamedNumber { name, number }| {
            let span = glue(name.span());
            let (usize, number) = (expand_scalar(Scalar::Usize, span), proc_macro2::Literal::u64_unsuffixed(*number));
            quote_spanned!(span=> let _: [(); #number] = [(); #name as #usize];)
        });
        let known = self.function.known_names.iter().map(|known| self.expand_known(known));
        let names = self.function.same_names.iter().map(|SameName { declared, used, is_label }| {
            let span = glue(used.span());
            if *is_label {
                let [declared, used] = [declared, used].map(|name| syn::Lifetime { apostrophe: name.span(), ident: name.clone() });
                return quote_spanned!(span=> #[allow(unused_labels)] let _ = || { #declared: { break #used; } };);
            }
            // If they are one name, it now is that of this variable.
            quote_spanned!(span=> let _ = || { let #declared = #runtime::calls::Variable; #runtime::calls::same_variable(#used); };)
        });
        let methods = self.expand_preferred_methods();
        quote_spanned!(Span::mixed_site()=> #(#names)* #(#known)* #(#types)* #(#fields)* #(#constants)* #(#numbers)* #(#functions)* #methods)
    }

    /// Asserts that a name leads to what it is taken for.
    fn expand_known(&self, known: &KnownName) -> TokenStream {
        let (runtime, span) = (self.runtime, glue(known.name().span()));
        match known {
            KnownName::Variant(path, variant) => {
                // Of a type that no variant of the user's has.
                let own = runtime.located_at(known.name().span());
                let value = quote_spanned!(known.name().span()=> #own::calls::Variable);
                let (ty, pattern) = match variant {
                    StdVariant::Some => (quote_spanned!(span=> Option<#value>), quote_spanned!(span=> #path(#value))),
                    StdVariant::None => (quote_spanned!(span=> Option<#value>), quote_spanned!(span=> #path)),
                    StdVariant::Ok | StdVariant::Value => (quote_spanned!(span=> Result<#value, ()>), quote_spanned!(span=> #path(#value))),
                    StdVariant::Err | StdVariant::Rest => (quote_spanned!(span=> Result<(), #value>), quote_spanned!(span=> #path(#value))),
                };
                let module = if variant.owner() == Some(StdEnum::Option) { "option" } else { "result" };
                let module = proc_macro2::Ident::new(module, span);
                quote_spanned!(span=> let _ = |__value: ::core::#module::#ty| match __value { #pattern => {} _ => {} };)
            }
            KnownName::Macro(name, arguments) => {
                let arguments: TokenStream = arguments.parse().expect("they are tokens");
                // Another macro than those of the import makes the name ambiguous.
                quote_spanned! {span=> let _ = || {
                    #[allow(unused_imports)]
                    use #runtime::__private::macros::*;
                    let _ = #name!(#arguments);
                };}
            }
            KnownName::Imported(name, variant) => quote_spanned! {span=>
                const _: () = match #name {
                    #variant => {}
                    #[allow(unreachable_patterns)]
                    _ => ::core::panic!("this name is taken for a variant, and is another constant"),
                };
            },
        }
    }

    /// Mentions what marks a trait with `#[gpu_device]`, so that rustc refuses a bound without it: its functions would not be checked,
    /// and another trait's of the same name called.
    fn expand_marks(&self) -> TokenStream {
        let bounds = self.function.type_params.iter().flat_map(|param| param.traits.iter().map(move |bound| (&param.name, &bound.path)));
        let marks = bounds.map(|(name, path)| {
            let span = glue(syn::spanned::Spanned::span(path));
            let mark = mark_name(span);
            quote_spanned!(span=> let _ = <#name as #path>::#mark;)
        });
        marks.collect()
    }

    /// `Ok(value)`, with the error type that an async block cannot infer.
    fn expand_ok(&self, value: TokenStream) -> TokenStream {
        let runtime = self.runtime;
        quote_spanned!(Span::mixed_site()=> ::core::result::Result::Ok::<_, #runtime::__private::Stop>(#value))
    }
}

/// The constants outside of the function that were inferred to be a number, each once. Of those that it declares, and of its
/// parameters, the type is written.
fn inferred_constants(function: &Function) -> Vec<(syn::Path, Scalar)> {
    fn collect(expr: &Expr, function: &Function, found: &mut Vec<(syn::Path, Scalar)>) {
        if let (ExprKind::Constant(path), Type::Scalar(scalar)) = (&expr.kind, &expr.ty) {
            let is_declared = path.get_ident().is_some_and(|name| {
                function.constants.iter().any(|constant| constant.name == *name)
                    || function.const_params.iter().any(|param| param.name == *name)
            });
            let text = text_of(path);
            if !is_declared && !found.iter().any(|(known, _)| text_of(known) == text) {
                found.push((path.clone(), *scalar));
            }
        }
        expr.for_each_child(&mut |child| collect(child, function, found));
    }
    let mut found = Vec::new();
    function.body.for_each_child(&mut |expr| collect(expr, function, &mut found));
    found
}
