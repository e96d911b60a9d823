//! Every method of the floats: those that are exact by their bits, the elementary functions within their documented error.
//!
//! The bounds are the largest errors in the tables of CUDA's documentation ("Mathematical Functions", default options), for all
//! versions since CUDA 12.0, plus `SLACK`: a reference that is itself correctly rounded can be half an ulp off the true value,
//! and std's own functions, which are the reference for `f64`, up to one. std computes `asinh`, `acosh` and `atanh` from
//! logarithms, with a few ulps more, and `atanh` with many more towards -1, where it is not tested.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same, assert_ulps};
use crate::{cases, launch};

cases![
    rounding_and_tests_are_exact,
    exact_arithmetic_is_exact,
    minimum_and_maximum_ignore_nan,
    elementary_functions_of_f32_are_within_their_bounds,
    elementary_functions_of_f64_are_within_their_bounds,
    functions_of_two_numbers_are_within_their_bounds,
    elementary_functions_know_their_special_values,
    whole_powers_multiply,
];

/// Added to every bound.
const SLACK: u64 = 1;

/// Kernels for one float type.
macro_rules! exact_kernels {
    ($module:ident, $F:ident, $Bits:ident) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel(fmad = false)]
            pub fn rounding(x: &[$F], out: &mut [$F], flags: &mut [bool], bits: &mut [$Bits]) {
                let i = grid_1d();
                if i < x.len() {
                    let a = x[i];
                    out[9 * i] = a.floor();
                    out[9 * i + 1] = a.ceil();
                    out[9 * i + 2] = a.round();
                    out[9 * i + 3] = a.round_ties_even();
                    out[9 * i + 4] = a.trunc();
                    out[9 * i + 5] = a.fract();
                    out[9 * i + 6] = a.abs();
                    out[9 * i + 7] = a.signum();
                    out[9 * i + 8] = a.sqrt();
                    flags[5 * i] = a.is_nan();
                    flags[5 * i + 1] = a.is_infinite();
                    flags[5 * i + 2] = a.is_finite();
                    flags[5 * i + 3] = a.is_sign_negative();
                    flags[5 * i + 4] = a.is_sign_positive();
                    bits[i] = (-a).to_bits();
                }
            }

            #[gpu_kernel(fmad = false)]
            pub fn arithmetic(x: &[$F], y: &[$F], out: &mut [$F]) {
                let i = grid_1d();
                if i < x.len() {
                    let (a, b) = (x[i], y[i]);
                    out[8 * i] = a.mul_add(b, 1.0);
                    out[8 * i + 1] = a.copysign(b);
                    out[8 * i + 2] = a.recip();
                    out[8 * i + 3] = a.to_degrees();
                    out[8 * i + 4] = a.to_radians();
                    out[8 * i + 5] = a.clamp(-1.5, 1e10);
                    out[8 * i + 6] = a.div_euclid(b);
                    out[8 * i + 7] = a.rem_euclid(b);
                }
            }

            #[gpu_kernel]
            pub fn extremes(x: &[$F], y: &[$F], out: &mut [$F]) {
                let i = grid_1d();
                if i < x.len() {
                    out[2 * i] = x[i].min(y[i]);
                    out[2 * i + 1] = $F::max(x[i], y[i]);
                }
            }

            fn samples() -> Vec<$F> {
                let mut samples: Vec<$F> =
                    vec![0.0, 0.1, 0.49999997, 0.5, 0.75, 1.0, 1.5, 2.5, 3.5, 4.4, 1e10, 8388607.5, 4503599627370495.5];
                samples.extend([<$F>::MAX, <$F>::MIN_POSITIVE, <$F>::MIN_POSITIVE / 8.0, <$F>::INFINITY]);
                let negative: Vec<$F> = samples.iter().map(|x| -x).collect();
                samples.extend(negative);
                samples
            }

            fn pairs() -> (Vec<$F>, Vec<$F>) {
                let mut samples = samples();
                samples.push(<$F>::NAN);
                samples.iter().flat_map(|&a| samples.iter().map(move |&b| (a, b))).unzip()
            }

            pub fn check_rounding(bench: &Bench) {
                let mut x = samples();
                let n = x.len() + 1;
                x.push(<$F>::NAN);
                let (mut out, mut flags, mut bits) = (vec![0.0; 9 * n], vec![false; 5 * n], vec![0; n]);
                launch!(bench, rounding(&x, &mut out, &mut flags, &mut bits), n.div_ceil(32), 32);
                let expected: Vec<$F> = (x.iter())
                    .flat_map(|a| {
                        [a.floor(), a.ceil(), a.round(), a.round_ties_even(), a.trunc(), a.fract(), a.abs(), a.signum(), a.sqrt()]
                    })
                    .collect();
                assert_same(&out, &expected);
                let expected: Vec<bool> = (x.iter())
                    .flat_map(|a| [a.is_nan(), a.is_infinite(), a.is_finite(), a.is_sign_negative(), a.is_sign_positive()])
                    .collect();
                assert_same(&flags, &expected);
                assert_same(&bits[..n - 1], &x[..n - 1].iter().map(|a| (-a).to_bits()).collect::<Vec<_>>());
            }

            pub fn check_arithmetic(bench: &Bench) {
                let (x, y) = pairs();
                let mut out = vec![0.0; 8 * x.len()];
                launch!(bench, arithmetic(&x, &y, &mut out), x.len().div_ceil(64), 64);
                let expected: Vec<$F> = (x.iter().zip(&y))
                    .flat_map(|(a, &b)| {
                        let clamped = a.clamp(-1.5, 1e10);
                        [
                            a.mul_add(b, 1.0),
                            a.copysign(b),
                            1.0 / a,
                            a.to_degrees(),
                            a.to_radians(),
                            clamped,
                            a.div_euclid(b),
                            a.rem_euclid(b),
                        ]
                    })
                    .collect();
                // The sign of a NaN is nobody's business, and `copysign` may have copied from one.
                for (i, (actual, expected)) in out.iter().zip(&expected).enumerate() {
                    if !(i % 8 == 1 && y[i / 8].is_nan()) {
                        assert_same(&[*actual], &[*expected]);
                    }
                }
            }

            pub fn check_extremes(bench: &Bench) {
                // Which zero is the smaller one is not defined.
                let (x, y): (Vec<$F>, Vec<$F>) = pairs().0.into_iter().zip(pairs().1).filter(|&(a, b)| a != 0.0 || b != 0.0).unzip();
                let mut out = vec![0.0; 2 * x.len()];
                launch!(bench, extremes(&x, &y, &mut out), x.len().div_ceil(64), 64);
                let pick = |a: $F, b: $F, first: bool| if b.is_nan() || (!a.is_nan() && first) { a } else { b };
                let expected: Vec<$F> = x.iter().zip(&y).flat_map(|(&a, &b)| [pick(a, b, a < b), pick(a, b, a > b)]).collect();
                assert_same(&out, &expected);
            }
        }
    };
}

