//! Derivatives of functions of numbers, in kernels.

use gpu_runtime::gradient::stop_gradient;
use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_close};
use crate::{cases, launch};

cases![
    loops_and_branches_are_differentiated,
    variables_that_are_overwritten_keep_their_derivatives,
    untaken_branches_leave_no_nan,
    single_precision_and_calls,
    constants_arrays_and_types_in_between,
];

/// A polynomial by Horner's rule, whose last terms depend on where `x` is.
#[gpu_device(grad)]
fn horner(x: f64, scale: f64, n: u32) -> f64 {
    let mut sum = 0.0;
    for k in 0..n {
        if k == 2 {
            continue;
        }
        sum = sum * x + scale * k as f64;
        if sum > 1000.0 {
            break;
        }
    }
    sum
}

#[gpu_kernel(fmad = false)]
pub fn horners(x: &[f64], n: u32, by_x: &mut [f64], by_scale: &mut [f64], along: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() && i < by_x.len() && i < by_scale.len() && i < along.len() {
        let (dx, dscale): (f64, f64) = horner::grad(x[i], 1.5, n);
        by_x[i] = dx;
        by_scale[i] = dscale;
        let (_, moved): (f64, f64) = horner::jvp(x[i], 1.5, n, 2.0, -1.0);
        along[i] = moved;
    }
}

fn loops_and_branches_are_differentiated(bench: &Bench) {
    let x: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.07 - 3.0).collect();
    let [mut by_x, mut by_scale, mut along] = [(); 3].map(|()| vec![0.0; x.len()]);
    launch!(bench, horners(&x, 7, &mut by_x, &mut by_scale, &mut along), 1, 128);
    let h = 1e-5;
    for (i, &x) in x.iter().enumerate() {
        let expected = (horner(x + h, 1.5, 7) - horner(x - h, 1.5, 7)) / (2.0 * h);
        assert!((by_x[i] - expected).abs() <= 1e-6 * (1.0 + expected.abs()), "at {x}: {} for {expected}", by_x[i]);
        let expected = (horner(x, 1.5 + h, 7) - horner(x, 1.5 - h, 7)) / (2.0 * h);
        assert!((by_scale[i] - expected).abs() <= 1e-6 * (1.0 + expected.abs()), "at {x}: {} for {expected}", by_scale[i]);
        let expected = 2.0 * by_x[i] - by_scale[i];
        assert!((along[i] - expected).abs() <= 1e-9 * (1.0 + expected.abs()), "at {x}: {} for {expected}", along[i]);
    }
}

/// `x⁴` in variables and elements that are overwritten, with a result in the middle.
#[gpu_device(grad)]
fn overwritten(mut x: f64) -> f64 {
    let mut kept: [f64; 2] = [x, 1.0];
    x *= x;
    kept[0] = x;
    kept[1] = kept[1] * kept[0];
    if kept[1] < 1.0 {
        return kept[1] * x;
    }
    x = 3.0;
    kept[1] * kept[0] + (x - 3.0)
}

#[gpu_kernel(fmad = false)]
pub fn overwriting(x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        out[i] = overwritten::grad(x[i]);
    }
}

fn variables_that_are_overwritten_keep_their_derivatives(bench: &Bench) {
    let mut out = vec![0.0; 4];
    launch!(bench, overwriting(&vec![-2.0, 0.5, 1.0, 3.0], &mut out), 1, 4);
    assert_eq!(out, [-32.0, 0.5, 4.0, 108.0]);
}

#[gpu_device(grad)]
fn guarded(x: f64, y: f64) -> f64 {
    let root = if x > 0.0 { x.sqrt() } else { 0.0 };
    let zero: f64 = 0.0;
    root + y * y + zero.sqrt() * y
}

#[gpu_kernel(fmad = false)]
pub fn guarding(x: &[f64], by_x: &mut [f64], by_y: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() && i < by_x.len() && i < by_y.len() {
        let (dx, dy): (f64, f64) = guarded::grad(x[i], 3.0);
        by_x[i] = dx;
        by_y[i] = dy;
    }
}

