//! `fn dynamic_shared()`: how many bytes of dynamic shared memory a launch needs.

use super::source_unit::expand_constants;
use super::tokens::{argument, expand_scalar, glue};
use crate::model::*;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote_spanned;

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
        let length = expand_value(length);
        quote_spanned! {at=>
            ((|| -> ::core::option::Option<::core::primitive::usize> { ::core::option::Option::Some(#length) })(), ::core::mem::size_of::<#element>())
        }
    });
    quote_spanned! {Span::mixed_site()=>
        #[allow(unused_variables)]
        fn dynamic_shared(__args: &Self::Args<'_>, __dims: &#runtime::__private::LaunchDims) -> ::core::option::Option<::core::primitive::usize> {
            #constants
            let (#(#arguments,)*) = __args;
            #runtime::__private::dynamic_bytes(&[#(#arrays),*])
        }
    }
}

/// The value, in a closure that `?` leaves where an operator has no result.
fn expand_value(value: &HostValue) -> TokenStream {
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
        HostValueKind::Param(index) => {
            let argument = argument(*index);
            quote_spanned!(at=> (*#argument))
        }
        HostValueKind::Len(index) => {
            let argument = argument(*index);
            quote_spanned!(at=> #argument.len())
        }
        HostValueKind::Extent(index, axis) => {
            let (argument, axis) = (argument(*index), Literal::usize_unsuffixed(*axis));
            quote_spanned!(at=> #argument.shape().extents()[#axis])
        }
        HostValueKind::ArrayLength(length) => {
            let length = length.tokens();
            quote_spanned!(at=> ((#length) as ::core::primitive::usize))
        }
        HostValueKind::BlockDim(axis) => {
            let axis = Literal::usize_unsuffixed(*axis as usize);
            quote_spanned!(at=> (__dims.block[#axis] as ::core::primitive::usize))
        }
        HostValueKind::GridDim(axis) => {
            let axis = Literal::usize_unsuffixed(*axis as usize);
            quote_spanned!(at=> (__dims.grid[#axis] as ::core::primitive::usize))
        }
        HostValueKind::Binary(op, left, right) => {
            let (left, right) = (expand_value(left), expand_value(right));
            let checked = match op {
                BinaryOp::Add => "checked_add",
                BinaryOp::Subtract => "checked_sub",
                BinaryOp::Multiply => "checked_mul",
                BinaryOp::Divide => "checked_div",
                BinaryOp::Remainder => "checked_rem",
                _ => unreachable!("`check` refuses other operators"),
            };
            let checked = Ident::new(checked, at);
            quote_spanned!(at=> #left.#checked(#right)?)
        }
        HostValueKind::Method(method, name, operands) => {
            let operands: Vec<TokenStream> = operands.iter().map(expand_value).collect();
            match (method.failure, method.on_integers, operands.as_slice()) {
                // Fails for a divisor of 0.
                (Some(Failure::Division), _, [dividend, divisor]) => {
                    quote_spanned!(at=> { let __divisor = #divisor; #dividend.#name(if __divisor == 0 { return ::core::option::Option::None } else { __divisor }) })
                }
                (_, OnIntegers::OfOrd, [left, right]) => quote_spanned!(at=> ::core::cmp::Ord::#name(#left, #right)),
                (_, _, [left, rest @ ..]) => quote_spanned!(at=> #left.#name(#(#rest),*)),
                (_, _, []) => unreachable!("a method has a receiver"),
            }
        }
        HostValueKind::Cast(operand, to) => {
            let (operand, to) = (expand_value(operand), expand_scalar(*to, value.span));
            quote_spanned!(at=> (#operand as #to))
        }
    }
}
