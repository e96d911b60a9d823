//! Proofs about kernels: which index checks are redundant, and whether a launch can race.
//!
//! Both rest on one walk over the body ([`walk`]) that gives every expression a [`Value`](value::Value) and collects the
//! [`Facts`](facts::Facts) that dominate each access. A value has a normal form ([`form`]), so that `row * n + col` and
//! `col + n * row` are one thing whatever they are called. On top of that [`upper`] bounds values by polynomials
//! that the host evaluates at launch, and [`digits`] reads off an index which thread it belongs to.
//!
//! A proof that is missing costs a check or an `unsafe`; a proof that is wrong is a memory error behind a safe function. So
//! whatever is not understood is a symbol of its own here, about which nothing is known.

mod array_function;
mod assembly;
mod bounds;
mod constants;
mod control;
mod digits;
mod dynamic;
mod evaluate;
mod facts;
mod form;
mod generalized;
mod generics;
mod meetings;
mod pattern;
mod polynomial;
mod prints;
mod races;
mod rules;
mod scopes;
mod syntax;
mod translatable;
mod upper;
mod value;
mod views;
mod walk;

#[cfg(test)]
mod tests;

pub(crate) use array_function::check_array_function;
pub(crate) use assembly::check_assembly;
pub(crate) use bounds::check_bounds;
pub(crate) use dynamic::check_dynamic_shared;
pub(crate) use generalized::check_generalized;
pub(crate) use generics::check_generics;
pub(crate) use meetings::check_meetings;
pub(crate) use races::check_races;
pub(crate) use rules::check_rules;
pub(crate) use translatable::check_translatable;
