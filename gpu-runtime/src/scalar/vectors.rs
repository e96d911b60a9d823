//! Functions of `f32` in array functions on the CPU: without a branch or a call, so that a loop over them becomes vector instructions.
//!
//! Each is a reduction of the argument, a polynomial that was interpolated at Chebyshev nodes with 120 bits, and selections for the edges.
//! All 2³² arguments were compared with std's functions of `f64`. Multiplications and additions are not fused: the results are the same on
//! every processor.

// The digits of the polynomials are more than an `f32` has.
#![allow(clippy::excessive_precision)]

use std::f32::consts::LOG2_E;

/// 1.5 · 2²³: the last bits of `x + SHIFT` are `x` as an integer, rounded to nearest.
const SHIFT: f32 = 12_582_912.0;

/// ln 2 in two parts. The product of the first, which has 9 bits, and a whole number below 2¹⁵ is exact.
const LN_2: [f32; 2] = [0.693_359_375, -2.121_944_40e-4];

/// The value of the polynomial with these coefficients, the highest first.
#[inline(always)]
fn polynomial<const N: usize>(x: f32, coefficients: [f32; N]) -> f32 {
    let mut value = coefficients[0];
    let mut at = 1;
    while at < N {
        value = value * x + coefficients[at];
        at += 1;
    }
    value
}

/// `eʳ - 1` and the bits of n + [`SHIFT`], where x = n · ln 2 + r.
#[inline(always)]
fn reduced_exp(x: f32) -> (f32, u32) {
    let shifted = x * LOG2_E + SHIFT;
    let n = shifted - SHIFT;
    let r = (x - n * LN_2[0]) - n * LN_2[1];
    let series = polynomial(
        r,
        [0.000_198_910_804_64, 0.001_393_373_071_58, 0.008_333_310_844_65, 0.041_666_464_197_4, 0.166_666_666_817, 0.500_000_001_354],
    );
    (r * r * series + r, shifted.to_bits())
}

/// `2ⁿ` for n from -126 to 127.
#[inline(always)]
fn power_of_two(n: u32) -> f32 {
    f32::from_bits(n.wrapping_add(127) << 23)
}

/// eˣ, at most 0.96 ulp from it.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // NaN stays NaN. Beyond the limits, the result is 0 or infinite.
    let x = if x < -105.0 { -105.0 } else { x };
    let x = if x > 89.0 { 89.0 } else { x };
    let (value, bits) = reduced_exp(x);
    // Two factors, as 2ⁿ alone may be no `f32`.
    let n = (bits as i32).wrapping_sub(SHIFT.to_bits() as i32);
    let half = n >> 1;
    (value + 1.0) * power_of_two(half as u32) * power_of_two(n.wrapping_sub(half) as u32)
}

/// The hyperbolic tangent, at most 1.35 ulp from it.
#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    let size = x.abs();
    // From here on it is 1.
    let size = if size > 10.0 { 10.0 } else { size };
    let (value, bits) = reduced_exp(2.0 * size);
    let square = (value + 1.0) * power_of_two(bits.wrapping_sub(SHIFT.to_bits()));
    let large = 1.0 - 2.0 / (square + 1.0);
    let z = size * size;
    let series = polynomial(z, [-0.006_269_119_719_65, 0.021_110_959_049_5, -0.053_873_948_848_6, 0.133_329_153_67, -0.333_333_303_327]);
    let small = size + size * (z * series);
    (if size < 0.6 { small } else { large }).copysign(x)
}

/// The natural logarithm, at most 0.83 ulp from it.
#[inline(always)]
pub(super) fn ln(x: f32) -> f32 {
    // 2²³ times a number that is not normal is normal.
    let is_tiny = x < f32::MIN_POSITIVE;
    let (scaled, scale) = if is_tiny { (x * 8_388_608.0, 23.0) } else { (x, 0.0) };
    // scaled = 2ⁿ · m with m from √½ to √2. Shifted by 128, n is not negative.
    let bits = scaled.to_bits();
    let shifted = bits.wrapping_sub(0x3f35_04f3).wrapping_add(1 << 30) >> 23;
    let f = f32::from_bits(bits.wrapping_sub(shifted.wrapping_sub(128) << 23)) - 1.0;
    let n = shifted as i32 as f32 - 128.0 - scale;
    let series = polynomial(
        f,
        [
            0.069_716_114_714_5,
            -0.114_797_338_466,
            0.116_854_199_235,
            -0.124_256_873_315,
            0.142_490_576_457,
            -0.166_678_023_195,
            0.200_007_157_489,
            -0.249_999_969_58,
            0.333_333_311_8,
        ],
    );
    let z = f * f;
    let value = ((z * f * series + n * LN_2[1]) - 0.5 * z + f) + n * LN_2[0];
    let edge = if x == 0.0 { f32::NEG_INFINITY } else { f32::NAN };
    let value = if x > 0.0 { value } else { edge };
    if x == f32::INFINITY { x } else { value }
}

#[cfg(test)]
mod tests {
    use super::{exp, ln, tanh};

    /// The distance from `exact` in ulp.
    fn error(found: f32, exact: f64) -> f64 {
        let nearest = exact as f32;
        let is_special = !nearest.is_finite() || exact == 0.0;
        if is_special || !found.is_finite() {
            let is_same = found.to_bits() == nearest.to_bits() || found.is_nan() && nearest.is_nan();
            return if is_same { 0.0 } else { f64::INFINITY };
        }
        let ulp = f64::from(nearest.abs().max(f32::MIN_POSITIVE)).log2().floor().exp2() * f64::from(f32::EPSILON);
        (f64::from(found) - exact).abs() / ulp
    }

    #[track_caller]
    fn check(function: fn(f32) -> f32, exact: fn(f64) -> f64, bound: f64) {
        const EDGES: [f32; 12] =
            [0.0, f32::INFINITY, f32::NAN, f32::MAX, f32::MIN_POSITIVE, 1e-45, 1.0, 88.722_83, 88.722_84, 103.972_08, 103.972_09, 104.1];
        let around = |limit: f32| (0..200u32).map(move |step| f32::from_bits(limit.to_bits() - 100 + step));
        let edges = EDGES
            .into_iter()
            .chain([0.6, 10.0, 89.0, 105.0, std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::SQRT_2, 1.0].into_iter().flat_map(around));
        let all = (0..=u32::MAX / 2).step_by(9973).map(f32::from_bits);
        for x in edges.chain(all).flat_map(|x| [x, -x]) {
            let found = error(function(x), exact(f64::from(x)));
            assert!(found <= bound, "{found} ulp at {x:e}");
        }
    }

    #[test]
    fn functions_are_as_close_as_they_say() {
        check(exp, f64::exp, 0.96);
        check(tanh, f64::tanh, 1.35);
        check(ln, f64::ln, 0.83);
    }
}
