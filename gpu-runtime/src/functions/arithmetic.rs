//! Arithmetic, for all numbers unless stated otherwise.

use crate::scalar::{Float, Num, Signed};
use crate::vectorize;

/// a + b. Integers wrap around.
#[vectorize]
pub fn add<T: Num>(a: T, b: T) -> T {
    a + b
}

/// a − b. Integers wrap around.
#[vectorize]
pub fn sub<T: Num>(a: T, b: T) -> T {
    a - b
}

/// a · b. Integers wrap around.
#[vectorize]
pub fn mul<T: Num>(a: T, b: T) -> T {
    a * b
}

/// a / b. For integers, it rounds towards zero; a zero divisor fails, and so does a quotient that does not fit.
#[vectorize]
pub fn div<T: Num>(a: T, b: T) -> T {
    a / b
}

/// The remainder of [`div`](fn@div), with the sign of `a`. For integers, it fails where [`div`](fn@div) does.
#[vectorize]
pub fn rem<T: Num>(a: T, b: T) -> T {
    a % b
}

/// The quotient of the Euclidean division, whose remainder is not negative. For integers, a zero divisor fails, and so does a quotient that
/// does not fit.
#[vectorize]
pub fn div_euclid<T: Num>(a: T, b: T) -> T {
    a.div_euclid(b)
}

/// The remainder of the Euclidean division, which is not negative. For integers, it fails where [`div_euclid`](fn@div_euclid) does.
#[vectorize]
pub fn rem_euclid<T: Num>(a: T, b: T) -> T {
    a.rem_euclid(b)
}

/// −x, for signed numbers. The smallest integer stays as it is.
#[vectorize]
pub fn neg<T: Signed>(x: T) -> T {
    -x
}

/// The absolute value, for signed numbers. The smallest integer stays as it is.
#[vectorize]
pub fn abs<T: Signed>(x: T) -> T {
    x.abs()
}

/// The sign of a signed number as std has it: −1, 0 or 1 for an integer; −1, 1 or NaN for a float, 1 for 0.0 and −1 for −0.0.
#[vectorize]
pub fn signum<T: Signed>(x: T) -> T {
    x.signum()
}

/// The sign of a signed number as NumPy has it: −1, 0 or 1, 0 for both zeros; NaN for NaN.
#[vectorize]
pub fn sign<T: Signed>(x: T) -> T {
    if x == T::ZERO { T::ZERO } else { x.signum() }
}

/// x².
#[vectorize]
pub fn square<T: Num>(x: T) -> T {
    x * x
}

/// 1 / x, for floats.
#[vectorize]
pub fn recip<T: Float>(x: T) -> T {
    x.recip()
}

/// x · factor + summand, for floats, with one rounding.
#[vectorize]
pub fn mul_add<T: Float>(x: T, factor: T, summand: T) -> T {
    x.mul_add(factor, summand)
}

/// `x` with the sign of `sign`, for floats.
#[vectorize]
pub fn copysign<T: Float>(x: T, sign: T) -> T {
    x.copysign(sign)
}

/// The smaller of two numbers; for a number and NaN, the number.
#[vectorize]
pub fn min<T: Num>(a: T, b: T) -> T {
    a.min(b)
}

/// The larger of two numbers; for a number and NaN, the number.
#[vectorize]
pub fn max<T: Num>(a: T, b: T) -> T {
    a.max(b)
}

/// The smaller of two numbers, or NaN if one of them is.
#[vectorize]
pub fn minimum<T: Num>(a: T, b: T) -> T {
    if a < b || a != a { a } else { b }
}

/// The larger of two numbers, or NaN if one of them is.
#[vectorize]
pub fn maximum<T: Num>(a: T, b: T) -> T {
    if a > b || a != a { a } else { b }
}

/// The closest number from `lowest` to `highest`. It fails if these are out of order.
#[vectorize]
pub fn clamp<T: Num>(x: T, lowest: T, highest: T) -> T {
    x.clamp(lowest, highest)
}

/// `x as U`: a conversion from float to integer saturates, with 0 for NaN; a conversion from integer to integer keeps the low bits.
#[vectorize]
pub fn cast<T: Num, U: Num>(x: T) -> U {
    x.cast::<U>()
}

/// Element `i` of an arithmetic sequence: `start + i * step`. Floats are computed in `f64` and rounded to their type at the end, as not every
/// type has the number `i`. (The step of NumPy's `arange` is `(start + step) - start`, which may have other last digits.)
#[vectorize(fmad = false)]
pub fn sequence<T: Num>(i: usize, start: T, step: T) -> T {
    let is_integer = 0.5f64.cast::<T>() == T::ZERO;
    if is_integer { start + i.cast::<T>() * step } else { (start.cast::<f64>() + i.cast::<f64>() * step.cast::<f64>()).cast::<T>() }
}