fn untaken_branches_leave_no_nan(bench: &Bench) {
    let [mut by_x, mut by_y] = [(); 2].map(|()| vec![0.0; 3]);
    launch!(bench, guarding(&vec![0.0, -1.0, 4.0], &mut by_x, &mut by_y), 1, 4);
    assert_eq!((by_x, by_y), (vec![0.0, 0.0, 0.25], vec![6.0; 3]));
}

/// It is an array function as well.
#[vectorize(grad)]
pub fn bump(x: f32, width: f32) -> f32 {
    (-((x / width).powi(2))).exp()
}

#[gpu_device(grad)]
fn bumps(x: f32, width: f32) -> f32 {
    let shifted: f32 = bump(x - 1.0, width);
    bump(x, width.max(0.5)) + 2.0 * shifted.clamp(0.0, 10.0)
}

#[gpu_kernel(fmad = false)]
pub fn bumping(x: &[f32], values: &mut [f32], by_x: &mut [f32], by_width: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && i < values.len() && i < by_x.len() && i < by_width.len() {
        let (value, dx, dwidth): (f32, f32, f32) = bumps::value_and_grad(x[i], 0.75);
        values[i] = value;
        by_x[i] = dx;
        by_width[i] = dwidth;
    }
}

fn single_precision_and_calls(bench: &Bench) {
    let x: Vec<f32> = (0..40).map(|i| i as f32 * 0.1 - 2.0).collect();
    let [mut values, mut by_x, mut by_width] = [(); 3].map(|()| vec![0.0f32; x.len()]);
    launch!(bench, bumping(&x, &mut values, &mut by_x, &mut by_width), 1, 64);
    let bump = |x: f64, w: f64| (-(x / w).powi(2)).exp();
    let (slope, wider) = (|x: f64, w: f64| -2.0 * x / (w * w) * bump(x, w), |x: f64, w: f64| 2.0 * x * x / (w * w * w) * bump(x, w));
    let expected = |f: &dyn Fn(f64, f64) -> f64| -> Vec<f32> {
        x.iter().map(|&x| (f(x.into(), 0.75) + 2.0 * f(f64::from(x) - 1.0, 0.75)) as f32).collect()
    };
    assert_close(&values, &expected(&bump));
    assert_close(&by_x, &expected(&slope));
    assert_close(&by_width, &expected(&wider));
}

const LIMIT: f64 = 6.5;

/// Linear between values, with a remainder, a closure, and a type that is not written.
#[gpu_device(grad)]
fn interpolated(x: f64, values: [f64; 4]) -> f64 {
    let limit: f64 = LIMIT;
    let wrapped = x.rem_euclid(4.0).min(limit);
    let cell = stop_gradient(wrapped) as usize & 3;
    let along = wrapped - stop_gradient(wrapped.floor());
    let square = |v: f64| v * v;
    let low = values[cell] * (1.0 - along);
    low + square(values[(cell + 1) & 3]) * along
}

#[gpu_kernel(fmad = false)]
pub fn interpolating(x: &[f64], out: &mut [[f64; 6]]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let (value, by_x, by_values): (f64, f64, [f64; 4]) = interpolated::value_and_grad(x[i], [1.0, 2.0, 4.0, 8.0]);
        out[i] = [value, by_x, by_values[0], by_values[1], by_values[2], by_values[3]];
    }
}

fn constants_arrays_and_types_in_between(bench: &Bench) {
    let mut out = vec![[0.0; 6]; 3];
    launch!(bench, interpolating(&vec![1.25, -0.5, 7.75], &mut out), 1, 4);
    let expected = [
        [2.0 * 0.75 + 16.0 * 0.25, 14.0, 0.0, 0.75, 2.0, 0.0],
        [8.0 * 0.5 + 0.5, -7.0, 1.0, 0.0, 0.0, 0.5],
        [8.0 * 0.25 + 0.75, -7.0, 1.5, 0.0, 0.0, 0.25],
    ];
    assert_eq!(out, expected);
}
