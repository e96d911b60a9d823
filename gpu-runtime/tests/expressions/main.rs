//! Array functions: expressions, reductions, scans, and what the array library computes.

mod generalized;
mod library;
mod operator_properties;
mod operators;
mod reductions;
mod scans;
#[path = "../support/mod.rs"]
mod support;
