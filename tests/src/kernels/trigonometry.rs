//! Sine, cosine and tangent of `f32`, which are ours on a GPU up to 2^30: how far from the true value, from the smallest
//! argument to the largest, and close to the multiples of π/2, where little is left of the argument.

use std::f64::consts::FRAC_PI_2;

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    sine_cosine_and_tangent_are_accurate_for_arguments_of_every_size,
    zeros_infinities_and_subnormal_numbers_are_exact,
    sharing_an_angle_and_contraction_change_no_bit,
];

/// What the kernels write for each argument, and the largest error in ulp.
const RESULTS: [(&str, f64); 5] = [("sin", 2.0), ("cos", 2.0), ("tan", 4.0), ("sin_cos.0", 2.0), ("sin_cos.1", 2.0)];

/// On one variable: a GPU reduces it once.
#[gpu_kernel]
pub fn shared(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        let a = x[i];
        out[5 * i] = a.sin();
        out[5 * i + 1] = a.cos();
        out[5 * i + 2] = a.tan();
        let (sine, cosine) = a.sin_cos();
        out[5 * i + 3] = sine;
        out[5 * i + 4] = cosine;
    }
}

/// On expressions.
#[gpu_kernel(fmad = false)]
pub fn apart(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        out[5 * i] = x[i].sin();
        out[5 * i + 1] = x[i].cos();
        out[5 * i + 2] = f32::tan(x[i]);
        let (sine, cosine) = x[i].sin_cos();
        out[5 * i + 3] = sine;
        out[5 * i + 4] = cosine;
    }
}

/// On a parameter, on a variable that takes the value of branches, and on one that changes in between. The result is 1.
#[gpu_device]
pub fn circle(a: f32, turned: bool) -> f32 {
    let b = if turned { a.sin() } else { a.cos() };
    let mut changing = a;
    let first = changing.cos().powi(2);
    changing = b;
    let second = changing.cos().powi(2);
    (first + a.sin().powi(2)) * (second + b.sin().powi(2))
}

#[gpu_kernel]
pub fn circles(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        out[i] = circle(x[i], i % 2 == 0);
    }
}

/// Every `stride`th float, both signs, and the floats around each multiple of π/2 of a sample and around the limits
/// between algorithms.
fn arguments(stride: usize) -> Vec<f32> {
    let multiples = (1..2000u32).chain((0..2000).map(|i| 2000 + (i * i) * 200)).map(|k| (f64::from(k) * FRAC_PI_2) as f32);
    let centres = multiples.chain([17, 30].map(|exponent| 2f32.powi(exponent)));
    let around = centres.flat_map(|x| (x.to_bits() - 3..=x.to_bits() + 3).map(f32::from_bits));
    let positive = (0..f32::INFINITY.to_bits()).step_by(stride).map(f32::from_bits).chain(around);
    positive.flat_map(|x| [x, -x]).collect()
}

fn run(bench: &Bench, x: &Vec<f32>) -> Vec<f32> {
    let mut out = vec![0.0; RESULTS.len() * x.len()];
    launch!(bench, shared(x, &mut out), x.len().div_ceil(256), 256);
    out
}

/// How far `actual` is from `exact`, in distances of neighbouring floats there.
fn error_in_ulps(actual: f32, exact: f64) -> f64 {
    let exponent = ((exact.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    (f64::from(actual) - exact).abs() / 2f64.powi(exponent.max(-126) - 23)
}

/// Compares all functions of every `stride`th float with `f64`.
pub fn check_accuracy(bench: &Bench, stride: usize) {
    let x = arguments(stride);
    let out = run(bench, &x);
    for (&x, actual) in x.iter().zip(out.chunks_exact(RESULTS.len())) {
        let (sine, cosine) = f64::from(x).sin_cos();
        for ((exact, &actual), (name, most)) in [sine, cosine, sine / cosine, sine, cosine].into_iter().zip(actual).zip(RESULTS) {
            let error = error_in_ulps(actual, exact);
            assert!(error <= most, "{name} of {x:e} is {actual:e}, {error:.2} ulp from {exact:e}, but only {most} are allowed");
        }
    }
}

fn sine_cosine_and_tangent_are_accurate_for_arguments_of_every_size(bench: &Bench) {
    check_accuracy(bench, 20_011);
    let x = arguments(200_003);
    let mut out = vec![0.0; x.len()];
    launch!(bench, circles(&x, &mut out), x.len().div_ceil(128), 128);
    for (x, one) in x.iter().zip(&out) {
        assert!((one - 1.0).abs() < 8.0 * f32::EPSILON, "the circle of {x:e} has a radius of {one}");
    }
}

fn zeros_infinities_and_subnormal_numbers_are_exact(bench: &Bench) {
    let tiny = [0.0, -0.0, f32::MIN_POSITIVE, f32::from_bits(1), f32::from_bits(0x0055_5555), -1e-41, -1e-30];
    let expected: Vec<f32> = tiny.iter().flat_map(|&x| [x, 1.0, x, x, 1.0]).collect();
    assert_same(&run(bench, &tiny.to_vec()), &expected);
    let without = vec![f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    assert_same(&run(bench, &without), &[f32::NAN; 15]);
}

fn sharing_an_angle_and_contraction_change_no_bit(bench: &Bench) {
    let x = arguments(100_003);
    let mut out = vec![0.0; RESULTS.len() * x.len()];
    launch!(bench, apart(&x, &mut out), x.len().div_ceil(256), 256);
    assert_same(&out, &run(bench, &x));
}
