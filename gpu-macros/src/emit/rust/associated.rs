//! How a call of a function of a type finds its CUDA C: by an expression like the user's, which rustc types and nothing evaluates.
//!
//! Each such function has a hidden function with the same parameters, which returns a value that identifies its CUDA C. A call of the
//! hidden function, with placeholder values for receiver and arguments, resolves like the user's call: inherent `impl`s before traits, by
//! value before by reference, by all of rustc's rules.

use super::generics::expand_callee;
use super::method::code_name;
use super::tokens::{expand_type, glue};
use crate::emit::{AssociatedCallee, AssociatedFunction, Known, KnownUse, Operands, OperatorCallee, Overload};
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

/// `(*value::<Circle>()).gpu_code_area()`
pub(super) fn expand_associated_callee(runtime: &RuntimePath, callee: &AssociatedCallee) -> TokenStream {
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
                    let call = quote_spanned!(span=> #function(#(#args),*));
                    match path.path.segments.last() {
                        Some(last) => with_traits_of_std(runtime, &last.ident, call),
                        None => call,
                    }
                }
            }
        }
    }
}

/// The call of the function `name`, which may be that of a trait of std.
pub(super) fn with_traits_of_std(runtime: &RuntimePath, name: &Ident, call: TokenStream) -> TokenStream {
    let of_std = match name {
        name if name == "default" => quote_spanned!(Span::mixed_site()=> DefaultValue),
        name if name == "from" => quote_spanned!(Span::mixed_site()=> ConvertFrom),
        _ => return call,
    };
    quote_spanned! {Span::mixed_site()=> {
        #[allow(unused_imports)]
        use #runtime::calls::#of_std as _;
        #call
    }}
}

/// The function of an operator or a method, if it is a user's.
pub(super) fn expand_overload(runtime: &RuntimePath, callee: &Overload) -> TokenStream {
    match callee {
        Overload::Operator(callee) => expand_operator_callee(runtime, callee),
        Overload::Assignment(callee) => expand_of_operands(runtime, callee, "assignment_callee"),
        Overload::Index(callee) => expand_of_operands(runtime, callee, "index_callee"),
        Overload::IndexMut(callee) => expand_of_operands(runtime, callee, "index_mut_callee"),
        Overload::Method(callee) => {
            let call = expand_associated_callee(runtime, callee);
            quote_spanned! {Span::mixed_site()=> {
                #[allow(unused_imports)]
                use #runtime::calls::number_methods::traits::*;
                #runtime::calls::own_callee_of(|| #call)
            }}
        }
    }
}

/// The function of an operator, found by its operands.
fn expand_operator_callee(runtime: &RuntimePath, callee: &OperatorCallee) -> TokenStream {
    let method = match &callee.operands {
        Operands::One(_) => "unary_callee",
        Operands::Two(_) => "callee",
    };
    expand_of_operands(runtime, callee, method)
}

/// The C type of an operand.
pub(super) fn expand_operand_type(runtime: &RuntimePath, callee: &OperatorCallee, is_right: bool) -> TokenStream {
    expand_of_operands(runtime, callee, if is_right { "right_type" } else { "left_type" })
}

