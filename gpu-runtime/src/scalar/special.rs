//! The functions of [`DeviceMath`](super::DeviceMath) on the CPU, in `f64`.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, LN_2, PI};

use super::lengths::reciprocal;

pub(super) use libm::{erf, erfc, fdim, j0 as bessel_j0, j1 as bessel_j1, lgamma, tgamma, y0 as bessel_y0, y1 as bessel_y1};
pub(super) use libm::{ilogb, ldexp, remainder as ieee_remainder};

pub(super) use super::bessel::{bessel_i0, bessel_i1};
pub(super) use super::lengths::{hypot3, hypot4, rhypot, rhypot3, rhypot4};

pub(super) fn rsqrt(x: f64) -> f64 {
    let (x, factor) = in_middle(x, 2);
    let root = x.sqrt();
    let rest = (-root).mul_add(root, x) / (2.0 * root);
    reciprocal_root(root, rest) * factor
}

pub(super) fn rcbrt(x: f64) -> f64 {
    let (x, factor) = in_middle(x, 3);
    let root = x.cbrt();
    let square = root * root;
    let cube = square * root;
    let lost = root.mul_add(root, -square) * root + square.mul_add(root, -cube);
    let rest = ((x - cube) - lost) / (3.0 * square);
    reciprocal_root(root, rest) * factor
}

/// The number, or one times a power of 2 that is not near the ends of the range, where what rounding lost is lost too; and the factor of its
/// reciprocal root of this degree.
fn in_middle(x: f64, degree: i32) -> (f64, f64) {
    match x.abs() {
        ..1e-200 => (x * 2f64.powi(200 * degree), 2f64.powi(200)),
        1e200.. => (x * 2f64.powi(-200 * degree), 2f64.powi(-200)),
        _ => (x, 1.0),
    }
}

/// `1 / (root + rest)`, or `1 / root` where the root is 0 or no finite number.
fn reciprocal_root(root: f64, rest: f64) -> f64 {
    let value = reciprocal(root, rest);
    if value.is_finite() { value } else { 1.0 / root }
}

pub(super) fn exp10(x: f64) -> f64 {
    10f64.powf(x)
}

pub(super) fn sin_pi(x: f64) -> f64 {
    sin_cos_pi(x).0
}

pub(super) fn cos_pi(x: f64) -> f64 {
    sin_cos_pi(x).1
}

/// Subtracts quarter turns, which is exact, so that multiplying with π is the only error before the functions' own.
pub(super) fn sin_cos_pi(x: f64) -> (f64, f64) {
    if !x.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    // A multiple of whole turns is taken off first: what is left has quarters that fit an integer.
    let turn = x % 2.0;
    let quarters = (turn * 2.0).round_ties_even();
    let (sin, cos) = ((turn - quarters / 2.0) * PI).sin_cos();
    let (sin, cos) = match quarters as i32 & 3 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    };
    // A zero has no sign of the reduction's making: that of `x` for the sine, none for the cosine.
    (if sin == 0.0 { 0.0f64.copysign(x) } else { sin }, cos + 0.0)
}

/// `exp(x²) · erfc(x)`, neither of which has the range for large numbers: there, its continued fraction.
pub(super) fn erfcx(x: f64) -> f64 {
    if x >= 8.0 {
        let fraction = (1..=24).rev().fold(x, |fraction, k| x + f64::from(k) / 2.0 / fraction);
        return FRAC_2_SQRT_PI / 2.0 / fraction;
    }
    let square = x * x;
    let value = square.exp() * erfc(x);
    if value.is_infinite() {
        return value;
    }
    // What rounding the square lost, put back to first order.
    x.mul_add(x, -square).mul_add(value, value)
}

pub(super) fn erfinv(x: f64) -> f64 {
    // The distance from the nearer end is exact where it is small.
    normal_quantile(x / 2.0, 1.0 - x.abs()) * FRAC_1_SQRT_2
}

pub(super) fn erfcinv(x: f64) -> f64 {
    let nearer = if x < 1.0 { x } else { 2.0 - x };
    normal_quantile((1.0 - x) / 2.0, nearer) * FRAC_1_SQRT_2
}

pub(super) fn norm_cdf_inv(x: f64) -> f64 {
    normal_quantile(x - 0.5, 2.0 * if x < 0.5 { x } else { 1.0 - x })
}

