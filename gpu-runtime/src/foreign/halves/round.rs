//! Rounding to 16 bits from more digits than `f32` has.
//!
//! The crate rounds an `f64` to `f32` first, or cuts digits off. Rounding twice is harmless if the first step rounds to odd: towards
//! zero, and then to the neighbour whose last bit is set unless that was exact. What lies half-way between two numbers of 16 bits is
//! even, so nothing else is rounded to it.

/// `value`, to be rounded once more to at most 22 digits.
pub(super) fn to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    if back == value || value.is_nan() {
        return nearest;
    }
    // Infinity is the neighbour of the largest number.
    let truncated = nearest.to_bits() - u32::from(back.abs() > value.abs());
    f32::from_bits(truncated | 1)
}

/// `a * b + c` of numbers whose product is exact in `f64`, to be rounded once more.
pub(super) fn fused_to_odd(a: f32, b: f32, c: f32) -> f32 {
    let (product, summand) = (f64::from(a) * f64::from(b), f64::from(c));
    // The rest of the sum, exactly: Knuth's two-sum.
    let sum = product + summand;
    let change = sum - product;
    let rest = (product - (sum - change)) + (summand - change);
    let bits = sum.to_bits();
    // A rest that is NaN belongs to a sum that is not finite.
    if rest == 0.0 || rest.is_nan() || bits & 1 == 1 {
        return to_odd(sum);
    }
    to_odd(f64::from_bits(if (rest > 0.0) == (sum > 0.0) { bits + 1 } else { bits - 1 }))
}

/// A natural number, to be rounded once more: `f64` has those below 2⁵³.
pub(super) fn natural_to_odd(value: u64) -> f64 {
    const LOST: u64 = 0x7ff;
    if value >> 53 == 0 {
        return value as f64;
    }
    ((value & !LOST) | if value & LOST == 0 { 0 } else { LOST + 1 }) as f64
}
