//! The adjoint of a device function that takes or returns structs, tuples or arrays. Kernels and other functions whose gradients go through a call of it call
//! its adjoint.
//!
//! ```text
//! fn scaled(a: Point, by: f64) -> Point
//! fn adjoint(a: Point, by: f64, d_result: Point) -> (Point, f64) {
//!     let mut d_a = Point { x: 0.0, y: 0.0 };
//!     let mut d_by = 0.0;
//!     …                                       // both sweeps
//!     (d_a, d_by)
//! }
//! ```

use super::apart::{Parted, take_apart, unknown_parts};
use super::reverse::Reverse;
use super::statements::zero_of;
use super::step::{Code, Place, Printer, Projection, remove_unneeded};
use super::{ADJOINT, Parameter, tokens_of, unique};
use crate::emit::rust::visibility_from_inside;
use crate::errors::Errors;
use crate::gradient::MODULE;
use crate::gradient::inward::two_modules_in;
use crate::idents::{word, words_of};
use crate::model::*;
use crate::pipeline::{Compiled, compile};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::HashSet;
use syn::spanned::Spanned;

/// Whether the function takes or returns other things than numbers.
pub(crate) fn takes_parts(signature: &syn::Signature) -> bool {
    let is_number = |ty: &syn::Type| match ty {
        syn::Type::Path(path) => path.path.get_ident().is_some_and(|name| Scalar::from_name(&name.to_string()).is_some()),
        _ => false,
    };
    let mut types: Vec<&syn::Type> = Vec::new();
    for input in &signature.inputs {
        match input {
            syn::FnArg::Typed(input) => types.push(&input.ty),
            syn::FnArg::Receiver(_) => return false,
        }
    }
    if let syn::ReturnType::Type(_, ty) = &signature.output {
        types.push(ty);
    }
    types.iter().any(|ty| !is_number(ty))
}

/// What a function has where its gradient is an adjoint.
pub(crate) struct DeviceAdjoint {
    /// In the module of its derivatives: `adjoint`, and what is asserted.
    pub(crate) inside: TokenStream,
    /// In the module of the function: `grad` and `value_and_grad`, if it returns a number.
    pub(crate) beside: TokenStream,
}