/// The normal quantile, after Wichura's algorithm AS 241, for the probability `0.5 + centred`. From the nearer of 0 and 1 it is half of `tails`,
/// which need not be a float.
fn normal_quantile(centred: f64, tails: f64) -> f64 {
    if tails.is_nan() || tails < 0.0 {
        return f64::NAN;
    }
    if centred.abs() <= 0.425 {
        return centred * CENTRE.at(0.180_625 - centred * centred);
    }
    let distance = (LN_2 - tails.ln()).sqrt();
    let size = match distance {
        _ if tails == 0.0 => f64::INFINITY,
        _ if distance <= 5.0 => SIDES.at(distance - 1.6),
        _ => TAILS.at(distance - 5.0),
    };
    size.copysign(centred)
}

/// A quotient of polynomials, highest power first.
struct Rational {
    numerator: [f64; 8],
    denominator: [f64; 8],
}

impl Rational {
    fn at(&self, x: f64) -> f64 {
        let horner = |coefficients: &[f64; 8]| coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient);
        horner(&self.numerator) / horner(&self.denominator)
    }
}

/// For probabilities up to 0.425 from one half.
#[rustfmt::skip]
static CENTRE: Rational = Rational {
    numerator: [
        2_509.080_928_730_122_7, 33_430.575_583_588_13, 67_265.770_927_008_7, 45_921.953_931_549_87,
        13_731.693_765_509_46, 1_971.590_950_306_551_3, 133.141_667_891_784_38, 3.387_132_872_796_366_5,
    ],
    denominator: [
        5_226.495_278_852_854, 28_729.085_735_721_943, 39_307.895_800_092_71, 21_213.794_301_586_597,
        5_394.196_021_424_751, 687.187_007_492_057_9, 42.313_330_701_600_91, 1.0,
    ],
};

/// For tails down to exp(-25).
#[rustfmt::skip]
static SIDES: Rational = Rational {
    numerator: [
        0.000_774_545_014_278_341_4, 0.022_723_844_989_269_184, 0.241_780_725_177_450_6, 1.270_458_252_452_368_4,
        3.647_848_324_763_204_5, 5.769_497_221_460_691, 4.630_337_846_156_546, 1.423_437_110_749_683_5,
    ],
    denominator: [
        1.050_750_071_644_416_9e-09, 0.000_547_593_808_499_534_5, 0.015_198_666_563_616_457, 0.148_103_976_427_480_08,
        0.689_767_334_985_1, 1.676_384_830_183_803_8, 2.053_191_626_637_759, 1.0,
    ],
};

/// For the tails beyond.
#[rustfmt::skip]
static TAILS: Rational = Rational {
    numerator: [
        2.010_334_399_292_288_1e-07, 2.711_555_568_743_487_6e-05, 0.001_242_660_947_388_078_4, 0.026_532_189_526_576_124,
        0.296_560_571_828_504_87, 1.784_826_539_917_291_3, 5.463_784_911_164_114, 6.657_904_643_501_103,
    ],
    denominator: [
        2.044_263_103_389_939_7e-15, 1.421_511_758_316_446e-07, 1.846_318_317_510_054_8e-05, 0.000_786_869_131_145_613_3,
        0.014_875_361_290_850_615, 0.136_929_880_922_735_8, 0.599_832_206_555_888, 1.0,
    ],
};

/// 1/√2 less its `f64`.
const REST_OF_FRAC_1_SQRT_2: f64 = -4.833646656726457e-17;

/// Half of `erfc(-x / √2)`. Rounding the quotient moves the tails by many ulps, so what it lost is put back to first order.
pub(super) fn norm_cdf(x: f64) -> f64 {
    let z = -x * FRAC_1_SQRT_2;
    let value = 0.5 * erfc(z);
    if !(value > 0.0 && value < 1.0) {
        return value;
    }
    // z is too small by this; the rest of 1/√2 is what its f64 lacks.
    let lost = (-x).mul_add(FRAC_1_SQRT_2, -z) - x * REST_OF_FRAC_1_SQRT_2;
    value - lost * (-z * z).exp() * (FRAC_2_SQRT_PI / 2.0)
}

pub(super) fn bessel_jn(x: f64, n: i32) -> f64 {
    libm::jn(n, x)
}

pub(super) fn bessel_yn(x: f64, n: i32) -> f64 {
    libm::yn(n, x)
}

pub(super) fn frexp(x: f64) -> (f64, i32) {
    if x.is_finite() { libm::frexp(x) } else { (x, 0) }
}

pub(super) fn modf(x: f64) -> (f64, f64) {
    let fraction = if x.is_infinite() { 0.0 } else { x.fract() };
    (fraction.copysign(x), x.trunc())
}

/// The sign and the three lowest bits of the quotient: C promises no more.
pub(super) fn remquo(x: f64, y: f64) -> (f64, i32) {
    let (rest, quotient) = libm::remquo(x, y);
    (rest, quotient % 8)
}

