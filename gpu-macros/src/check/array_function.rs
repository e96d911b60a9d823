//! What makes a device function one that arrays can be mapped through, or that can fold one.

use crate::errors::Errors;
use crate::model::*;
use syn::spanned::Spanned;

/// Reports what keeps `function` from being an array function, if it is meant to be one.
pub(crate) fn check_array_function(function: &Function, errors: &Errors) {
    let FunctionKind::Array(options) = &function.kind else { return };
    check_arguments(function, errors);
    check_output(function, errors);
    if options.reduction.is_some() && function.is_mappable() {
        check_reduction(function, errors);
    }
}

/// That they are elements is checked where their types are lowered.
fn check_arguments(function: &Function, errors: &Errors) {
    let count = function.params.len();
    if count == 0 {
        errors.push(
            function.name.span(),
            "an array function takes at least one element\nhelp: take the index of the element, `i: usize`, and pass `iota(n)`",
        );
    } else if let Some(param) = function.params.get(MOST_ARGUMENTS) {
        errors.push(
            param.tokens.span(),
            format!("an array function takes at most {MOST_ARGUMENTS} elements, and this one takes {count}\nhelp: split it, or write a `#[gpu_kernel]`"),
        );
    }
}

fn check_output(function: &Function, errors: &Errors) {
    let span = function.output_tokens.as_ref().map_or_else(|| function.name.span(), Spanned::span);
    let components = function.output.components();
    match &function.output {
        Type::Unit => errors.push(span, "an array function returns the element that it computes\nhelp: declare it, such as `-> f32`"),
        Type::Tuple(_) if (2..=MOST_COMPONENTS).contains(&components.len()) && components.iter().all(Type::is_scalar) => {}
        Type::Tuple(_) | Type::Array(..) => {
            let help = if matches!(function.output, Type::Array(..)) { "return a tuple" } else { "split it into several functions" };
            let message = format!("an array function returns a number, `bool`, or a tuple of 2 to {MOST_COMPONENTS} of those");
            errors.push(span, format!("{message}, each of which becomes an array\nhelp: {help}"));
        }
        // Good, or refused before.
        _ => {}
    }
}

fn check_reduction(function: &Function, errors: &Errors) {
    if !function.is_foldable() {
        errors.push(
            function.name.span(),
            "a reduction makes one element of two\nhelp: its types are `fn(T, T) -> T`, or `fn(A, B, A, B) -> (A, B)` for pairs",
        );
    }
}
