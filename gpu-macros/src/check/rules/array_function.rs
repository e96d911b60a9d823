//! The rules for array functions: which functions can be mapped over arrays, and which can reduce them.

use crate::errors::Errors;
use crate::model::*;
use syn::spanned::Spanned;

/// Reports why `function` cannot be an array function, if it is declared as one.
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
            "an array function needs at least one parameter\nhelp: take the index of the element, `i: usize`, and pass `iota(n)`",
        );
    } else if let Some(param) = function.params.get(MOST_ARGUMENTS) {
        errors.push(
            param.written.tokens.span(),
            format!("an array function has at most {MOST_ARGUMENTS} parameters, but this one has {count}\nhelp: split it into several functions, or write a `#[gpu_kernel]`"),
        );
    }
}

fn check_output(function: &Function, errors: &Errors) {
    let span = function.output_tokens.as_ref().map_or_else(|| function.name.span(), Spanned::span);
    let components = function.output.components();
    let is_good = match &function.output {
        Type::Unit => {
            errors
                .push(span, "an array function must return the element that it computes\nhelp: declare the return type, such as `-> f32`");
            return;
        }
        // Refused before.
        Type::Refused => true,
        Type::Tuple(_) => (2..=MOST_COMPONENTS).contains(&components.len()) && components.iter().all(Type::is_array_element),
        output => output.is_array_element(),
    };
    if let (Type::Tuple(_), true) = (&function.output, components.len() > MOST_COMPONENTS) {
        let message = format!("an array function returns at most {MOST_COMPONENTS} values, but this tuple has {}", components.len());
        errors.push(span, format!("{message}\nhelp: write two array functions, or return a struct with `#[derive(DeviceType)]`"));
    } else if !is_good {
        let message = format!("an array function must return a number, `bool`, a struct, or a tuple of 2 to {MOST_COMPONENTS} of those");
        errors.push(span, format!("{message}, each of which becomes an array\nhelp: {}", output_help(&function.output)));
    }
}

/// What to return instead of `output`.
fn output_help(output: &Type) -> &'static str {
    let misfit = output.components().iter().find(|component| !component.is_array_element());
    match misfit {
        Some(ty) if ty.is_option() => "return a number that represents `None`, or a tuple of the number and a `bool`",
        Some(Type::Array(..)) => "return a tuple, or a struct with the array",
        _ => "split it into several functions",
    }
}

fn check_reduction(function: &Function, errors: &Errors) {
    if !function.is_foldable() {
        errors.push(
            function.name.span(),
            "a reduction combines two elements into one of the same type\nhelp: declare it as `fn(T, T) -> T`, or as `fn(A, B, A, B) -> (A, B)` for pairs; to count or convert elements, apply a `#[vectorize]` function first",
        );
    }
}
