//! An operator of a user's type: the `impl` of std's trait for the host, and that of the runtime's trait for kernels.

use super::associated::expand_operator_of;
use super::attributes;
use super::body::Body;
use super::called::with_called_names;
use super::device::expand_param;
use super::method::{Home, expand_code};
use super::sites::expand_sites;
use super::tokens::{expand_outcome, output_type, returned_type};
use crate::emit::Source;
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// What the function of an operator takes and returns.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// Two values, for a value.
    Binary,
    /// A value, for a value.
    Unary,
    /// Two references, for a `bool` or an order, of the runtime's operator of this name.
    Comparison(&'static str),
    /// A mutable reference and a value: `a += b`, of the operator of this name.
    Assignment(&'static str),
    /// A reference and an index, for a reference.
    Index,
    /// The same of mutable references.
    IndexMut,
}

/// The `impl` of an operator: `impl Add<f32> for Vector { type Output = Vector; fn add(self, by: f32) -> Vector { … } }`.
pub(crate) struct OperatorImpl<'i> {
    pub(crate) block: &'i syn::ItemImpl,
    /// Std's trait, as the user wrote it.
    pub(crate) path: &'i syn::Path,
    /// The last name of `path`.
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    /// The type of the right operand, if there is one.
    pub(crate) right: Option<TokenStream>,
    /// The type of the left operand: that of the block, or what that refers to.
    pub(crate) owner: TokenStream,
    /// Which operands are references, the left one first. `right` and `owner` are the types of their values.
    pub(crate) by_reference: [bool; 2],
    /// The items other than the function.
    pub(crate) others: Vec<TokenStream>,
    /// The function as the user wrote it, without `Self`.
    pub(crate) signature: &'i syn::Signature,
}

