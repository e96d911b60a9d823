//! The functions of floats that std lacks, against values of higher precision, and the operations that are exact, by their bits.
//!
//! The bounds in ulps are those of the book's chapter on floating point.

mod reference;

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same, assert_ulps};
use crate::{cases, launch};
use reference::*;

cases![
    functions_of_f32_are_within_their_bounds,
    functions_of_f64_are_within_their_bounds,
    functions_know_their_special_values,
    lengths_are_within_their_bounds,
    parts_of_floats_are_exact,
    quotients_and_saturated_numbers_are_exact,
    neighbours_are_exact,
    generic_functions_have_them_too,
    fast_functions_are_near,
];

/// Added to every bound: the reference is itself rounded.
const SLACK: u64 = 1;

/// A kernel for each function of one number.
macro_rules! functions_of_one {
    ($module:ident, $F:ident, $($name:ident $reference:ident $ulps:literal,)*) => {
        pub mod $module {
            use super::*;

            $(pub mod $name {
                use super::*;

                #[gpu_kernel]
                pub fn function(x: &[$F], out: &mut [$F]) {
                    let i = grid_1d();
                    if i < out.len() {
                        out[i] = x[i].$name();
                    }
                }
            })*

            #[gpu_kernel]
            pub fn of_order(x: &[$F], n: &[i32], first: &mut [$F], second: &mut [$F]) {
                let i = grid_1d();
                if i < x.len() {
                    first[i] = x[i].bessel_jn(n[i]);
                    second[i] = x[i].bessel_yn(n[i]);
                }
            }

            #[gpu_kernel]
            pub fn reciprocal_lengths(x: &[$F], y: &[$F], out: &mut [$F]) {
                let i = grid_1d();
                if i < x.len() {
                    out[i] = $F::rhypot(x[i], y[i]);
                }
            }

            pub fn check(bench: &Bench, absolute: f64) {
                $({
                    let x: Vec<$F> = $reference.iter().map(|row| row.0 as $F).collect();
                    let expected: Vec<$F> = $reference.iter().map(|row| row.1 as $F).collect();
                    let mut out = vec![0.0; x.len()];
                    launch!(bench, $name::function(&x, &mut out), 1, 32);
                    assert_ulps(concat!(stringify!($F), "::", stringify!($name)), &out, &expected, $ulps + SLACK);
                })*
                // NVIDIA bounds these absolutely; relative to what grows large, here.
                for (reference, is_first) in [(BESSEL_JN, true), (BESSEL_YN, false)] {
                    let x: Vec<$F> = reference.iter().map(|row| row.0 as $F).collect();
                    let n: Vec<i32> = reference.iter().map(|row| row.1).collect();
                    let (mut first, mut second) = (vec![0.0; x.len()], vec![0.0; x.len()]);
                    launch!(bench, of_order(&x, &n, &mut first, &mut second), 1, 32);
                    for (&actual, &(x, n, expected)) in (if is_first { &first } else { &second }).iter().zip(reference) {
                        let error = (f64::from(actual) - expected).abs();
                        assert!(error <= absolute * expected.abs().max(1.0), "order {n} of {x}: {actual}, not {expected}");
                    }
                }
                let x: Vec<$F> = RHYPOT.iter().map(|row| row.0 as $F).collect();
                let y: Vec<$F> = RHYPOT.iter().map(|row| row.1 as $F).collect();
                let expected: Vec<$F> = RHYPOT.iter().map(|row| row.2 as $F).collect();
                let mut out = vec![0.0; x.len()];
                launch!(bench, reciprocal_lengths(&x, &y, &mut out), 1, 32);
                assert_ulps("rhypot", &out, &expected, 2 + SLACK);
            }
        }
    };
}

functions_of_one! {
    of_f32, f32,
    rsqrt RSQRT 2,
    rcbrt RCBRT 1,
    exp10 EXP10 2,
    sin_pi SIN_PI 1,
    cos_pi COS_PI 1,
    erf ERF 2,
    erfc ERFC 4,
    erfcx ERFCX 4,
    erfinv ERFINV 2,
    erfcinv ERFCINV 4,
    norm_cdf NORM_CDF 5,
    norm_cdf_inv NORM_CDF_INV 5,
    tgamma TGAMMA 11,
    lgamma LGAMMA 6,
    bessel_j0 BESSEL_J0 9,
    bessel_j1 BESSEL_J1 9,
    bessel_y0 BESSEL_Y0 9,
    bessel_y1 BESSEL_Y1 9,
    bessel_i0 BESSEL_I0 6,
    bessel_i1 BESSEL_I1 6,
}

