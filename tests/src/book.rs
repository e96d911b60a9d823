//! The code blocks of the pages of the book that need a feature of the runtime, as tests of documentation.

#[doc = include_str!("../../docs/src/reference/number-types.md")]
mod number_types {}

#[doc = include_str!("../../docs/src/tutorial/cluster.md")]
mod cluster {}
