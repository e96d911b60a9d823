//! What the examples share. The examples themselves are in `examples/`, one file each.
//!
//! The code blocks of the README and of the book are tests of this crate: see `book.rs`.

mod arguments;
#[cfg(doctest)]
mod book;
mod comparison;
mod failure;
mod progress;

pub use arguments::Arguments;
pub use comparison::Comparison;
pub use failure::Failure;
pub use progress::Progress;