functions_of_one! {
    of_f64, f64,
    rsqrt RSQRT 1,
    rcbrt RCBRT 1,
    exp10 EXP10 1,
    sin_pi SIN_PI 2,
    cos_pi COS_PI 2,
    erf ERF 2,
    erfc ERFC 5,
    erfcx ERFCX 4,
    erfinv ERFINV 5,
    erfcinv ERFCINV 6,
    norm_cdf NORM_CDF 5,
    norm_cdf_inv NORM_CDF_INV 8,
    tgamma TGAMMA 10,
    lgamma LGAMMA 4,
    bessel_j0 BESSEL_J0 7,
    bessel_j1 BESSEL_J1 7,
    bessel_y0 BESSEL_Y0 7,
    bessel_y1 BESSEL_Y1 7,
    bessel_i0 BESSEL_I0 6,
    bessel_i1 BESSEL_I1 6,
}

fn functions_of_f32_are_within_their_bounds(bench: &Bench) {
    of_f32::check(bench, 2.2e-6);
}

fn functions_of_f64_are_within_their_bounds(bench: &Bench) {
    of_f64::check(bench, 5e-12);
}

/// The lengths of vectors, for one type.
macro_rules! lengths {
    ($module:ident, $F:ident, $ulps:literal, $reciprocal_ulps:literal) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn lengths(x: &[[$F; 4]], out: &mut [[$F; 4]]) {
                let i = grid_1d();
                if i < x.len() {
                    let [a, b, c, d] = x[i];
                    out[i] = [a.hypot3(b, c), a.hypot4(b, c, d), a.rhypot3(b, c), $F::rhypot4(a, b, c, d)];
                }
            }

            fn of(bench: &Bench, x: &[[$F; 4]]) -> Vec<[$F; 4]> {
                let (x, mut out) = (x.to_vec(), vec![[0.0; 4]; x.len()]);
                launch!(bench, lengths(&x, &mut out), 1, 32);
                out
            }

            pub fn check(bench: &Bench) {
                let x: Vec<[$F; 4]> = LENGTHS.iter().map(|row| row.0.map(|x| x as $F)).collect();
                let out = of(bench, &x);
                let bounds = [("hypot3", $ulps), ("hypot4", $ulps), ("rhypot3", $reciprocal_ulps), ("rhypot4", $reciprocal_ulps)];
                for (column, (what, ulps)) in bounds.into_iter().enumerate() {
                    let actual: Vec<$F> = out.iter().map(|row| row[column]).collect();
                    let expected: Vec<$F> = LENGTHS.iter().map(|row| row.1[column] as $F).collect();
                    assert_ulps(what, &actual, &expected, ulps + SLACK);
                }
                // No square is beyond the range, and no vector without an end has NaN for a length.
                let (large, inf, nan) = ($F::MAX / 8.0, $F::INFINITY, $F::NAN);
                let out = of(bench, &[[large; 4], [0.0; 4], [inf, 1.0, 2.0, 3.0], [inf, nan, 0.0, 0.0], [nan, 1.0, 0.0, 0.0]]);
                assert_ulps("large", &[out[0][1]], &[2.0 * large], $ulps + SLACK);
                assert_same(&out[1], &[0.0, 0.0, inf, inf]);
                assert_same(&out[2], &[inf, inf, 0.0, 0.0]);
                assert_same(&out[3], &[inf, inf, 0.0, 0.0]);
                assert_same(&out[4], &[nan; 4]);
            }
        }
    };
}

lengths!(lengths_f32, f32, 3, 2);
lengths!(lengths_f64, f64, 2, 1);

fn lengths_are_within_their_bounds(bench: &Bench) {
    lengths_f32::check(bench);
    lengths_f64::check(bench);
}

/// Where the value is exact.
#[gpu_kernel]
pub fn special_values(x: &[f64], out: &mut [f64], single: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        out[9 * i] = x[i].erf();
        out[9 * i + 1] = x[i].erfc();
        out[9 * i + 2] = x[i].erfinv();
        out[9 * i + 3] = x[i].norm_cdf();
        out[9 * i + 4] = x[i].rsqrt();
        out[9 * i + 5] = x[i].exp10();
        let (sine, cosine) = x[i].sin_cos_pi();
        out[9 * i + 6] = sine.abs();
        out[9 * i + 7] = cosine;
        out[9 * i + 8] = x[i].tgamma();
        let (sine, cosine) = (x[i] as f32).sin_cos_pi();
        single[4 * i] = sine.abs();
        single[4 * i + 1] = cosine;
        single[4 * i + 2] = (x[i] as f32).erf();
        single[4 * i + 3] = (x[i] as f32).lgamma();
    }
}

