//! A module with the name of an intrinsic.

/// What is added.
pub(super) const OFFSET: u32 = 100;