exact_kernels!(exact_f32, f32, u32);
exact_kernels!(exact_f64, f64, u64);

fn rounding_and_tests_are_exact(bench: &Bench) {
    exact_f32::check_rounding(bench);
    exact_f64::check_rounding(bench);
}

fn exact_arithmetic_is_exact(bench: &Bench) {
    exact_f32::check_arithmetic(bench);
    exact_f64::check_arithmetic(bench);
}

fn minimum_and_maximum_ignore_nan(bench: &Bench) {
    exact_f32::check_extremes(bench);
    exact_f64::check_extremes(bench);
}

/// The elementary functions of one number, by the interval that they are tested on.
macro_rules! elementary_kernels {
    ($module:ident, $F:ident, $($name:ident: $from:literal to $to:literal, $ulps:literal;)*) => {
        pub mod $module {
            use super::*;

            $(pub mod $name {
                use super::*;

                #[gpu_kernel]
                pub fn elementary(x: &[$F], out: &mut [$F]) {
                    let i = grid_1d();
                    if i < x.len() {
                        out[i] = x[i].$name();
                    }
                }
            })*

            pub fn check(bench: &Bench) {
                $({
                    let x = sweep($from, $to);
                    let x: Vec<$F> = x.into_iter().map(|x| x as $F).collect();
                    let mut out = vec![0.0; x.len()];
                    launch!(bench, $name::elementary(&x, &mut out), x.len().div_ceil(128), 128);
                    // In `f64`, whatever the type: for `f32` that is the true value, rounded.
                    let expected: Vec<$F> = x.iter().map(|&x| f64::from(x).$name() as $F).collect();
                    assert_ulps(concat!(stringify!($F), "::", stringify!($name)), &out, &expected, $ulps + SLACK);
                })*
            }
        }
    };
}

