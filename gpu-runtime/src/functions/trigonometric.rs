//! Trigonometric and hyperbolic functions, for floats. Angles are in radians.

use crate::scalar::Float;
use crate::vectorize;

/// The sine.
#[vectorize]
pub fn sin<T: Float>(x: T) -> T {
    x.sin()
}

/// The cosine.
#[vectorize]
pub fn cos<T: Float>(x: T) -> T {
    x.cos()
}

/// The sine and the cosine: two arrays.
#[vectorize]
pub fn sin_cos<T: Float>(x: T) -> (T, T) {
    x.sin_cos()
}

/// The tangent.
#[vectorize]
pub fn tan<T: Float>(x: T) -> T {
    x.tan()
}

/// The arcsine; NaN outside `-1..=1`.
#[vectorize]
pub fn asin<T: Float>(x: T) -> T {
    x.asin()
}

/// The arccosine; NaN outside `-1..=1`.
#[vectorize]
pub fn acos<T: Float>(x: T) -> T {
    x.acos()
}

/// The arctangent.
#[vectorize]
pub fn atan<T: Float>(x: T) -> T {
    x.atan()
}

/// The angle of the point (x, y).
#[vectorize]
pub fn atan2<T: Float>(y: T, x: T) -> T {
    y.atan2(x)
}

/// The hyperbolic sine.
#[vectorize]
pub fn sinh<T: Float>(x: T) -> T {
    x.sinh()
}

/// The hyperbolic cosine.
#[vectorize]
pub fn cosh<T: Float>(x: T) -> T {
    x.cosh()
}

/// The hyperbolic tangent.
#[vectorize]
pub fn tanh<T: Float>(x: T) -> T {
    x.tanh()
}

/// The inverse hyperbolic sine.
#[vectorize]
pub fn asinh<T: Float>(x: T) -> T {
    x.asinh()
}

/// The inverse hyperbolic cosine; NaN below 1.
#[vectorize]
pub fn acosh<T: Float>(x: T) -> T {
    x.acosh()
}

/// The inverse hyperbolic tangent.
#[vectorize]
pub fn atanh<T: Float>(x: T) -> T {
    x.atanh()
}

/// Radians as degrees.
#[vectorize]
pub fn to_degrees<T: Float>(x: T) -> T {
    x.to_degrees()
}

/// Degrees as radians.
#[vectorize]
pub fn to_radians<T: Float>(x: T) -> T {
    x.to_radians()
}
