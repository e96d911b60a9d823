//! Operators with the semantics of release-mode Rust, for the twins.
//!
//! A twin must compute what the GPU computes in every build profile, so it cannot use `+` where an integer may overflow: that panics
//! in debug builds. And the macro does not always know the type of an operand. These functions are generic over one trait per
//! family of operators, so that rustc's inference flows through them as it does through the operators.
//!
//! * integers wrap, and tell the checker ([`overflow`]); floats follow IEEE 754;
//! * shift amounts are reduced modulo the width;
//! * complex numbers and the floats of 16 bits do what their crates do;
//! * an index is checked;
//! * division and remainder of integers fail, through a [`Site`](crate::source::Site), for a zero divisor and for `MIN / -1`; `wrapping_div` and
//!   its relatives for a zero divisor.

pub(crate) mod arithmetic;
mod bits;
mod comparison;
mod division;
mod index;
mod integers;
mod operator;
mod overflow;
mod pairs;
mod receiver;

pub use arithmetic::{Arithmetic, Negate, add, mul, neg, sub};
pub use bits::{Bits, Shift, ShiftAmount, bitand, bitor, bitxor, not, shl, shr};
pub use comparison::{
    Compare, Comparing, EqualParts, Equality, Equate, Order, OrderParts, PartialOrdering, comparing, comparing_alike, eq, ge, gt, le, lt,
    ne, partial_order, then_order, total_order,
};
pub use division::{Divide, DivideUnsigned, Remainder, Undefined, div, div_ceil, div_euclid, rem, rem_euclid};
pub use index::{Index, IndexMutOperator, IndexOperator, array_length, element, element_mut};
pub use integers::{
    ilog2, ilog10, next_multiple_of, overflowing_div, overflowing_rem, saturating_div, wrapping_div, wrapping_div_euclid, wrapping_rem,
    wrapping_rem_euclid,
};
pub use operator::{
    Add, AssignResult, Assigned, Assignment, AssignmentOperator, BitAnd, BitOr, BitXor, Div, Equal, Mul, Neg, NoOperator, Not, NotDeclared,
    Operands, Operator, PartialOrder, ReferenceOperator, Referring, Rem, Sub, TotalOrder, UnaryOperator, assignment, c_type_of,
    operands_of, operator, operator_like_left, operator_like_right, result_of, unary_operator,
};
pub use pairs::{ArithmeticWith, DivideBy};
pub use receiver::Receiver;