/// Numbers from one end to the other, denser around zero.
fn sweep(from: f64, to: f64) -> Vec<f64> {
    (0..=600).map(|i| f64::from(i) / 600.0).flat_map(|t| [from + (to - from) * t, from + (to - from) * t * t * t]).collect()
}

elementary_kernels! {
    of_f32, f32,
    sin: -100.0 to 100.0, 2;
    cos: -100.0 to 100.0, 2;
    tan: -100.0 to 100.0, 4;
    asin: -1.0 to 1.0, 4;
    acos: -1.0 to 1.0, 3;
    atan: -50.0 to 50.0, 2;
    sinh: -80.0 to 80.0, 3;
    cosh: -80.0 to 80.0, 2;
    tanh: -10.0 to 10.0, 2;
    asinh: -1e6 to 1e6, 3;
    acosh: 1.0 to 1e6, 4;
    atanh: -0.5 to 0.99, 3;
    exp: -80.0 to 80.0, 2;
    exp2: -120.0 to 120.0, 2;
    exp_m1: -50.0 to 80.0, 1;
    ln: 1e-30 to 1e30, 1;
    ln_1p: -0.99 to 1e6, 1;
    log2: 1e-30 to 1e30, 1;
    log10: 1e-30 to 1e30, 2;
    cbrt: -1e30 to 1e30, 1;
}

elementary_kernels! {
    of_f64, f64,
    sin: -100.0 to 100.0, 2;
    cos: -100.0 to 100.0, 2;
    tan: -100.0 to 100.0, 2;
    asin: -1.0 to 1.0, 2;
    acos: -1.0 to 1.0, 2;
    atan: -50.0 to 50.0, 2;
    sinh: -700.0 to 700.0, 2;
    cosh: -700.0 to 700.0, 2;
    tanh: -10.0 to 10.0, 2;
    asinh: -1e6 to 1e6, 6;
    acosh: 1.0 to 1e6, 6;
    atanh: -0.5 to 0.99, 6;
    exp: -700.0 to 700.0, 1;
    exp2: -1000.0 to 1000.0, 1;
    exp_m1: -50.0 to 700.0, 1;
    ln: 1e-300 to 1e300, 1;
    ln_1p: -0.99 to 1e6, 1;
    log2: 1e-300 to 1e300, 1;
    log10: 1e-300 to 1e300, 1;
    cbrt: -1e300 to 1e300, 1;
}

fn elementary_functions_of_f32_are_within_their_bounds(bench: &Bench) {
    of_f32::check(bench);
}

fn elementary_functions_of_f64_are_within_their_bounds(bench: &Bench) {
    of_f64::check(bench);
}

/// Functions of two numbers, and the pair that `sin_cos` returns.
macro_rules! binary_kernels {
    ($module:ident, $F:ident, $atan2:literal, $hypot:literal, $powf:literal, $log:literal) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn binary(x: &[$F], y: &[$F], out: &mut [$F]) {
                let i = grid_1d();
                if i < x.len() {
                    let n = x.len();
                    out[i] = y[i].atan2(x[i]);
                    out[i + n] = x[i].hypot(y[i]);
                    out[i + 2 * n] = x[i].abs().powf(y[i]);
                    out[i + 3 * n] = x[i].abs().log(y[i].abs() + 1.5);
                    let (sine, cosine) = x[i].sin_cos();
                    out[i + 4 * n] = sine;
                    out[i + 5 * n] = cosine;
                }
            }

            pub fn check(bench: &Bench) {
                let samples: Vec<$F> = vec![-20.0, -3.7, -1.0, -0.3, 0.01, 0.9, 1.1, 2.0, 5.5, 13.0];
                let (x, y): (Vec<$F>, Vec<$F>) = samples.iter().flat_map(|&a| samples.iter().map(move |&b| (a, b))).unzip();
                let n = x.len();
                let mut out = vec![0.0; 6 * n];
                launch!(bench, binary(&x, &y, &mut out), 2, 64);
                let check = |what: &str, part: usize, ulps: u64, reference: fn(f64, f64) -> f64| {
                    let expected: Vec<$F> = x.iter().zip(&y).map(|(&x, &y)| reference(x.into(), y.into()) as $F).collect();
                    assert_ulps(what, &out[part * n..(part + 1) * n], &expected, ulps + SLACK);
                };
                check("atan2", 0, $atan2, |x, y| y.atan2(x));
                check("hypot", 1, $hypot, f64::hypot);
                check("powf", 2, $powf, |x, y| x.abs().powf(y));
                check("log", 3, $log, |x, y| x.abs().ln() / (y.abs() + 1.5).ln());
                check("sin", 4, 2, |x, _| x.sin());
                check("cos", 5, 2, |x, _| x.cos());
            }
        }
    };
}

