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
    function.body.for_each_child(&mut |expr| check_coordinates(expr, errors));
}

/// That they are elements is checked where their types are lowered.
fn check_arguments(function: &Function, errors: &Errors) {
    let count = function.params.len();
    if count == 0 {
        errors.push(
            function.name.span(),
            "an array function takes at least one element\nhelp: take its index, `i: usize`, and pass `iota(n)`",
        );
    } else if let Some(param) = function.params.get(MOST_ARGUMENTS) {
        errors.push(
            param.tokens.span(),
            format!("an array function takes at most {MOST_ARGUMENTS} elements, and this one {count}\nhelp: split it, or write a `#[gpu_kernel]`"),
        );
    }
}

fn check_output(function: &Function, errors: &Errors) {
    let span = function.output_tokens.as_ref().map_or_else(|| function.name.span(), Spanned::span);
    let components = function.output.components();
    match &function.output {
        Type::Unit => errors.push(span, "an array function returns the element that it computes\nhelp: declare it, such as `-> f32`"),
        Type::Tuple(_) if (2..=MOST_COMPONENTS).contains(&components.len()) && components.iter().all(Type::is_scalar) => {}
        Type::Tuple(_) | Type::Array(..) => errors.push(
            span,
            format!("an array function returns a number, `bool`, or a tuple of 2 to {MOST_COMPONENTS} of those, each of which becomes an array\nhelp: split it into several functions"),
        ),
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

fn check_coordinates(expr: &Expr, errors: &Errors) {
    let coordinate = match &expr.kind {
        // Those were refused when they were lowered.
        ExprKind::Intrinsic { intrinsic: Intrinsic::Shared(_) | Intrinsic::SyncThreads(_), .. } => None,
        ExprKind::Intrinsic { .. } => Some(expr.span),
        ExprKind::For { range: Range::GridStride { path, .. }, .. } => Some(path.span()),
        _ => None,
    };
    if let Some(span) = coordinate {
        errors.push(
            span,
            "an array function does not know which element it computes\nhelp: take the index as a parameter, `i: usize`, and pass `iota(n)`",
        );
    }
    expr.for_each_child(&mut |child| check_coordinates(child, errors));
}
