//! The questions that are asked about a walk. Each reads its effects and asks the prover.

pub(crate) mod active_threads;
pub(crate) mod aliasing;
pub(crate) mod array_accesses;
pub(crate) mod bounds;
pub(crate) mod coarsening;
pub(crate) mod collectives;
pub(crate) mod exact_integers;
pub(crate) mod index_width;
pub(crate) mod races;
pub(crate) mod range_reduction;
pub(crate) mod shared_memory;
pub(crate) mod unused_floats;
