//! Roots, powers, logarithms and rounding, for floats.

use crate::scalar::Float;
use crate::vectorize;

/// The square root; NaN for a negative number.
#[vectorize]
pub fn sqrt<T: Float>(x: T) -> T {
    x.sqrt()
}

/// The cube root.
#[vectorize]
pub fn cbrt<T: Float>(x: T) -> T {
    x.cbrt()
}

/// √(a² + b²), without overflow of the squares.
#[vectorize]
pub fn hypot<T: Float>(a: T, b: T) -> T {
    a.hypot(b)
}

/// `x` to this whole power, by multiplication.
#[vectorize]
pub fn powi<T: Float>(x: T, exponent: i32) -> T {
    x.powi(exponent)
}

/// `x` to this power.
#[vectorize]
pub fn powf<T: Float>(x: T, exponent: T) -> T {
    x.powf(exponent)
}

/// eˣ.
#[vectorize]
pub fn exp<T: Float>(x: T) -> T {
    x.exp()
}

/// 2ˣ.
#[vectorize]
pub fn exp2<T: Float>(x: T) -> T {
    x.exp2()
}

/// eˣ − 1, exact near 0.
#[vectorize]
pub fn exp_m1<T: Float>(x: T) -> T {
    x.exp_m1()
}

/// The natural logarithm.
#[vectorize]
pub fn ln<T: Float>(x: T) -> T {
    x.ln()
}

/// The natural logarithm of 1 + x, exact near 0.
#[vectorize]
pub fn ln_1p<T: Float>(x: T) -> T {
    x.ln_1p()
}

/// The logarithm to base 2.
#[vectorize]
pub fn log2<T: Float>(x: T) -> T {
    x.log2()
}

/// The logarithm to base 10.
#[vectorize]
pub fn log10<T: Float>(x: T) -> T {
    x.log10()
}

/// The logarithm to this base.
#[vectorize]
pub fn log<T: Float>(x: T, base: T) -> T {
    x.log(base)
}

/// The largest whole number that is not larger.
#[vectorize]
pub fn floor<T: Float>(x: T) -> T {
    x.floor()
}

/// The smallest whole number that is not smaller.
#[vectorize]
pub fn ceil<T: Float>(x: T) -> T {
    x.ceil()
}

/// The closest whole number; for ties, the one away from 0.
#[vectorize]
pub fn round<T: Float>(x: T) -> T {
    x.round()
}

/// The closest whole number; for ties, the even one.
#[vectorize]
pub fn round_ties_even<T: Float>(x: T) -> T {
    x.round_ties_even()
}

/// The whole part.
#[vectorize]
pub fn trunc<T: Float>(x: T) -> T {
    x.trunc()
}

/// The fractional part.
#[vectorize]
pub fn fract<T: Float>(x: T) -> T {
    x.fract()
}