fn functions_know_their_special_values(bench: &Bench) {
    let x = vec![0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let (mut out, mut single) = (vec![0.0; 45], vec![0.0; 20]);
    launch!(bench, special_values(&x, &mut out, &mut single), 1, 5);
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    // What is not exact at 1 is compared with the reference elsewhere, and need not be.
    for (inexact, value) in [(9, 0.0), (10, 0.0), (12, 0.0), (14, 10.0), (17, 1.0)] {
        out[inexact] = value;
    }
    single[6] = 0.0;
    #[rustfmt::skip]
    assert_same(&out, &[
        0.0, 1.0, 0.0, 0.5, inf, 1.0, 0.0, 1.0, inf,
        0.0, 0.0, inf, 0.0, 1.0, 10.0, 0.0, -1.0, 1.0,
        1.0, 0.0, nan, 1.0, 0.0, inf, nan, nan, inf,
        -1.0, 2.0, nan, 0.0, nan, 0.0, nan, nan, nan,
        nan, nan, nan, nan, nan, nan, nan, nan, nan,
    ]);
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    #[rustfmt::skip]
    assert_same(&single, &[
        0.0, 1.0, 0.0, inf,
        0.0, -1.0, 0.0, 0.0,
        nan, nan, 1.0, inf,
        nan, nan, -1.0, inf,
        nan, nan, nan, nan,
    ]);
}

/// Kernels of the exact operations, for one type.
macro_rules! exact {
    ($module:ident, $F:ident) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn parts(x: &[$F], y: &[$F], out: &mut [$F], exponents: &mut [i32]) {
                let i = grid_1d();
                if i < x.len() {
                    let (a, b) = (x[i], y[i]);
                    let (fraction, whole) = a.modf();
                    let (mantissa, exponent) = a.frexp();
                    out[8 * i] = fraction;
                    out[8 * i + 1] = whole;
                    out[8 * i + 2] = mantissa;
                    out[8 * i + 3] = a.logb();
                    out[8 * i + 4] = a.ieee_remainder(b);
                    out[8 * i + 5] = a.fdim(b);
                    out[8 * i + 6] = mantissa.ldexp(exponent);
                    out[8 * i + 7] = a.ldexp(-3);
                    exponents[2 * i] = exponent;
                    exponents[2 * i + 1] = a.ilogb();
                }
            }

            #[gpu_kernel]
            pub fn neighbours(x: &[$F], y: &[$F], out: &mut [$F]) {
                let i = grid_1d();
                if i < x.len() {
                    out[3 * i] = x[i].next_up();
                    out[3 * i + 1] = x[i].next_down();
                    out[3 * i + 2] = x[i].next_after(y[i]);
                }
            }

            #[gpu_kernel]
            pub fn quotients(x: &[$F], y: &[$F], rests: &mut [$F], quotients: &mut [i32], saturated: &mut [$F]) {
                let i = grid_1d();
                if i < x.len() {
                    let (rest, quotient) = x[i].remquo(y[i]);
                    rests[i] = rest;
                    quotients[i] = quotient;
                    saturated[i] = x[i].saturate();
                }
            }

            pub fn check_quotients(bench: &Bench) {
                let (inf, nan) = (<$F>::INFINITY, <$F>::NAN);
                // x, y, the rest, the last bits of the quotient, and x from 0 to 1.
                #[rustfmt::skip]
                let rows = [
                    (7.0, 2.0, -1.0, 4, 1.0), (-7.0, 2.0, 1.0, -4, 0.0), (5.0, 2.0, 1.0, 2, 1.0), (0.25, 1.0, 0.25, 0, 0.25),
                    (100.0, 7.0, 2.0, 6, 1.0), (-100.0, 7.0, -2.0, -6, 0.0), (100.0, -7.0, 2.0, -6, 1.0), (47.0, 1.0, 0.0, 7, 1.0),
                    (0.0, 3.0, 0.0, 0, 0.0), (inf, 1.0, nan, 0, 1.0), (1.0, 0.0, nan, 0, 1.0), (nan, 1.0, nan, 0, 0.0),
                    (0.75, inf, 0.75, 0, 0.75), (-inf, 2.0, nan, 0, 0.0), (-0.0, 2.0, -0.0, 0, 0.0),
                ];
                let (x, y): (Vec<$F>, Vec<$F>) = rows.iter().map(|row| (row.0, row.1)).unzip();
                let n = x.len();
                let (mut rests, mut last, mut saturated) = (vec![0.0; n], vec![0; n], vec![0.0; n]);
                launch!(bench, quotients(&x, &y, &mut rests, &mut last, &mut saturated), 1, 32);
                assert_same(&rests, &rows.iter().map(|row| row.2).collect::<Vec<$F>>());
                assert_same(&last, &rows.iter().map(|row| row.3).collect::<Vec<i32>>());
                assert_same(&saturated, &rows.iter().map(|row| row.4).collect::<Vec<$F>>());
            }

    /// (x, y), what comes out for x, and the exponents.
            #[allow(clippy::type_complexity)]
            #[rustfmt::skip]
            fn rows() -> Vec<([$F; 2], [$F; 6], [i32; 2])> {
                let (inf, nan) = (<$F>::INFINITY, <$F>::NAN);
                vec![
                    ([0.0, 1.0], [0.0, 0.0, 0.0, -inf, 0.0, 0.0], [0, i32::MIN]),
                    ([-0.0, 1.0], [-0.0, -0.0, -0.0, -inf, -0.0, 0.0], [0, i32::MIN]),
                    ([1.0, 3.0], [0.0, 1.0, 0.5, 0.0, 1.0, 0.0], [1, 0]),
                    ([-6.25, 4.0], [-0.25, -6.0, -0.78125, 2.0, 1.75, 0.0], [3, 2]),
                    ([10.0, 4.0], [0.0, 10.0, 0.625, 3.0, 2.0, 6.0], [4, 3]),
                    ([14.0, -4.0], [0.0, 14.0, 0.875, 3.0, -2.0, 18.0], [4, 3]),
                    ([0.75, 0.5], [0.75, 0.0, 0.75, -1.0, -0.25, 0.25], [0, -1]),
                    ([inf, 1.0], [0.0, inf, inf, inf, nan, inf], [0, i32::MAX]),
                    ([-inf, 1.0], [-0.0, -inf, -inf, inf, nan, 0.0], [0, i32::MAX]),
                    ([5.0, inf], [0.0, 5.0, 0.625, 2.0, 5.0, 0.0], [3, 2]),
                    ([nan, 1.0], [nan, nan, nan, nan, nan, nan], [0, i32::MIN]),
                ]
            }

            pub fn check_parts(bench: &Bench) {
                let (x, y): (Vec<$F>, Vec<$F>) = rows().iter().map(|row| (row.0[0], row.0[1])).unzip();
                let (mut out, mut exponents) = (vec![0.0; 8 * x.len()], vec![0; 2 * x.len()]);
                launch!(bench, parts(&x, &y, &mut out, &mut exponents), 1, 32);
                let expected: Vec<$F> = rows().iter().flat_map(|([x, _], parts, _)| parts.iter().copied().chain([*x, x / 8.0])).collect();
                assert_same(&out, &expected);
                assert_same(&exponents, &rows().iter().flat_map(|row| row.2).collect::<Vec<_>>());
                // Numbers without a leading bit, and beyond the range on the way back.
                let x = vec![<$F>::MIN_POSITIVE / 4.0, -<$F>::MIN_POSITIVE * 0.75, <$F>::MAX];
                let (mut out, mut exponents) = (vec![0.0; 24], vec![0; 6]);
                launch!(bench, parts(&x, &vec![1.0; 3], &mut out, &mut exponents), 1, 32);
                assert_same(&[out[2], out[10], out[18]], &[0.5, -0.75, 1.0 - <$F>::EPSILON / 2.0]);
                assert_same(&[out[6], out[14], out[22]], &x);
                assert_same(&[out[7], out[15]], &[x[0] / 8.0, x[1] / 8.0]);
                let (lowest, highest) = (<$F>::MIN_EXP, <$F>::MAX_EXP);
                assert_same(&exponents, &[lowest - 2, lowest - 3, lowest - 1, lowest - 2, highest, highest - 1]);
            }

            pub fn check_neighbours(bench: &Bench) {
                let (inf, max, tiny) = (<$F>::INFINITY, <$F>::MAX, <$F>::from_bits(1));
                let (x, y): (Vec<$F>, Vec<$F>) = [
                    (0.0, 1.0),
                    (-0.0, -1.0),
                    (1.0, 1.0),
                    (1.0, 0.0),
                    (-1.0, inf),
                    (max, inf),
                    (inf, 0.0),
                    (-inf, inf),
                    (-tiny, 1.0),
                    (0.0, -0.0),
                ]
                .into_iter()
                .unzip();
                let mut out = vec![0.0; 3 * x.len()];
                launch!(bench, neighbours(&x, &y, &mut out), 1, 32);
                let (above, below) = (1.0 + <$F>::EPSILON, 1.0 - <$F>::EPSILON / 2.0);
                let second = max - max * (<$F>::EPSILON / 2.0);
                #[rustfmt::skip]
                assert_same(&out, &[
                    tiny, -tiny, tiny,
                    tiny, -tiny, -tiny,
                    above, below, 1.0,
                    above, below, below,
                    -below, -above, -below,
                    inf, second, inf,
                    inf, max, max,
                    -max, -inf, -max,
                    -0.0, -tiny - tiny, -0.0,
                    tiny, -tiny, -0.0,
                ]);
            }
        }
    };
}