// `log` is two logarithms and a division, and its base is itself rounded.
binary_kernels!(binary_f32, f32, 3, 3, 4, 4);
binary_kernels!(binary_f64, f64, 2, 2, 2, 3);

fn functions_of_two_numbers_are_within_their_bounds(bench: &Bench) {
    binary_f32::check(bench);
    binary_f64::check(bench);
}

/// Where the value is exact.
#[gpu_kernel]
pub fn special(x: &[f64], y: &[f32], out: &mut [f64], single: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        out[6 * i] = x[i].exp();
        out[6 * i + 1] = x[i].ln();
        out[6 * i + 2] = x[i].sin();
        out[6 * i + 3] = x[i].tanh();
        out[6 * i + 4] = x[i].powf(0.0);
        out[6 * i + 5] = x[i].atan2(x[i]).abs().floor();
        single[4 * i] = y[i].exp();
        single[4 * i + 1] = y[i].log2();
        single[4 * i + 2] = y[i].cbrt();
        single[4 * i + 3] = y[i].hypot(f32::INFINITY);
    }
}

fn elementary_functions_know_their_special_values(bench: &Bench) {
    let x = vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let y: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    let (mut out, mut single) = (vec![0.0; 30], vec![0.0; 20]);
    launch!(bench, special(&x, &y, &mut out, &mut single), 1, 5);
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    #[rustfmt::skip]
    assert_same(&out, &[
        1.0, -inf, 0.0, 0.0, 1.0, 0.0,
        1.0, -inf, -0.0, -0.0, 1.0, 3.0,
        inf, inf, nan, 1.0, 1.0, 0.0,
        0.0, nan, nan, -1.0, 1.0, 2.0,
        nan, nan, nan, nan, 1.0, nan,
    ]);
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    #[rustfmt::skip]
    assert_same(&single, &[
        1.0, -inf, 0.0, inf,
        1.0, -inf, -0.0, inf,
        inf, inf, inf, inf,
        0.0, nan, -inf, inf,
        nan, nan, nan, inf,
    ]);
}

/// `powi`, also with negative and extreme exponents.
#[gpu_kernel(fmad = false)]
pub fn whole_powers(x: &[f64], y: &[f32], n: &[i32], out: &mut [f64], single: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        out[i] = x[i].powi(n[i]);
        single[i] = y[i].powi(n[i]);
    }
}

fn whole_powers_multiply(bench: &Bench) {
    let mut triples: Vec<(f64, f32, i32)> = Vec::new();
    for x in [0.5, 1.5, -2.0, 1.0, 10.0, -0.1] {
        triples.extend([0, 1, 2, 3, -1, -3, 7, 10].map(|n| (x, x as f32, n)));
    }
    triples.extend([(1.0, 1.0, i32::MIN), (-1.0, -1.0, i32::MAX), (0.0, -0.0, -3), (2.0, 2.0, i32::MIN)]);
    let (x, y, n) = (
        triples.iter().map(|triple| triple.0).collect::<Vec<_>>(),
        triples.iter().map(|triple| triple.1).collect::<Vec<_>>(),
        triples.iter().map(|triple| triple.2).collect::<Vec<_>>(),
    );
    let (mut out, mut single) = (vec![0.0; n.len()], vec![0.0; n.len()]);
    launch!(bench, whole_powers(&x, &y, &n, &mut out, &mut single), 1, 64);
    let expected: Vec<f64> = x.iter().zip(&n).map(|(x, &n)| x.powf(n.into())).collect();
    // Each of the four multiplications of `x^10` may be half an ulp off, and the earlier errors multiply.
    assert_ulps("f64::powi", &out, &expected, 8);
    let expected: Vec<f32> = y.iter().zip(&n).map(|(&y, &n)| f64::from(y).powf(n.into()) as f32).collect();
    assert_ulps("f32::powi", &single, &expected, 8);
}