/// Both implementations. Without `source`, after an error, what kernels call is a stub.
pub(crate) fn expand_operator(operator: &OperatorImpl<'_>, function: &Function, source: Option<&Source>) -> TokenStream {
    let OperatorImpl { block, path, name, form, right, owner, by_reference, others, signature } = operator;
    let syn::ItemImpl { attrs, unsafety, self_ty, generics, .. } = block;
    let (params, arguments, conditions) = generics.split_for_impl();
    let runtime = &function.runtime;
    let output = output_type(function);
    let (own, repeated, generated) = (attributes::own(function), attributes::repeated(function), attributes::generated());
    let op = match form {
        // It takes references always.
        Form::Comparison(op) => expand_operator_of(runtime, op, [false; 2]),
        Form::Assignment(op) => expand_operator_of(runtime, op, *by_reference),
        _ => expand_operator_of(runtime, name, *by_reference),
    };
    let site = match form {
        Form::Binary | Form::Comparison(_) | Form::Index | Form::IndexMut => {
            Some(quote_spanned!(Span::mixed_site()=> _: ::core::option::Option<::core::primitive::u32>))
        }
        Form::Unary | Form::Assignment(_) => None,
    };
    let home = match form {
        Form::Binary if *by_reference != [false; 2] => {
            let (op, [left, by_right]) = (expand_operator_of(runtime, name, [false; 2]), *by_reference);
            quote_spanned!(Span::mixed_site()=> #runtime::__private::ops::ReferenceOperator<#op, #left, #by_right, #right>)
        }
        Form::Binary | Form::Comparison(_) => quote_spanned!(Span::mixed_site()=> #runtime::__private::ops::Operator<#op, #right>),
        Form::Unary => quote_spanned!(Span::mixed_site()=> #runtime::__private::ops::UnaryOperator<#op>),
        Form::Assignment(_) => quote_spanned!(Span::mixed_site()=> #runtime::__private::ops::AssignmentOperator<#op, #right>),
        Form::Index => quote_spanned!(Span::mixed_site()=> #runtime::__private::ops::IndexOperator<#right>),
        Form::IndexMut => quote_spanned!(Span::mixed_site()=> #runtime::__private::ops::IndexMutOperator<#right>),
    };
    let result = match form {
        Form::Assignment(_) | Form::IndexMut => None,
        _ => Some(quote_spanned!(Span::mixed_site()=> type Output = #output;)),
    };
    let receiver = signature.receiver();
    let this = receiver.map(|receiver| receiver.self_token);
    let names: Vec<_> = function.params.iter().skip(1).map(|param| function.local(param.local).name.to_token_stream()).collect();
    let param = (1..function.params.len()).map(|index| expand_param(function, index));
    let (apply_name, callee_name) = match form {
        Form::Index => ("element", "index_callee"),
        Form::IndexMut => ("element_mut", "index_mut_callee"),
        _ => ("apply", "callee"),
    };
    let (apply_name, callee_name) = (Ident::new(apply_name, Span::mixed_site()), Ident::new(callee_name, Span::mixed_site()));
    let outcome = expand_outcome(function, &returned_type(function));
    let (body, code) = match source {
        Some(source) => {
            let (sites, body) = (expand_sites(function), Body::new(function).expand_device_body());
            let home = Home::Impl(path);
            let body = with_called_names(function, body);
            let code = with_called_names(function, expand_code(function, &home, source));
            (
                quote_spanned!(Span::mixed_site()=> #sites #body),
                quote_spanned!(Span::mixed_site()=> #runtime::calls::callee_of(|| { #code })),
            )
        }
        None => (quote_spanned!(Span::mixed_site()=> ::core::unreachable!()), quote_spanned!(Span::mixed_site()=> ::core::unreachable!())),
    };
    let none = site.as_ref().map(|_| quote_spanned!(Span::mixed_site()=> ::core::option::Option::None));
    let [of_left, of_right] = by_reference.map(|by_reference| by_reference.then(|| quote_spanned!(Span::mixed_site()=> *)));
    let call = quote_spanned!(Span::mixed_site()=> <#owner as #home>::#apply_name(#of_left #this, #(#of_right #names,)* __thread, #none));
    let params_of_twin = quote_spanned!(Span::mixed_site()=> #receiver, #(#param,)* __thread: &#runtime::__private::Thread<'_>);
    // `apply` takes values, and what the user wrote may take references.
    let (written, apply) = if *by_reference == [false; 2] {
        let apply = quote_spanned! {Span::mixed_site()=>
            fn #apply_name(#params_of_twin, #site) -> #outcome {
                #body
            }
        };
        (None, apply)
    } else {
        let twin = quote_spanned!(Span::mixed_site()=> fn written(#params_of_twin) -> #outcome);
        let written = quote_spanned! {Span::mixed_site()=>
            trait GpuDeviceOperator #params #conditions {
                #twin;
            }
            impl #params GpuDeviceOperator #arguments for #self_ty #conditions {
                #generated
                #[allow(unused_variables)]
                #[inline]
                #twin {
                    #body
                }
            }
        };
        let by_reference = by_reference.map(|by_reference| by_reference.then(|| quote_spanned!(Span::mixed_site()=> &)));
        let [of_left, of_right] = by_reference;
        let of_self = if let Form::Assignment(_) = form { Some(quote_spanned!(Span::mixed_site()=> &mut)) } else { None };
        let (param, arg) = match right {
            Some(right) => (quote_spanned!(Span::mixed_site()=> __right: #right,), quote_spanned!(Span::mixed_site()=> #of_right __right,)),
            None => (TokenStream::new(), TokenStream::new()),
        };
        let apply = quote_spanned! {Span::mixed_site()=>
            fn apply(#of_self self, #param __thread: &#runtime::__private::Thread<'_>, #site) -> #outcome {
                GpuDeviceOperator::written(#of_left self, #arg __thread)
            }
        };
        (Some(written), apply)
    };
    let implementation = quote_spanned! {Span::mixed_site()=>
        #repeated
        // SAFETY: the attribute translated the same function.
        unsafe impl #params #home for #owner #conditions {
            #result

            #generated
            #[allow(unused_variables)]
            #[inline]
            #apply

            #[allow(unreachable_code)]
            fn #callee_name() -> ::core::option::Option<#runtime::calls::Callee> {
                ::core::option::Option::Some(#code)
            }
        }
    };
    let implementation = match written {
        Some(written) => quote_spanned!(Span::mixed_site()=> const _: () = { #written #implementation };),
        None => implementation,
    };
    quote_spanned! {Span::mixed_site()=>
        #(#attrs)*
        #unsafety impl #params #path for #self_ty #conditions {
            #(#others)*
            #own
            // A `mut self` is the twin's.
            #[allow(unused_mut, clippy::used_underscore_binding)]
            #signature {
                #runtime::__private::on_host(|__thread| #call)
            }
        }

        #implementation
    }
}