exact!(exact_f32, f32);
exact!(exact_f64, f64);

fn parts_of_floats_are_exact(bench: &Bench) {
    exact_f32::check_parts(bench);
    exact_f64::check_parts(bench);
}

fn quotients_and_saturated_numbers_are_exact(bench: &Bench) {
    exact_f32::check_quotients(bench);
    exact_f64::check_quotients(bench);
}

fn neighbours_are_exact(bench: &Bench) {
    exact_f32::check_neighbours(bench);
    exact_f64::check_neighbours(bench);
}

/// The parts of a number put together, and some functions of it.
#[gpu_device]
pub fn put_together<T: Float>(x: T) -> T {
    let (mantissa, exponent) = x.frexp();
    let (fraction, whole) = mantissa.ldexp(exponent).modf();
    (fraction + whole).next_up().next_down().next_after(T::INFINITY) * x.erf() + x.bessel_jn(2).fast_sqrt()
}

#[gpu_kernel(fmad = false)]
pub fn generic(x: &[f32], y: &[f64], single: &mut [f32], double: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() {
        single[i] = put_together(x[i]);
        double[i] = put_together(y[i]);
    }
}

fn generic_functions_have_them_too(bench: &Bench) {
    let (x, y) = (vec![0.75, 3.0], vec![0.75, 3.0]);
    let (mut single, mut double) = (vec![0.0; 2], vec![0.0; 2]);
    launch!(bench, generic(&x, &y, &mut single, &mut double), 1, 2);
    // x · erf(x) + √J₂(x), by mpmath.
    let expected: [f64; 2] = [0.7923532061607638, 3.6971361815926773];
    for i in 0..2 {
        assert!((f64::from(single[i]) - expected[i]).abs() < 2e-6, "{single:?}");
        assert!((double[i] - expected[i]).abs() < 1e-13, "{double:?}");
    }
}

