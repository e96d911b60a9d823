//! Ready-made functions of arrays: NumPy's universal functions under std's names.
//!
//! Each is a function of numbers and, through the module of its name, of arrays: `functions::hypot::map(&x, &y)` is lazy and fuses
//! with others, like every function with the attribute [`#[vectorize]`](crate::vectorize), of which these are examples.
//! [`Lazy`](crate::Lazy) has most of them as methods, and arrays have operators.
mod arithmetic;
mod comparison;
mod elementary;
mod integer;
mod logic;
mod trigonometric;

pub use arithmetic::*;
pub use comparison::*;
pub use elementary::*;
pub use integer::*;
pub use logic::*;
pub use trigonometric::*;

#[cfg(test)]
mod tests;
