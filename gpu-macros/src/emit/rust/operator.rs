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
pub(crate) enum OperatorKind {
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
    pub(crate) kind: OperatorKind,
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

/// The trait of the runtime by which kernels find an operator.
struct DeviceTrait {
    /// `__private::ops::Operator<Add, f32>`
    path: TokenStream,
    /// The functions: the twin, and what has its CUDA C.
    functions: [Ident; 2],
    /// The twin takes the place of the call in the kernel, where a primitive operator may fail.
    has_site: bool,
    /// The type `Output` is declared.
    has_output: bool,
}

impl OperatorImpl<'_> {
    fn device_trait(&self, runtime: &RuntimePath) -> DeviceTrait {
        let OperatorImpl { name, right, by_reference, .. } = self;
        let [left_by_reference, right_by_reference] = by_reference;
        let ops = quote_spanned!(Span::mixed_site()=> #runtime::__private::ops);
        let (path, functions, has_site, has_output) = match self.kind {
            OperatorKind::Binary if *by_reference != [false; 2] => {
                let op = expand_operator_of(runtime, name, [false; 2]);
                let path =
                    quote_spanned!(Span::mixed_site()=> #ops::ReferenceOperator<#op, #left_by_reference, #right_by_reference, #right>);
                (path, ["apply", "callee"], true, true)
            }
            OperatorKind::Binary => {
                let op = expand_operator_of(runtime, name, [false; 2]);
                (quote_spanned!(Span::mixed_site()=> #ops::Operator<#op, #right>), ["apply", "callee"], true, true)
            }
            // It takes references always.
            OperatorKind::Comparison(name) => {
                let op = expand_operator_of(runtime, name, [false; 2]);
                (quote_spanned!(Span::mixed_site()=> #ops::Operator<#op, #right>), ["apply", "callee"], true, true)
            }
            OperatorKind::Unary => {
                let op = expand_operator_of(runtime, name, *by_reference);
                (quote_spanned!(Span::mixed_site()=> #ops::UnaryOperator<#op>), ["apply", "callee"], false, true)
            }
            OperatorKind::Assignment(name) => {
                let op = expand_operator_of(runtime, name, *by_reference);
                (quote_spanned!(Span::mixed_site()=> #ops::AssignmentOperator<#op, #right>), ["apply", "callee"], false, false)
            }
            OperatorKind::Index => {
                (quote_spanned!(Span::mixed_site()=> #ops::IndexOperator<#right>), ["element", "index_callee"], true, true)
            }
            OperatorKind::IndexMut => {
                (quote_spanned!(Span::mixed_site()=> #ops::IndexMutOperator<#right>), ["element_mut", "index_mut_callee"], true, false)
            }
        };
        DeviceTrait { path, functions: functions.map(|name| Ident::new(name, Span::mixed_site())), has_site, has_output }
    }
}

/// Both implementations. Without `source`, after an error, what kernels call is a stub.
pub(crate) fn expand_operator(operator: &OperatorImpl<'_>, function: &Function, source: Option<&Source>) -> TokenStream {
    let device_trait = operator.device_trait(&function.runtime);
    let (on_host, in_kernels) =
        (expand_std_impl(operator, &device_trait, function), expand_device_impl(operator, &device_trait, function, source));
    quote_spanned! {Span::mixed_site()=>
        #on_host

        #in_kernels
    }
}

/// The user's `impl`, whose function calls the twin.
fn expand_std_impl(operator: &OperatorImpl<'_>, device_trait: &DeviceTrait, function: &Function) -> TokenStream {
    let OperatorImpl { block, path, owner, by_reference, others, signature, .. } = operator;
    let syn::ItemImpl { attrs, unsafety, self_ty, generics, .. } = block;
    let (params, _, conditions) = generics.split_for_impl();
    let DeviceTrait { path: device_path, functions: [twin, _], has_site, .. } = device_trait;
    let (runtime, own) = (&function.runtime, attributes::own(function));
    let this = signature.receiver().map(|receiver| receiver.self_token);
    let names = function.params.iter().skip(1).map(|param| function.local(param.local).name.to_token_stream());
    let none = has_site.then(|| quote_spanned!(Span::mixed_site()=> ::core::option::Option::None));
    let [of_left, of_right] = by_reference.map(|by_reference| by_reference.then(|| quote_spanned!(Span::mixed_site()=> *)));
    let call = quote_spanned!(Span::mixed_site()=> <#owner as #device_path>::#twin(#of_left #this, #(#of_right #names,)* __thread, #none));
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
    }
}

/// What kernels call.
fn expand_device_impl(
    operator: &OperatorImpl<'_>,
    device_trait: &DeviceTrait,
    function: &Function,
    source: Option<&Source>,
) -> TokenStream {
    let (params, _, conditions) = operator.block.generics.split_for_impl();
    let DeviceTrait { path, functions: [_, callee], has_output, .. } = device_trait;
    let (owner, runtime) = (&operator.owner, &function.runtime);
    let (repeated, generated) = (attributes::repeated(function), attributes::generated());
    // What the user's `impl` tells rustc of its messages holds for this one.
    let of_messages =
        operator.block.attrs.iter().filter(|attribute| attribute.path().segments.first().is_some_and(|first| first.ident == "diagnostic"));
    let output = output_type(function);
    let output = has_output.then(|| quote_spanned!(Span::mixed_site()=> type Output = #output;));
    let (body, code) = match source {
        Some(source) => {
            let (sites, body) = (expand_sites(function), Body::new(function).with_numbers(&source.numbers).expand_device_body());
            let body = with_called_names(function, body);
            let code = with_called_names(function, expand_code(function, &Home::Impl(operator.path), source));
            (
                quote_spanned!(Span::mixed_site()=> #sites #body),
                quote_spanned!(Span::mixed_site()=> #runtime::calls::callee_of(|| { #code })),
            )
        }
        None => (quote_spanned!(Span::mixed_site()=> ::core::unreachable!()), quote_spanned!(Span::mixed_site()=> ::core::unreachable!())),
    };
    let (written, twin) = expand_twin(operator, device_trait, function, &body);
    let implementation = quote_spanned! {Span::mixed_site()=>
        #repeated
        #(#of_messages)*
        // SAFETY: the attribute translated the same function.
        unsafe impl #params #path for #owner #conditions {
            #output

            #generated
            #[allow(unused_variables)]
            #[inline]
            #twin

            #[allow(unreachable_code)]
            fn #callee() -> ::core::option::Option<#runtime::calls::Callee> {
                ::core::option::Option::Some(#code)
            }
        }
    };
    match written {
        Some(written) => quote_spanned!(Span::mixed_site()=> const _: () = { #written #implementation };),
        None => implementation,
    }
}

/// The twin, which takes values. If what the user wrote takes references, a trait of its own has that, and the twin calls it.
fn expand_twin(
    operator: &OperatorImpl<'_>,
    device_trait: &DeviceTrait,
    function: &Function,
    body: &TokenStream,
) -> (Option<TokenStream>, TokenStream) {
    let OperatorImpl { block, kind, right, by_reference, signature, .. } = operator;
    let [twin, _] = &device_trait.functions;
    let runtime = &function.runtime;
    let receiver = signature.receiver();
    let param = (1..function.params.len()).map(|index| expand_param(function, index));
    let params_of_twin = quote_spanned!(Span::mixed_site()=> #receiver, #(#param,)* __thread: &#runtime::__private::Thread<'_>);
    let site = device_trait.has_site.then(|| quote_spanned!(Span::mixed_site()=> _: ::core::option::Option<::core::primitive::u32>));
    let outcome = expand_outcome(function, &returned_type(function));
    if *by_reference == [false; 2] {
        let twin = quote_spanned! {Span::mixed_site()=>
            fn #twin(#params_of_twin, #site) -> #outcome {
                #body
            }
        };
        return (None, twin);
    }
    let (params, arguments, conditions) = block.generics.split_for_impl();
    let (self_ty, generated) = (&block.self_ty, attributes::generated());
    let header = quote_spanned!(Span::mixed_site()=> fn written(#params_of_twin) -> #outcome);
    let written = quote_spanned! {Span::mixed_site()=>
        trait GpuDeviceOperator #params #conditions {
            #header;
        }
        impl #params GpuDeviceOperator #arguments for #self_ty #conditions {
            #generated
            #[allow(unused_variables)]
            #[inline]
            #header {
                #body
            }
        }
    };
    let [of_left, of_right] = by_reference.map(|by_reference| by_reference.then(|| quote_spanned!(Span::mixed_site()=> &)));
    let of_self = matches!(kind, OperatorKind::Assignment(_)).then(|| quote_spanned!(Span::mixed_site()=> &mut));
    let (param, arg) = match right {
        Some(right) => (quote_spanned!(Span::mixed_site()=> __right: #right,), quote_spanned!(Span::mixed_site()=> #of_right __right,)),
        None => (TokenStream::new(), TokenStream::new()),
    };
    let twin = quote_spanned! {Span::mixed_site()=>
        fn apply(#of_self self, #param __thread: &#runtime::__private::Thread<'_>, #site) -> #outcome {
            GpuDeviceOperator::written(#of_left self, #arg __thread)
        }
    };
    (Some(written), twin)
}
