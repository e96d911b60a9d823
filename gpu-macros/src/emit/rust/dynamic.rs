//! What the host computes from a launch: `fn dynamic_shared()`, how many bytes of dynamic shared memory it needs, and the limit of the
//! threads that do something.

use super::source_unit::expand_constants;
use super::tokens::{argument, expand_scalar, glue};
use crate::model::*;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// Nothing for a kernel that has none, which is what the trait says otherwise.
pub(super) fn expand_dynamic_shared(function: &Function, arrays: &[DynamicArray]) -> TokenStream {
    if arrays.is_empty() {
        return TokenStream::new();
    }
    let runtime = &function.runtime;
    let constants = expand_constants(function);
    let arguments: Vec<Ident> = (0..function.params.len()).map(argument).collect();
    let arrays = arrays.iter().map(|DynamicArray { element, length }| {
        let at = glue(length.span);
        let length = expand_value(length, &Parameters::OfLaunch);
        quote_spanned! {at=>
            ((|| -> ::core::option::Option<::core::primitive::usize> { ::core::option::Option::Some(#length) })(), ::core::mem::size_of::<#element>())
        }
    });
    quote_spanned! {Span::mixed_site()=>
        #[allow(unused_variables)]
        #[inline]
        fn dynamic_shared(__args: &Self::Args<'_>, __dims: &#runtime::__private::LaunchDims) -> ::core::option::Option<::core::primitive::usize> {
            #constants
            let (#(#arguments,)*) = __args;
            #runtime::__private::dynamic_bytes(&[#(#arrays),*])
        }
    }
}

/// An `Option<usize>`: the x coordinate in the grid from which on threads do nothing, `None` if it overflows. In terms of the twin.
pub(super) fn expand_row_limit(function: &Function, limit: &HostValue, dims: &TokenStream) -> TokenStream {
    let constants = expand_constants(function);
    let value = expand_value(limit, &Parameters::OfTwin(function, dims));
    let value = quote_spanned!(Span::mixed_site()=> #constants ::core::option::Option::Some(#value));
    match limit.can_fail() {
        true => quote_spanned!(Span::mixed_site()=> (|| -> ::core::option::Option<::core::primitive::usize> { #value })()),
        false => quote_spanned!(Span::mixed_site()=> { #value }),
    }
}

/// What the parameters are called where a value is computed.
enum Parameters<'f> {
    /// References to the arguments of a launch.
    OfLaunch,
    /// The user's names, in a launch of these dimensions.
    OfTwin(&'f Function, &'f TokenStream),
}

impl Parameters<'_> {
    fn value(&self, passed: &Passed) -> TokenStream {
        let (parameter, path) = (self.array(passed.param), passed.path());
        match self {
            Parameters::OfLaunch => quote_spanned!(Span::mixed_site()=> ((*#parameter) #path)),
            Parameters::OfTwin(..) => quote_spanned!(Span::mixed_site()=> #parameter #path),
        }
    }

    fn array(&self, index: usize) -> TokenStream {
        match self {
            Parameters::OfLaunch => argument(index).into_token_stream(),
            Parameters::OfTwin(function, _) => function.local(function.params[index].local).name.to_token_stream(),
        }
    }

    fn extent(&self, index: usize, axis: usize) -> TokenStream {
        let (array, axis) = (self.array(index), Literal::usize_unsuffixed(axis));
        match self {
            // A reference, of which it is an inherent method.
            Parameters::OfLaunch => quote_spanned!(Span::mixed_site()=> (#array.extent(#axis) as ::core::primitive::usize)),
            Parameters::OfTwin(function, _) => {
                let runtime = &function.runtime;
                quote_spanned!(Span::mixed_site()=> #runtime::calls::shape(&#array)[#axis])
            }
        }
    }

    fn length(&self, index: usize, at: Span) -> TokenStream {
        let array = self.array(index);
        match self {
            Parameters::OfLaunch => quote_spanned!(at=> #array.len()),
            Parameters::OfTwin(function, _) => {
                let runtime = &function.runtime;
                quote_spanned!(at=> #runtime::calls::length(&#array))
            }
        }
    }

    fn dims(&self) -> TokenStream {
        match self {
            Parameters::OfLaunch => quote_spanned!(Span::mixed_site()=> __dims),
            Parameters::OfTwin(_, dims) => (*dims).clone(),
        }
    }
}

/// The value, in a closure that `?` leaves where an operator has no result.
fn expand_value(value: &HostValue, parameters: &Parameters<'_>) -> TokenStream {
    let at = glue(value.span);
    match &value.kind {
        HostValueKind::Literal(value, scalar) => {
            let mut literal = match scalar {
                Some(scalar) => format!("{value}{}", scalar.name()).parse().expect("a literal of an integer type"),
                None => Literal::u128_unsuffixed(*value),
            };
            literal.set_span(at);
            quote_spanned!(at=> #literal)
        }
        HostValueKind::Constant(path) => quote_spanned!(at=> #path),
        HostValueKind::Param(passed) => parameters.value(passed),
        HostValueKind::Len(index) => parameters.length(*index, at),
        HostValueKind::Extent(index, axis) => parameters.extent(*index, *axis),
        HostValueKind::ArrayLength(length) => {
            let length = length.tokens();
            quote_spanned!(at=> ((#length) as ::core::primitive::usize))
        }
        HostValueKind::BlockDim(axis) => {
            let (dims, axis) = (parameters.dims(), Literal::usize_unsuffixed(*axis as usize));
            quote_spanned!(at=> (#dims.block[#axis] as ::core::primitive::usize))
        }
        HostValueKind::GridDim(axis) => {
            let (dims, axis) = (parameters.dims(), Literal::usize_unsuffixed(*axis as usize));
            quote_spanned!(at=> (#dims.grid[#axis] as ::core::primitive::usize))
        }
        // By path: a trait of the user's may give a method of the same name to what an operand turns out to be.
        HostValueKind::Binary(op, scalar, left, right) => {
            let scalar = expand_scalar(*scalar, value.span);
            let (left, right) = (expand_value(left, parameters), expand_value(right, parameters));
            let checked = match op {
                HostOp::Add => "checked_add",
                HostOp::Subtract => "checked_sub",
                HostOp::Multiply => "checked_mul",
                HostOp::Divide => "checked_div",
                HostOp::Remainder => "checked_rem",
            };
            let checked = Ident::new(checked, at);
            quote_spanned!(at=> <#scalar>::#checked(#left, #right)?)
        }
        HostValueKind::Method(method, scalar, name, operands) => {
            let scalar = expand_scalar(*scalar, value.span);
            let operands: Vec<TokenStream> = operands.iter().map(|operand| expand_value(operand, parameters)).collect();
            match (method.failure, method.on_integers, operands.as_slice()) {
                // Fails for a divisor of 0.
                (Some(Failure::Division), _, [dividend, divisor]) => {
                    quote_spanned!(at=> { let __divisor: #scalar = #divisor; <#scalar>::#name(#dividend, if __divisor == 0 { return ::core::option::Option::None } else { __divisor }) })
                }
                (_, OnIntegers::OfOrd, operands) => quote_spanned!(at=> <#scalar as ::core::cmp::Ord>::#name(#(#operands),*)),
                (_, _, operands) => quote_spanned!(at=> <#scalar>::#name(#(#operands),*)),
            }
        }
        HostValueKind::Cast(operand, to) => {
            let (operand, to) = (expand_value(operand, parameters), expand_scalar(*to, value.span));
            quote_spanned!(at=> (#operand as #to))
        }
    }
}
