//! The modified Bessel functions of [`DeviceMath`](super::DeviceMath) on the CPU, which the crate `libm` lacks.

use std::f64::consts::PI;

/// Up to here, the power series; beyond, the expansion in powers of 1/x, whose terms shrink until they are below rounding.
const LARGEST_OF_SERIES: f64 = 20.0;

pub(super) fn bessel_i0(x: f64) -> f64 {
    let size = x.abs();
    if size <= LARGEST_OF_SERIES { series(size, 0) } else { expansion(size, 0) }
}

pub(super) fn bessel_i1(x: f64) -> f64 {
    let size = x.abs();
    let value = if size <= LARGEST_OF_SERIES { size / 2.0 * series(size, 1) } else { expansion(size, 1) };
    value.copysign(x)
}

/// The sum of (x/2)²ᵏ · n! / (k! · (k + n)!). Its terms peak far from the first one, so that every rounding counts: the sum is carried as
/// two numbers, the second of which is what the first one lost.
fn series(x: f64, n: u32) -> f64 {
    let half = x / 2.0;
    let square = half * half;
    let square_rest = half.mul_add(half, -square);
    let (mut sum, mut rest) = (1.0f64, 0.0f64);
    for k in (1..=40u32).rev() {
        let divisor = f64::from(k * (k + n));
        let product = sum * square;
        let product_rest = sum.mul_add(square, -product) + sum * square_rest + rest * square;
        let quotient = product / divisor;
        let quotient_rest = ((-quotient).mul_add(divisor, product) + product_rest) / divisor;
        sum = 1.0 + quotient;
        let part = sum - 1.0;
        rest = (1.0 - (sum - part)) + (quotient - part) + quotient_rest;
    }
    sum + rest
}

/// Hankel's expansion. e to the power of `x` would overflow a little before the function does.
fn expansion(x: f64, n: i32) -> f64 {
    if x.is_infinite() {
        return x;
    }
    let order = f64::from(4 * n * n);
    let sum = (1..=36).rev().fold(1.0, |sum, k| {
        let odd = f64::from(2 * k - 1);
        1.0 + sum * ((odd * odd - order) / (f64::from(8 * k) * x))
    });
    let half = (x / 2.0).exp();
    half * (sum / (2.0 * PI * x).sqrt()) * half
}