pub(crate) fn expand_device_adjoint(item: &syn::ItemFn, errors: &Errors) -> Option<DeviceAdjoint> {
    let references =
        item.sig.inputs.iter().filter(|input| matches!(input, syn::FnArg::Typed(input) if matches!(*input.ty, syn::Type::Reference(_))));
    let before = errors.count();
    for input in references {
        let message = "a function with a derivative takes no references\nhelp: pass the numbers themselves, or a struct, a tuple or an array such as `[f64; 3]` of them";
        errors.push(input.span(), message);
    }
    if errors.count() > before {
        return None;
    }
    let own = Errors::new();
    let runtime = RuntimePath::default();
    let compiled = compile(Item::free(item, FunctionKind::Device, runtime), 0, &own);
    // What is wrong with the function itself is reported by its own expansion.
    own.check().ok()?;
    let Compiled { mut function, .. } = compiled?;
    if let Some(first) = function.items.first() {
        let span = first.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
        errors.push(span, "an item in a function with a gradient is not supported\nhelp: move it out of the function");
        return None;
    }
    let result = add_result(&mut function);
    let Parted { mut shapes, of_parameters } = take_apart(&mut function, Some(result), errors);
    let function = &function;
    let mut taken: HashSet<String> = words_of(item.to_token_stream()).into_iter().collect();
    taken.extend(function.locals.iter().map(|local| word(&local.name)));
    let mut parameters = Vec::new();
    for param in &function.params {
        let Local { name, ty, .. } = function.local(param.local);
        let Some(shape) = shapes.of_type(ty) else {
            let of = match ty {
                Type::Named(named) => format!("`{}`", named.short_name()),
                _ => format!("the type of `{name}`"),
            };
            errors.push(name.span(), unknown_parts(&of));
            continue;
        };
        let is_result = param.local == result;
        let has_floats = shape.any(&|ty| ty.innermost().as_scalar().is_some_and(Scalar::is_float));
        let gradient = format!("d_{}", word(name));
        let gradient = Ident::new(&unique(&gradient, &mut taken), Span::mixed_site());
        parameters.push(Parameter {
            name: if is_result { gradient.clone() } else { name.clone() },
            user_name: name.clone(),
            is_written: is_result,
            is_consumed: false,
            rank: None,
            element: shape,
            element_tokens: tokens_of(ty),
            has_floats,
            ty: tokens_of(ty),
            gradient: (has_floats && !is_result).then_some(gradient),
        });
    }
    if errors.count() > before {
        return None;
    }
    if parameters.iter().all(|parameter| parameter.gradient.is_none()) || parameters.last().is_none_or(|result| !result.has_floats) {
        let message = "there is nothing to differentiate\nhelp: a function with a gradient takes and returns floats, or structs and tuples with floats";
        errors.push(function.name.span(), message);
        return None;
    }
    let mut reverse = Reverse::new(function, shapes, &of_parameters, parameters, taken, errors);
    let mut zeros = Vec::new();
    for (at, param) in function.params.iter().enumerate() {
        let zero =
            reverse.written_out(&function.local(param.local).ty, &mut Vec::new(), &mut |_, _, scalar| Code::constant(zero_of(scalar)));
        let Parameter { gradient, ty, .. } = &reverse.parameters[at];
        if let (Some(gradient), Some(zero)) = (gradient, zero) {
            let zero = zero.tokens;
            zeros.push(quote!(let mut #gradient: #ty = #zero;));
        }
    }
    let mut steps = reverse.function();
    if errors.count() > before {
        return None;
    }
    remove_unneeded(&mut steps);
    let names = reverse.names();
    let asserted = [std::mem::take(&mut reverse.asserted), reverse.shapes.into_asserted()].concat();
    let parameters = reverse.parameters;
    let add = |place: &Place, value: &TokenStream, span: Span| {
        let gradient = parameters[place.param].gradient.as_ref().expect("it has a gradient");
        let path = place.path.iter().map(Projection::tokens);
        quote_spanned!(span=> #gradient #(#path)* += #value;)
    };
    let runtime = &function.runtime;
    let printer = Printer {
        names: &names,
        parameters: &|param| &parameters[param].name,
        add: &add,
        is_atomic: &|_| false,
        has_atomics: &|_| false,
        runtime,
    };
    let body = printer.print(&steps);
    let inputs = parameters.iter().zip(&function.params).map(|(Parameter { name, ty, .. }, param)| {
        let mutable = function.local(param.local).mutable.then(|| quote!(mut));
        quote!(#mutable #name: #ty)
    });
    let (gradients, types): (Vec<_>, Vec<_>) =
        parameters.iter().filter_map(|parameter| Some((parameter.gradient.as_ref()?, &parameter.ty))).unzip();
    let (value, returned) = match (&gradients[..], &types[..]) {
        ([gradient], [ty]) => (quote!(#gradient), quote!(#ty)),
        _ => (quote!((#(#gradients),*)), quote!((#(#types),*))),
    };
    let module = Ident::new(MODULE, Span::call_site());
    let vis = visibility_from_inside(&function.vis);
    let vis = syn::parse2(vis).map_or_else(|_| quote!(pub), |vis| visibility_from_inside(&vis));
    let constants = function.constants.iter().map(|constant| two_modules_in(constant.to_token_stream()));
    let name = Ident::new(ADJOINT, Span::mixed_site().located_at(function.name.span()));
    let inside = quote! {
        #(#asserted)*
        #[#runtime::gpu_device]
        #vis fn #name(#(#inputs),*) -> #returned {
            #(#constants)*
            #(#zeros)*
            #body
            #value
        }
    };
    let Some(scalar) = function.output.as_scalar() else { return Some(DeviceAdjoint { inside, beside: TokenStream::new() }) };
    let (own, number) = (&function.name, tokens_of(&Type::Scalar(scalar)));
    let arguments: Vec<_> = parameters[..parameters.len() - 1].iter().map(|parameter| (&parameter.name, &parameter.ty)).collect();
    let names: Vec<_> = arguments.iter().map(|(name, _)| name).collect();
    let inputs: Vec<_> = arguments.iter().map(|(name, ty)| quote!(#name: #ty)).collect();
    let pattern = if gradients.len() == 1 { quote!(#(#gradients)*) } else { quote!((#(#gradients),*)) };
    let by = gradients.iter().map(|gradient| format!("`{}`", gradient.to_string().trim_start_matches("d_"))).collect::<Vec<_>>().join(", ");
    let (doc, value_doc) = (format!("The gradient by {by}."), format!("The value, and the gradient by {by}."));
    let outer = visibility_from_inside(&function.vis);
    Some(DeviceAdjoint {
        inside: quote! {
            #inside

            #[doc = #doc]
            #[#runtime::gpu_device]
            #vis fn grad_by_adjoint(#(#inputs),*) -> #returned {
                #name(#(#names,)* 1.0)
            }

            #[doc = #value_doc]
            #[#runtime::gpu_device]
            #vis fn value_and_grad_by_adjoint(#(#inputs),*) -> (#number, #(#types),*) {
                let value: #number = #own(#(#names),*);
                let #pattern: #returned = #name(#(#names,)* 1.0);
                (value, #(#gradients),*)
            }
        },
        beside: quote! {
            #[allow(warnings)]
            #outer use self::#module::{grad_by_adjoint as grad, value_and_grad_by_adjoint as value_and_grad};
        },
    })
}

/// A parameter that what the function returns is assigned to.
fn add_result(function: &mut Function) -> LocalId {
    let (ty, at) = (function.output.clone(), function.params.len());
    let name = Ident::new("result", Span::mixed_site());
    let local = LocalId(function.locals.len());
    function.locals.push(Local { name, mutable: false, mut_token: None, ty, kind: LocalKind::Param(at), holds: Holds::Value });
    let written = WrittenType { tokens: TokenStream::new(), parts: WrittenParts::Whole };
    function.signature.params.push(Param { local, written });
    local
}
