//! The conditions of a launch: for redundant bounds checks (`fn in_bounds`), and for the race proof (`fn race_free`).
//!
//! The inequalities hold over the integers; the generated code evaluates them in `i128` and treats an overflow as "not proved".

use super::source_unit::expand_constants;
use super::tokens::argument;
use crate::model::*;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote_spanned;

/// `fn in_bounds()`: whether a launch satisfies every inequality that makes a bounds check redundant.
pub(super) fn expand_in_bounds(function: &Function, bounds: &[Bound]) -> TokenStream {
    let inequalities = bounds.iter().filter_map(|bound| match bound {
        Bound::Below(inequalities) => Some(inequalities),
        Bound::Unknown => None,
    });
    expand_test(function, "in_bounds", inequalities.flatten())
}

/// `fn race_free()`: whether a launch satisfies every inequality that the race proof assumes.
pub(super) fn expand_race_free(function: &Function, proof: &RaceFreedom) -> TokenStream {
    let conditions = match proof {
        RaceFreedom::Proved { conditions, .. } => conditions.as_slice(),
        RaceFreedom::Unproved(_) => &[],
    };
    // True without a test by default, and for an unproved kernel it is not asked.
    if conditions.is_empty() { TokenStream::new() } else { expand_test(function, "race_free", conditions.iter()) }
}

/// A function of `KernelDefinition` that tests inequalities.
fn expand_test<'i>(function: &Function, name: &str, inequalities: impl Iterator<Item = &'i Inequality>) -> TokenStream {
    let (name, runtime) = (Ident::new(name, Span::mixed_site()), &function.runtime);
    let inequalities = distinct(inequalities);
    let body = if inequalities.is_empty() {
        quote_spanned!(Span::mixed_site()=> true)
    } else {
        let constants = expand_constants(function);
        let arguments = (0..function.params.len()).map(|index| {
            let argument = argument(index);
            let used = inequalities.iter().any(|inequality| uses_param(inequality, index));
            if used { quote_spanned!(Span::mixed_site()=> #argument) } else { quote_spanned!(Span::mixed_site()=> _) }
        });
        let conditions = inequalities.iter().map(|inequality| expand_inequality(runtime, inequality));
        quote_spanned! {Span::mixed_site()=>
            #constants
            let (#(#arguments,)*) = __args;
            #(#conditions)&&*
        }
    };
    quote_spanned! {Span::mixed_site()=>
        fn #name(__args: &Self::Args<'_>, __dims: &#runtime::__private::LaunchDims) -> ::core::primitive::bool {
            #body
        }
    }
}

/// Each inequality once.
fn distinct<'i>(inequalities: impl Iterator<Item = &'i Inequality>) -> Vec<&'i Inequality> {
    let mut distinct: Vec<&Inequality> = Vec::new();
    for inequality in inequalities {
        if !distinct.contains(&inequality) {
            distinct.push(inequality);
        }
    }
    distinct
}

fn uses_param(inequality: &Inequality, index: usize) -> bool {
    let terms = inequality.most.terms.iter().chain(&inequality.length.terms);
    terms
        .flat_map(|term| &term.factors)
        .any(|atom| matches!(atom, Atom::Param(used) | Atom::Len(used) | Atom::Extent(used, _) if *used == index))
}

fn expand_inequality(runtime: &TokenStream, inequality: &Inequality) -> TokenStream {
    let (most, length) = (expand_polynomial(&inequality.most), expand_polynomial(&inequality.length));
    quote_spanned!(Span::mixed_site()=> #runtime::__private::is_below(#most, #length))
}

/// Its terms, each a coefficient and factors.
fn expand_polynomial(polynomial: &Polynomial) -> TokenStream {
    let terms = polynomial.terms.iter().map(|term| {
        let coefficient = Literal::i128_unsuffixed(term.coefficient);
        let factors = term.factors.iter().map(expand_atom);
        quote_spanned!(Span::mixed_site()=> (#coefficient, &[#(#factors),*]))
    });
    quote_spanned!(Span::mixed_site()=> &[#(#terms),*])
}

fn expand_atom(atom: &Atom) -> TokenStream {
    let value = match atom {
        Atom::Param(index) => {
            let argument = argument(*index);
            quote_spanned!(Span::mixed_site()=> *#argument)
        }
        Atom::Len(index) => {
            let argument = argument(*index);
            quote_spanned!(Span::mixed_site()=> #argument.len())
        }
        Atom::Extent(index, axis) => {
            let (argument, axis) = (argument(*index), Literal::usize_unsuffixed(*axis));
            quote_spanned!(Span::mixed_site()=> #argument.shape().extents()[#axis])
        }
        Atom::GridDim(axis) => {
            let axis = axis_index(*axis);
            quote_spanned!(Span::mixed_site()=> __dims.grid[#axis])
        }
        Atom::BlockDim(axis) => {
            let axis = axis_index(*axis);
            quote_spanned!(Span::mixed_site()=> __dims.block[#axis])
        }
        Atom::Constant(tokens) => tokens.clone(),
    };
    quote_spanned!(Span::mixed_site()=> ((#value) as ::core::primitive::i128))
}

fn axis_index(axis: Axis) -> Literal {
    Literal::usize_unsuffixed(match axis {
        Axis::X => 0,
        Axis::Y => 1,
        Axis::Z => 2,
    })
}