#[gpu_kernel]
pub fn fast(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        out[12 * i] = x[i].fast_sin();
        out[12 * i + 1] = x[i].fast_cos();
        out[12 * i + 2] = x[i].fast_tan();
        out[12 * i + 3] = x[i].fast_exp();
        out[12 * i + 4] = x[i].fast_exp2();
        out[12 * i + 5] = x[i].fast_exp10();
        out[12 * i + 6] = x[i].fast_ln();
        out[12 * i + 7] = x[i].fast_log2();
        out[12 * i + 8] = x[i].fast_log10();
        out[12 * i + 9] = x[i].fast_powf(1.5);
        out[12 * i + 10] = x[i].fast_div(3.0);
        out[12 * i + 11] = x[i].fast_sqrt();
    }
}

fn fast_functions_are_near(bench: &Bench) {
    let x: Vec<f32> = (1..=24).map(|i| i as f32 / 8.0).filter(|x| (x - 1.5).abs() > 0.2).collect();
    let mut out = vec![0.0; 12 * x.len()];
    launch!(bench, fast(&x, &mut out), 1, 32);
    for (out, &x) in out.chunks(12).zip(&x) {
        let x = f64::from(x);
        let expected =
            [x.sin(), x.cos(), x.tan(), x.exp(), x.exp2(), 10f64.powf(x), x.ln(), x.log2(), x.log10(), x.powf(1.5), x / 3.0, x.sqrt()];
        for (i, (&actual, expected)) in out.iter().zip(expected).enumerate() {
            let error = (f64::from(actual) - expected).abs();
            assert!(error <= 4e-6 * expected.abs().max(0.25), "function {i} of {x}: {actual}, not {expected}");
        }
    }
}
