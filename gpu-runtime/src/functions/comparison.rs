//! Comparisons of numbers, and tests of floats.

use crate::scalar::{Float, Num};
use crate::vectorize;

/// Whether a < b.
#[vectorize]
pub fn less<T: Num>(a: T, b: T) -> bool {
    a < b
}

/// Whether a ≤ b.
#[vectorize]
pub fn less_equal<T: Num>(a: T, b: T) -> bool {
    a <= b
}

/// Whether a > b.
#[vectorize]
pub fn greater<T: Num>(a: T, b: T) -> bool {
    a > b
}

/// Whether a ≥ b.
#[vectorize]
pub fn greater_equal<T: Num>(a: T, b: T) -> bool {
    a >= b
}

/// Whether a = b. NaN equals nothing.
#[vectorize]
pub fn equal<T: Num>(a: T, b: T) -> bool {
    a == b
}

/// Whether a ≠ b. NaN differs from everything.
#[vectorize]
pub fn not_equal<T: Num>(a: T, b: T) -> bool {
    a != b
}

/// Whether a float is NaN.
#[vectorize]
pub fn is_nan<T: Float>(x: T) -> bool {
    x.is_nan()
}

/// Whether a float is an infinity.
#[vectorize]
pub fn is_infinite<T: Float>(x: T) -> bool {
    x.is_infinite()
}

/// Whether a float is neither an infinity nor NaN.
#[vectorize]
pub fn is_finite<T: Float>(x: T) -> bool {
    x.is_finite()
}

/// Whether the sign bit of a float is set, as in `-0.0`.
#[vectorize]
pub fn is_sign_negative<T: Float>(x: T) -> bool {
    x.is_sign_negative()
}
