//! Proofs about kernels: which index checks are redundant, and whether a launch can have a data race.
//!
//! Both rest on one walk over the body ([`walk`]) that gives every expression a [`Value`](value::Value) and collects the
//! [`Facts`](facts::Facts) that dominate each access. A value has a normal form ([`form`]), so that `row * n + col` and `col + n * row` are
//! equal, whatever their names. Based on this, [`upper`] bounds values by polynomials that the host evaluates at launch, and [`digits`]
//! computes the thread from an index.
//!
//! A missing proof costs a check or an `unsafe`; a wrong proof is a memory error behind a safe function. So every value that the analysis
//! does not understand is a fresh symbol, about which nothing is known.

mod aliasing;
mod analysis;
mod arithmetic;
mod array_function;
mod assembly;
mod bounds;
mod coarsening;
mod collectives;
mod consequences;
mod constants;
mod control;
mod conversions;
mod coordinate;
mod digits;
mod disjoint;
mod dynamic;
mod evaluate;
mod facts;
mod findings;
mod floats;
mod flow;
mod form;
mod found;
mod generalized;
mod generics;
mod held;
mod interval;
mod linear;
mod mutation;
mod narrow;
mod operation;
mod own_functions;
mod passed;
mod pattern;
mod places;
mod polynomial;
mod prints;
mod quantities;
mod races;
mod range_reduction;
mod remaining;
mod row_limit;
mod rules;
mod scoped_atomics;
mod shared_memory;
mod terms;
mod text;
mod tickets;
mod translatable;
mod two_threads;
mod type_name;
mod upper;
mod uses;
mod value;
mod views;
mod walk;
mod warps;
mod ways;

#[cfg(test)]
mod tests;

pub(crate) use analysis::Analysis;
pub(crate) use remaining::describe_remaining_checks;

use crate::errors::Errors;
use crate::model::Function;
use analysis::analyze;
use array_function::check_array_function;
use assembly::check_assembly;
use collectives::check_collectives;
use dynamic::check_dynamic_shared;
use generalized::check_generalized;
use generics::check_generics;
use held::check_held_references;
use remaining::check_denied;
use rules::check_rules;
use translatable::check_translatable;

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
    let analysis = (errors.count() == before).then(|| analyze(function, dynamic_arrays))?;
    check_denied(function, &analysis, errors);
    (errors.count() == before).then_some(analysis)
}
