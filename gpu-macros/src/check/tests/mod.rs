//! Kernels in source form and what is proved about them.

mod barriers;
mod book;
mod bounds;
mod cooperation;
mod corpus;
mod corpus_simulation;
mod counted;
mod flow;
mod forms;
mod generate;
mod generate_flow;
mod generate_values;
mod generated_spellings;
mod interpret;
mod interpret_memory;
mod interpret_values;
mod iteration_forms;
mod launches;
mod messages;
mod methods;
mod narrow;
mod odd_forms;
mod races;
mod racing_text;
mod random_forms;
mod semantics;
mod shared_memory;
mod signed_forms;
mod signed_races;
mod simulation;
mod spellings;
mod strange_forms;
mod tiles;
mod translatable;
mod values;
mod views;
mod workspace;

use super::analysis::{either_proof, prove_races_exactly};
use super::{check_collectives, check_rules, count_while_loops};
use crate::check::clients::collectives::find_uniformity;
use crate::check::clients::exact_integers::{ExactOperations, prove_bounds_of_exact_integers};
use crate::check::walk::effects::Effects;
use crate::check::walk::walker::walk;
use crate::errors::Errors;
use crate::infer::{infer_function, infer_function_in};
use crate::lower::{lower_function, parse_kernel_options};
use crate::model::*;
use crate::source_scope::Surroundings;
use quote::ToTokens;
use std::str::FromStr;

/// How many times as much as usual is tried by the tests that draw what they try, or compare a sample: 1, or `GPU_MACROS_EFFORT`.
fn effort() -> usize {
    std::env::var("GPU_MACROS_EFFORT").map_or(1, |effort| effort.parse().expect("`GPU_MACROS_EFFORT` is a number"))
}

/// A kernel with the arguments of its attribute, through the stages before the checks.
pub(super) fn kernel_with(arguments: &str, source: &str) -> Function {
    let item: syn::ItemFn = syn::parse_str(source).unwrap_or_else(|error| panic!("{error}: {source}"));
    kernel_of(arguments, &item, None)
}

/// The same, with this text around it.
pub(super) fn kernel_in(around: &str, arguments: &str, source: &str) -> Function {
    let item: syn::ItemFn = syn::parse_str(source).unwrap_or_else(|error| panic!("{error}: {source}"));
    kernel_of(arguments, &item, Some(Surroundings::in_source(&format!("{around} {source}"), &item.sig.ident.to_string())))
}

fn kernel_of(arguments: &str, item: &syn::ItemFn, around: Option<Surroundings>) -> Function {
    let errors = Errors::new();
    let (options, runtime, _) = parse_kernel_options(proc_macro2::TokenStream::from_str(arguments).unwrap(), &errors);
    let function = lower_function(Item::free(item, FunctionKind::Kernel(options), runtime), &errors)
        .map(|lowered| infer_function_in(lowered, around, &errors));
    errors.check().unwrap_or_else(|error| panic!("{error}: {}", item.to_token_stream()));
    let mut function = function.expect("a kernel without errors");
    count_while_loops(&mut function);
    function
}

fn kernel(source: &str) -> Function {
    kernel_with("", source)
}

/// The bounds of all sites, without the numbers of constants.
fn prove_bounds(function: &Function, walk: &Effects<'_>) -> Vec<Bound> {
    prove_bounds_and_operations(function, walk).0
}

/// The same, and the operations that do not overflow.
fn prove_bounds_and_operations(function: &Function, walk: &Effects<'_>) -> (Vec<Bound>, Vec<ExactOperations>) {
    let mut bounds = crate::check::clients::bounds::prove_bounds(function, walk);
    let mut operations = vec![ExactOperations::of(walk, Vec::new())];
    operations.extend(prove_bounds_of_exact_integers(function, Assumed::default(), &mut bounds));
    (bounds, operations)
}

/// What is proved about data races, without the numbers of constants.
fn prove_race_freedom(function: &Function, walk: &Effects<'_>) -> RaceFreedom {
    let proof = crate::check::clients::races::prove_race_freedom(function, walk);
    match prove_races_exactly(function, walk, false, &proof) {
        Some(exact) => either_proof(function, &proof, exact),
        None => proof,
    }
}

/// The bounds of the sites that `wanted` picks, in order.
fn bounds_of(function: &Function, wanted: impl Fn(&SiteKind) -> bool) -> Vec<Bound> {
    let sites = function.sites.iter().zip(prove_bounds(function, &walk(function)));
    sites.filter(|(site, _)| wanted(&site.kind)).map(|(_, bound)| bound).collect()
}

/// A polynomial in the kernel's own names.
fn show(polynomial: &Polynomial, function: &Function) -> String {
    let name = |index: &usize| function.local(function.params[*index].local).name.to_string();
    let terms = polynomial.terms.iter().map(|term| {
        let factors: Vec<String> = term
            .factors
            .iter()
            .map(|atom| match atom {
                Atom::Param(passed) => format!("{}{passed}", name(&passed.param)),
                Atom::Len(index) => format!("{}.len", name(index)),
                Atom::Extent(index, axis) => format!("{}.shape[{axis}]", name(index)),
                Atom::Shared(index) => format!("{}.is_shared", name(index)),
                Atom::Scattered(index) => format!("{}.is_scattered", name(index)),
                Atom::GridDim(axis) => format!("grid.{axis:?}").to_lowercase(),
                Atom::BlockDim(axis) => format!("block.{axis:?}").to_lowercase(),
                Atom::Constant(tokens) => tokens.to_token_stream().to_string(),
                Atom::Word(sum) => format!("[{}]", show(sum, function)),
                Atom::TrailingZeros(sum) => format!("[{}].trailing_zeros", show(sum, function)),
                Atom::Quotient(parts) => {
                    let [dividend, divisor] = [&parts[0], &parts[1]].map(|part| show(part, function));
                    format!("({dividend}/{divisor})")
                }
            })
            .collect();
        match (term.coefficient, factors.as_slice()) {
            (number, []) => format!("{number:+}"),
            (1, _) => format!("+{}", factors.join("*")),
            (-1, _) => format!("-{}", factors.join("*")),
            (number, _) => format!("{number:+}*{}", factors.join("*")),
        }
    });
    let shown: String = terms.collect();
    if shown.is_empty() { "+0".into() } else { shown }
}

fn show_inequality(inequality: &Inequality, function: &Function) -> String {
    format!("{} < {}", show(&inequality.most, function), show(&inequality.length, function))
}
