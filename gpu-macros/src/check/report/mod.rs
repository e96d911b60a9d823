//! Proofs in words: what could not be shown, why, and which checks remain.

pub(crate) mod describe;
pub(crate) mod findings;
pub(crate) mod index_width;
pub(crate) mod loops;
pub(crate) mod remaining_checks;
