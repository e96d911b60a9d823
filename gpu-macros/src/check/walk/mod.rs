//! Walks a function once in order of evaluation and records what the proofs need: values, facts, accesses and barriers.

pub(crate) mod arithmetic;
pub(crate) mod assigned_locals;
pub(crate) mod closures;
pub(crate) mod constants;
pub(crate) mod control;
pub(crate) mod cooperation;
pub(crate) mod effects;
pub(crate) mod evaluate;
pub(crate) mod exact;
pub(crate) mod facts;
pub(crate) mod flow;
mod growth;
pub(crate) mod implied_facts;
pub(crate) mod known_rounds;
pub(crate) mod launch_values;
mod numbers;
pub(crate) mod pattern;
pub(crate) mod places;
pub(crate) mod powers;
pub(crate) mod quantities;
pub(crate) mod reaching_barriers;
pub(crate) mod shared_values;
pub(crate) mod tiles;
pub(crate) mod unique_counters;
pub(crate) mod views;
pub(crate) mod walker;
pub(crate) mod warps;