pub(super) fn logb(x: f64) -> f64 {
    match x {
        _ if x == 0.0 => f64::NEG_INFINITY,
        _ if x.is_finite() => f64::from(ilogb(x)),
        _ => x * x,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against mpmath with 300 bits, each error in ulps of the result.
    #[track_caller]
    fn assert_near(function: fn(f64) -> f64, ulps: u64, rows: &[(f64, f64)]) {
        for &(x, expected) in rows {
            let found = function(x);
            assert!(found.to_bits().abs_diff(expected.to_bits()) <= ulps, "of {x:e}: {found:e}, not {expected:e}");
        }
    }

    /// Where a quotient of 1 and the root is wrong by more than an ulp, and at the ends of the range.
    #[test]
    fn reciprocal_roots_and_powers_of_10_are_within_an_ulp() {
        assert_near(rsqrt, 0, &[(0.25044647470349346, 1.998216489707506), (0.25209359810090076, 1.991677841039628)]);
        assert_near(rsqrt, 0, &[(5e-324, 4.4989137945431964e161), (f64::MAX, 7.458340731200207e-155)]);
        assert_near(rcbrt, 0, &[(1.028744455571027, 0.9905981155407384), (1.0096570899027937, 0.9968015399208454)]);
        assert_near(rcbrt, 0, &[(5e-324, 5.871356456934583e107), (-3e-310, -1.493801582185723e103), (f64::MAX, 1.7718548704178432e-103)]);
        assert_near(|x| rhypot(x, 1.0854336297898788), 0, &[(1.6815517606198238, 0.49963898585024646)]);
        assert_near(|x| rhypot(x, 1.397062072565584), 0, &[(3.8717114328481275, 0.2429509125923159)]);
        assert_near(exp10, 1, &[(-300.7, 1.995262314968932e-301), (-17.3, 5.011872336272715e-18), (5.123, 132739.44577297402)]);
        assert_near(exp10, 1, &[(123.456, 2.857590543374967e123), (307.9, 7.943282347242399e307)]);
        for (function, of_minus_inf) in [(rsqrt as fn(f64) -> f64, f64::NAN), (rcbrt, -0.0)] {
            let found = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY].map(function);
            assert_eq!(format!("{found:?}"), format!("{:?}", [f64::INFINITY, f64::NEG_INFINITY, 0.0, of_minus_inf]));
            assert!(function(f64::NAN).is_nan());
        }
    }

    #[test]
    fn tails_are_accurate_down_to_the_smallest_float() {
        assert_near(erfcinv, 6, &[(5e-324, 27.21329321081295), (1.5e-323, 27.19311412620397), (1e-310, 26.644806559364763)]);
        assert_near(erfcinv, 6, &[(f64::MIN_POSITIVE, 26.54325845425098), (1e-200, 21.37478304902626)]);
        assert_near(norm_cdf_inv, 8, &[(5e-324, -38.467405617144344), (1e-310, -37.663060331949524)]);
        assert_near(norm_cdf, 5, &[(-38.4, 6.4e-323), (-38.0, 2.88542835e-316), (-37.6, 1.074811249587044e-309)]);
        assert_near(norm_cdf, 5, &[(-37.51, 3.1642088986155016e-308), (-36.9, 2.3105244811406173e-298)]);
        assert_eq!((erfcinv(0.0), erfcinv(2.0), norm_cdf(-40.0)), (f64::INFINITY, f64::NEG_INFINITY, 0.0));
    }

    #[test]
    fn odd_functions_keep_the_sign_of_zero() {
        assert!(bessel_i1(-0.0).is_sign_negative() && bessel_i1(0.0).is_sign_positive() && bessel_i1(-1.0) < 0.0);
    }

    #[test]
    fn the_scaled_complement_is_infinite_only_where_it_is_too_large() {
        for x in [-26.7, -27.0, -1e10, f64::NEG_INFINITY] {
            assert_eq!(erfcx(x), f64::INFINITY, "{x}");
        }
        assert!(erfcx(-26.6).is_finite() && erfcx(-26.6) > 1e307);
        assert_eq!((erfcx(f64::INFINITY), erfcx(0.0), erfcx(f64::MAX) > 0.0), (0.0, 1.0, true));
        assert!(erfcx(f64::NAN).is_nan());
    }

    #[test]
    fn a_quotient_has_three_bits_and_a_sign() {
        assert_eq!((remquo(1e15 + 1.0, 1.0), remquo(-9.0, 2.0)), ((0.0, 1), (-1.0, -4)));
    }
}
