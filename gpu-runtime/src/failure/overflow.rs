//! What overflowed, and how a message says it.

use std::fmt;

/// An operation on integers whose result does not fit: [`FailureCause::IntegerOverflow`](super::FailureCause::IntegerOverflow).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct IntegerOverflow {
    /// What was computed.
    pub operation: IntegerOperation,
    /// The left operand, or the only one.
    pub left: i128,
    /// The right operand; of [`Negation`](IntegerOperation::Negation) and [`AbsoluteValue`](IntegerOperation::AbsoluteValue), 0.
    pub right: i128,
    /// The type of the left operand and of the result.
    pub ty: &'static str,
}

/// An operation on integers that can overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IntegerOperation {
    /// `a + b`
    Addition,
    /// `a - b`
    Subtraction,
    /// `a * b`
    Multiplication,
    /// `-a`
    Negation,
    /// `a << b`
    ShiftLeft,
    /// `a >> b`
    ShiftRight,
    /// `a.abs()`
    AbsoluteValue,
    /// `a.pow(b)`
    Power,
}

impl fmt::Display for IntegerOverflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use IntegerOperation::*;
        let Self { operation, left, right, ty } = *self;
        let wrapping = match operation {
            Addition => write!(f, "`{left} + {right}`").map(|()| "add"),
            Subtraction => write!(f, "`{left} - {right}`").map(|()| "sub"),
            Multiplication => write!(f, "`{left} * {right}`").map(|()| "mul"),
            Negation => write!(f, "`-({left})`").map(|()| "neg"),
            ShiftLeft => write!(f, "`{left} << {right}`").map(|()| "shl"),
            ShiftRight => write!(f, "`{left} >> {right}`").map(|()| "shr"),
            AbsoluteValue => write!(f, "`({left}).abs()`").map(|()| "abs"),
            Power => write!(f, "`{left}.pow({right})`").map(|()| "pow"),
        }?;
        let why = if matches!(operation, ShiftLeft | ShiftRight) { "shifts by more bits than are in" } else { "does not fit into" };
        write!(f, " {why} `{ty}`; if it is meant to wrap around, use `wrapping_{wrapping}`")
    }
}

#[cfg(test)]
mod tests {
    use super::IntegerOperation::*;
    use super::*;

    #[test]
    fn a_message_has_the_operation_as_it_is_written() {
        for (operation, left, right, written, wrapping) in [
            (Addition, 2_147_483_647, 1, "`2147483647 + 1` does not fit into `i32`", "`wrapping_add`"),
            (Subtraction, -2_147_483_648, 1, "`-2147483648 - 1` does not fit into `i32`", "`wrapping_sub`"),
            (Multiplication, 65_536, 65_536, "`65536 * 65536` does not fit into `i32`", "`wrapping_mul`"),
            (Negation, -2_147_483_648, 0, "`-(-2147483648)` does not fit into `i32`", "`wrapping_neg`"),
            (ShiftLeft, 1, 32, "`1 << 32` shifts by more bits than are in `i32`", "`wrapping_shl`"),
            (ShiftRight, 1, -1, "`1 >> -1` shifts by more bits than are in `i32`", "`wrapping_shr`"),
            (AbsoluteValue, -2_147_483_648, 0, "`(-2147483648).abs()` does not fit into `i32`", "`wrapping_abs`"),
            (Power, 10, 10, "`10.pow(10)` does not fit into `i32`", "`wrapping_pow`"),
        ] {
            let text = IntegerOverflow { operation, left, right, ty: "i32" }.to_string();
            assert_eq!(text, format!("{written}; if it is meant to wrap around, use {wrapping}"));
        }
    }
}