/// What this method says of the operands. Where they have no such operator, the twin gets the message, and the method is another.
fn expand_of_operands(runtime: &RuntimePath, callee: &OperatorCallee, method: &str) -> TokenStream {
    let (op, operands) = (expand_operator_of(runtime, callee.op, callee.by_reference), expand_operands(runtime, &callee.operands));
    let method = Ident::new(method, Span::mixed_site());
    quote_spanned! {Span::mixed_site()=> {
        #[allow(unused_imports)]
        use #runtime::__private::ops::NoOperator as _;
        (&#runtime::__private::ops::operands_of::<#op, _>(|| #operands)).#method()
    }}
}

/// The runtime's type for an operator: `ops::Add`.
pub(super) fn expand_operator_name(runtime: &RuntimePath, name: &str) -> TokenStream {
    let name = Ident::new(name, Span::mixed_site());
    quote_spanned!(Span::mixed_site()=> #runtime::__private::ops::#name)
}

/// The same for operands of which some are references.
pub(super) fn expand_operator_of(runtime: &RuntimePath, name: &str, by_reference: [bool; 2]) -> TokenStream {
    let op = expand_operator_name(runtime, name);
    let [left, right] = by_reference;
    match left || right {
        true => quote_spanned!(Span::mixed_site()=> #runtime::__private::ops::Referring<#op, #left, #right>),
        false => op,
    }
}

fn expand_operands(runtime: &RuntimePath, operands: &Operands) -> TokenStream {
    match operands {
        Operands::One(operand) => expand_value(runtime, operand, Span::mixed_site()),
        Operands::Two(both) => {
            let [left, right] = [&both.0, &both.1].map(|operand| expand_value(runtime, operand, Span::mixed_site()));
            quote_spanned!(Span::mixed_site()=> (#left, #right))
        }
    }
}

/// An expression of the known type.
pub(super) fn expand_value(runtime: &RuntimePath, known: &Known, span: Span) -> TokenStream {
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
        Known::Operation(callee) => {
            let op = expand_operator_of(runtime, callee.op, callee.by_reference);
            let operands = expand_operands(runtime, &callee.operands);
            quote_spanned!(span=> (*#runtime::__private::ops::result_of::<#op, _, _>(#operands)))
        }
        Known::Expression(tokens) => tokens.clone(),
        Known::Literal(is_float, uses) => expand_literal(runtime, *is_float, uses),
        Known::Nothing | Known::Const(_) | Known::Lent(_) => quote_spanned!(span=> #runtime::calls::any()),
    }
}

/// A literal next to the operators that take it, which ask of its type what they ask of it in the body.
fn expand_literal(runtime: &RuntimePath, is_float: bool, uses: &[KnownUse]) -> TokenStream {
    let (literal, value) = (KnownUse::literal(), if is_float { quote!(0.0) } else { quote!(0) });
    let uses = uses.iter().map(|KnownUse { callee, assigns }| {
        let assignment = assigns.then(|| {
            let assignment = expand_of_operands(runtime, callee, "assignment_callee");
            quote_spanned!(Span::mixed_site()=> let _ = #assignment;)
        });
        let operator = expand_operator_callee(runtime, callee);
        quote_spanned!(Span::mixed_site()=> #assignment let _ = #operator;)
    });
    quote_spanned! {Span::mixed_site()=> {
        let #literal = #value;
        #(#uses)*
        #literal
    }}
}

fn expand_part(runtime: &RuntimePath, base: &Known, part: &Part, span: Span) -> TokenStream {
    // The fields of a variant are there where the value is of it.
    if let (Known::Part(value, Part::Variant(owner, variant)), Part::Field(_) | Part::Position(_)) = (base, part) {
        // A pattern has no arguments: they are those of the value.
        let (path, value) = (&owner.path, expand_value(runtime, value, span));
        let member = match part {
            Part::Field(name) => expand_field_name(name),
            Part::Position(index) => {
                let index = syn::Index { index: *index as u32, span };
                quote_spanned!(span=> #index)
            }
            _ => unreachable!("it is a field"),
        };
        // A method may borrow it.
        return quote_spanned! {span=>
            (*#runtime::calls::place(match #value {
                #path::#variant { #member: __part, .. } => __part,
                #[allow(unreachable_patterns)]
                _ => #runtime::calls::any(),
            }))
        };
    }
    let base = expand_value(runtime, base, span);
    match part {
        Part::Field(name) => {
            let name = expand_field_name(name);
            quote_spanned!(span=> #base.#name)
        }
        Part::Position(index) => {
            let index = syn::Index { index: *index as u32, span };
            quote_spanned!(span=> #base.#index)
        }
        Part::Element => quote_spanned!(span=> #base[0]),
        Part::ElementAt(key) => {
            let key = expand_value(runtime, &Known::Type((**key).clone()), span);
            quote_spanned!(span=> #base[#key])
        }
        Part::Argument(index) => {
            let name = if *index == 0 { "value" } else { "rest" };
            let name = Ident::new(name, Span::mixed_site());
            quote_spanned!(span=> (*#runtime::calls::Either::#name(&#base)))
        }
        Part::Output(..) | Part::Variant(..) | Part::Literal { .. } => {
            unreachable!("a call and a literal are known as such, and a variant has no values of its own")
        }
    }
}

/// A name without `r#`, as Rust wants it.
fn expand_field_name(name: &Ident) -> TokenStream {
    let text = name.to_string();
    let is_keyword = syn::parse_str::<Ident>(&text).is_err();
    let name = if is_keyword { Ident::new_raw(&text, name.span()) } else { name.clone() };
    name.into_token_stream()
}
