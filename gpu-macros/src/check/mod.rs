//! Proofs about kernels: which index checks are redundant, and whether a launch can have a data race.
//!
//! Both rest on one walk over the body ([`walk`]) that gives every expression a [`Value`](values::value::Value) and collects the
//! [`Facts`](walk::facts::Facts) that dominate each access. A value has a normal form ([`form`](values::form)), so that `row * n + col` and `col + n * row` are
//! equal, whatever their names. Based on this, [`point`](prove::point) compares an index with a length, if need be under a condition that the host evaluates at launch, and [`mixed_radix`](prove::mixed_radix)
//! computes the thread from an index.
//!
//! A missing proof costs a check or an `unsafe`; a wrong proof is a memory error behind a safe function. So every value that the analysis
//! does not understand is a fresh symbol, about which nothing is known.

mod analysis;
mod clients;
mod counted_loops;
mod prove;
mod report;
mod rules;
mod values;
mod walk;

#[cfg(test)]
mod tests;

pub(crate) use analysis::Analysis;
#[cfg(test)]
pub(crate) use clients::bounds::Conditions;
pub(crate) use clients::exact_integers::ExactOperations;
pub(crate) use clients::index_width::{CastIndex, LONGEST, complement_of, counts_bits, is_wide_comparison, wide_operands};
pub(crate) use counted_loops::count_while_loops;
pub(crate) use report::index_width::describe_index_width;
pub(crate) use report::loops::describe_loops;
pub(crate) use report::remaining_checks::{describe_conditions, describe_remaining_checks};

use crate::errors::Errors;
use crate::model::Function;
use analysis::analyze;
use clients::collectives::check_collectives;
use report::remaining_checks::check_denied;
use rules::always_fails::check_rules;
use rules::array_function::check_array_function;
use rules::assembly::check_assembly;
use rules::dynamic::check_dynamic_shared;
use rules::generalized::check_generalized;
use rules::generics::check_generics;
use rules::references_across_barriers::check_held_references;
use rules::tiles::{check_tile_closures, check_tiles};
use rules::unsupported::check_translatable;

/// Checks every rule that rustc does not know, and finds out what emission needs to know. `None` if there are more errors than `before`
/// the function.
pub(crate) fn check_function(function: &Function, before: usize, errors: &Errors) -> Option<Analysis> {
    check_array_function(function, errors);
    check_translatable(function, errors);
    check_generics(function, errors);
    check_assembly(function, errors);
    check_rules(function, errors);
    check_generalized(function, errors);
    let dynamic_arrays = check_dynamic_shared(function, errors);
    check_collectives(function, errors);
    check_held_references(function, errors);
    check_tiles(function, errors);
    let analysis = (errors.count() == before).then(|| analyze(function, dynamic_arrays))?;
    check_denied(function, &analysis, errors);
    check_tile_closures(function, &analysis, errors);
    (errors.count() == before).then_some(analysis)
}
