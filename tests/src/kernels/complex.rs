//! Complex numbers of the crate `num_complex`: in slices, structs, shared memory; operators, with real numbers too; functions.

use gpu_runtime::prelude::*;
use num_complex::{Complex, Complex32, Complex64};

use crate::bench::{Bench, assert_same, assert_ulps};
use crate::{cases, launch, value_arguments};

cases![
    operators_follow_num_complex,
    real_operands_stand_on_either_side,
    places_are_updated,
    functions_are_those_of_num_complex,
    elementary_functions_are_close,
    powers_multiply_in_order,
    parts_and_fields_are_places wraps = true,
    points_escape_from_the_mandelbrot_set,
    points_escape_from_the_julia_set,
    a_padded_tile_transposes,
    a_users_own_type_of_the_name_is_no_other,
    types_of_parts_are_inferred,
    methods_follow_one_another,
];

value_arguments![Complex32, Complex64];

/// Corners of the arithmetic, and numbers that nothing represents exactly.
const PARTS: [f64; 10] = [0.0, -0.0, 1.0, -2.5, 0.1, 1e30, 3e-30, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

fn samples() -> Vec<Complex64> {
    PARTS.iter().flat_map(|&re| PARTS.iter().map(move |&im| Complex64::new(re, im))).collect()
}

fn single(z: &[Complex64]) -> Vec<Complex32> {
    z.iter().map(|z| Complex32::new(z.re as f32, z.im as f32)).collect()
}

fn parts<T: Copy>(z: &[Complex<T>]) -> Vec<T> {
    z.iter().flat_map(|z| [z.re, z.im]).collect()
}

#[gpu_kernel(fmad = false)]
pub fn operate(a: &[Complex<f32>], b: &[Complex<f32>], out: &mut [[Complex<f32>; 5]], equal: &mut [bool]) {
    let i = grid_1d();
    if i < out.len() && i < equal.len() {
        let (x, y) = (a[i], b[i]);
        out[i][0] = x + y;
        out[i][1] = x - y;
        out[i][2] = x * y;
        out[i][3] = x / y;
        out[i][4] = -x;
        equal[i] = x == y && !(x != y);
    }
}

fn operators_follow_num_complex(bench: &Bench) {
    let samples = single(&samples());
    let (a, b): (Vec<_>, Vec<_>) = samples.iter().flat_map(|&a| samples.iter().map(move |&b| (a, b))).unzip();
    let mut out = vec![[Complex32::default(); 5]; a.len()];
    let mut equal = vec![false; a.len()];
    launch!(bench, operate(&a, &b, &mut out, &mut equal), a.len().div_ceil(128), 128);
    let expected: Vec<_> = a.iter().zip(&b).flat_map(|(&a, &b)| [a + b, a - b, a * b, a / b, -a]).collect();
    assert_same(&parts(out.as_flattened()), &parts(&expected));
    assert!(a.iter().zip(&b).zip(&equal).all(|((a, b), &equal)| (a == b) == equal));
}

#[gpu_kernel(fmad = false)]
pub fn operate_with_real(z: &[Complex64], s: f64, out: &mut [[Complex64; 10]]) {
    let i = grid_1d();
    if i < out.len() {
        let z = z[i];
        out[i][0] = z + s;
        out[i][1] = z - s;
        out[i][2] = z * s;
        out[i][3] = z / s;
        out[i][4] = s + z;
        out[i][5] = s - z;
        out[i][6] = s * z;
        out[i][7] = s / z;
        out[i][8] = 0.1 * z - 2.0;
        out[i][9] = -(1.0 / (z * -0.5 + 1.0)) / 3.0;
    }
}

fn real_operands_stand_on_either_side(bench: &Bench) {
    let z = samples();
    for s in PARTS {
        let mut out = vec![[Complex64::default(); 10]; z.len()];
        launch!(bench, operate_with_real(&z, s, &mut out), 1, 128);
        let expected: Vec<_> = z
            .iter()
            .flat_map(|&z| {
                let last = [0.1 * z - 2.0, -(1.0 / (z * -0.5 + 1.0)) / 3.0];
                [z + s, z - s, z * s, z / s, s + z, s - z, s * z, s / z, last[0], last[1]]
            })
            .collect();
        assert_same(&parts(out.as_flattened()), &parts(&expected));
    }
}

#[gpu_kernel(fmad = false)]
pub fn update(z: &mut [Complex32], w: Complex32, s: f32) {
    let i = grid_1d();
    if i < z.len() {
        z[i] += w;
        z[i] *= w;
        z[i] -= s;
        z[i] /= w;
        z[i] *= 2.0;
        z[i] /= s;
        z[i] *= z[i];
    }
}

fn places_are_updated(bench: &Bench) {
    let mut z = single(&samples());
    let (w, s) = (Complex32::new(0.3, -0.7), 1.7);
    let mut expected = z.clone();
    for z in &mut expected {
        *z += w;
        *z *= w;
        *z -= s;
        *z /= w;
        *z *= 2.0;
        *z /= s;
        *z *= *z;
    }
    launch!(bench, update(&mut z, w, s), 1, 128);
    assert_same(&parts(&z), &parts(&expected));
}

#[gpu_kernel(fmad = false)]
pub fn apply(z: &[Complex64], by: f64, reals: &mut [f64], out: &mut [[Complex64; 5]]) {
    let i = grid_1d();
    if i < out.len() && i < reals.len() {
        let w = z[i];
        reals[i] = z[i].norm_sqr();
        out[i][0] = w.conj();
        out[i][1] = w.inv();
        out[i][2] = w.scale(by);
        out[i][3] = w.unscale(by);
        out[i][4] = Complex64::new(w.im, by) + Complex::<f64>::new(1.0, 0.1);
    }
}

fn functions_are_those_of_num_complex(bench: &Bench) {
    let z = samples();
    let mut reals = vec![0.0; z.len()];
    let mut out = vec![[Complex64::default(); 5]; z.len()];
    launch!(bench, apply(&z, 1.3, &mut reals, &mut out), 1, 128);
    assert_same(&reals, &z.iter().map(Complex64::norm_sqr).collect::<Vec<_>>());
    let expected: Vec<_> =
        z.iter().flat_map(|z| [z.conj(), z.inv(), z.scale(1.3), z.unscale(1.3), Complex64::new(z.im + 1.0, 1.3 + 0.1)]).collect();
    assert_same(&parts(out.as_flattened()), &parts(&expected));
}

#[gpu_kernel(fmad = false)]
pub fn elementary(z: &[Complex32], reals: &mut [[f32; 2]], out: &mut [[Complex32; 5]]) {
    let i = grid_1d();
    if i < out.len() && i < reals.len() {
        let w = z[i];
        reals[i] = [w.norm(), w.arg()];
        out[i][0] = w.exp();
        out[i][1] = w.sqrt();
        out[i][2] = w.ln();
        out[i][3] = Complex32::from_polar(w.re, w.im);
        out[i][4] = Complex32::cis(w.im);
    }
}

fn elementary_functions_are_close(bench: &Bench) {
    let line: Vec<f32> = (-8..=8).map(|k| k as f32 * 0.37).collect();
    let z: Vec<_> = line.iter().flat_map(|&re| line.iter().map(move |&im| Complex32::new(re, im))).collect();
    let mut reals = vec![[0.0; 2]; z.len()];
    let mut out = vec![[Complex32::default(); 5]; z.len()];
    launch!(bench, elementary(&z, &mut reals, &mut out), z.len().div_ceil(64), 64);
    let expected: Vec<_> = z.iter().flat_map(|z| [z.norm(), z.arg()]).collect();
    assert_ulps("norm and argument", reals.as_flattened(), &expected, 4);
    let of_two_angles = |z: &Complex32| [z.exp(), z.sqrt(), z.ln(), Complex32::from_polar(z.re, z.im), Complex32::cis(z.im)];
    for (found, expected) in out.as_flattened().iter().zip(z.iter().flat_map(of_two_angles)) {
        assert!(*found == expected || (found - expected).norm() <= 1e-6 * expected.norm().max(1.0), "{found} is not {expected}");
    }
    // Where an argument is infinite, or a part is zero, the branches decide.
    let mut corners = single(&samples());
    corners.retain(|z| !z.re.is_nan() && !z.im.is_nan());
    let (mut reals, mut out) = (vec![[0.0; 2]; corners.len()], vec![[Complex32::default(); 5]; corners.len()]);
    launch!(bench, elementary(&corners, &mut reals, &mut out), 1, 128);
    for (z, [exp, sqrt, ..]) in corners.iter().zip(out) {
        for (found, expected) in parts(&[exp, sqrt]).into_iter().zip(parts(&[z.exp(), z.sqrt()])) {
            let close = (found - expected).abs() <= 1e-6 * expected.abs();
            assert!(close || found == expected || found.is_nan() && expected.is_nan(), "of {z}: {found} is not {expected}");
        }
    }
}

#[gpu_kernel(fmad = false)]
pub fn raise(z: &[Complex32], exponents: &[i32], out: &mut [Complex32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = z[i].powi(exponents[i]);
    }
}

fn powers_multiply_in_order(bench: &Bench) {
    let exponents = [0, 1, 2, 3, 7, 12, 31, -1, -2, -5, -8, i32::MAX, i32::MIN];
    let bases = [Complex32::new(0.6, 0.8), Complex32::new(-1.1, 0.3), Complex32::new(0.0, -0.0), Complex32::new(f32::INFINITY, 1.0)];
    let (z, n): (Vec<_>, Vec<_>) = bases.iter().flat_map(|&z| exponents.map(|n| (z, n))).unzip();
    let mut out = vec![Complex32::default(); z.len()];
    launch!(bench, raise(&z, &n, &mut out), 1, 64);
    let expected: Vec<_> = z.iter().zip(&n).map(|(z, &n)| z.powi(n)).collect();
    assert_same(&parts(&out), &parts(&expected));
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Wave {
    tag: u8,
    amplitude: Complex64,
    pair: [Complex32; 2],
}

#[gpu_device]
fn rotated(z: Complex64, by: Complex64) -> Complex64 {
    z * by
}

#[gpu_kernel(fmad = false)]
pub fn swap_parts(waves: &mut [Wave], by: Complex64) {
    let i = grid_1d();
    if i < waves.len() {
        let re = waves[i].amplitude.re;
        waves[i].amplitude.re = waves[i].amplitude.im;
        waves[i].amplitude.im = re;
        waves[i].amplitude = rotated(waves[i].amplitude, by) * 0.5;
        waves[i].pair[1].im += waves[i].pair[0].re * 0.1;
        waves[i].pair[0] = waves[i].pair[0] * waves[i].pair[1];
        waves[i].tag += 1;
    }
}

fn parts_and_fields_are_places(bench: &Bench) {
    let pair = [Complex32::new(1.5, -0.5), Complex32::new(0.25, 8.0)];
    let mut waves = vec![Wave { tag: 255, amplitude: Complex64::new(3.0, 4.0), pair }; 5];
    let by = Complex64::new(0.5, -2.0);
    launch!(bench, swap_parts(&mut waves, by), 1, 8);
    let second = Complex32::new(0.25, 8.0 + 1.5 * 0.1);
    let expected = Wave { tag: 0, amplitude: Complex64::new(4.0, 3.0) * by * 0.5, pair: [pair[0] * second, second] };
    assert_eq!(waves, [expected; 5]);
}

/// How often `z` can be squared, and `c` added, before it is far away.
#[gpu_device]
fn steps(mut z: Complex32, c: Complex32, limit: u32) -> u32 {
    let mut count = 0;
    while count < limit && z.norm_sqr() <= 4.0 {
        z = z * z + c;
        count += 1;
    }
    count
}

#[gpu_kernel(fmad = false)]
pub fn mandelbrot(width: usize, pixel: f32, corner: Complex32, limit: u32, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let c = corner + Complex32::new((i % width) as f32 * pixel, (i / width) as f32 * pixel);
        out[i] = steps(Complex32::new(0.0, 0.0), c, limit);
    }
}

/// The same with real numbers alone.
fn steps_in_reals(mut z: [f32; 2], c: [f32; 2], limit: u32) -> u32 {
    let mut count = 0;
    while count < limit && z[0] * z[0] + z[1] * z[1] <= 4.0 {
        z = [z[0] * z[0] - z[1] * z[1] + c[0], z[0] * z[1] + z[1] * z[0] + c[1]];
        count += 1;
    }
    count
}

fn points_escape_from_the_mandelbrot_set(bench: &Bench) {
    let (width, height, pixel, limit) = (48, 32, 0.0625, 60);
    let mut out = vec![0; width * height];
    launch!(bench, mandelbrot(width, pixel, Complex32::new(-2.0, -1.0), limit, &mut out), 12, 128);
    let at = |i: usize| [-2.0 + (i % width) as f32 * pixel, -1.0 + (i / width) as f32 * pixel];
    let expected: Vec<_> = (0..width * height).map(|i| steps_in_reals([0.0; 2], at(i), limit)).collect();
    assert_eq!(out, expected);
    assert!(out.contains(&limit) && out.iter().any(|&steps| steps < 4));
}

#[gpu_kernel(fmad = false)]
pub fn julia(points: &[Complex32], c: Complex32, limit: u32, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = steps(points[i], c, limit);
    }
}

fn points_escape_from_the_julia_set(bench: &Bench) {
    let points: Vec<_> = (0..900).map(|i| Complex32::new((i % 30) as f32 * 0.1 - 1.5, (i / 30) as f32 * 0.1 - 1.5)).collect();
    let mut out = vec![0; points.len()];
    launch!(bench, julia(&points, Complex32::new(-0.4, 0.6), 80, &mut out), 9, 100);
    let expected: Vec<_> = points.iter().map(|z| steps_in_reals([z.re, z.im], [-0.4, 0.6], 80)).collect();
    assert_eq!(out, expected);
}

#[gpu_kernel(block = (16, 16))]
pub fn transpose(n: usize, input: &[Complex64], out: &mut [Complex64]) {
    // One column more than there are: the 16 of a column lie in different banks.
    let mut tile = shared::<[[Complex64; 17]; 16]>();
    let (x, y) = (thread_idx().x, thread_idx().y);
    let (left, top) = (block_idx().x * 16, block_idx().y * 16);
    if left + x < n && top + y < n {
        tile[y][x] = input[(top + y) * n + left + x];
    }
    sync_threads();
    if top + x < n && left + y < n {
        out[(left + y) * n + top + x] = tile[x][y];
    }
}

fn a_padded_tile_transposes(bench: &Bench) {
    let n = 37;
    let input: Vec<_> = (0..n * n).map(|i| Complex64::new(i as f64, -(i as f64) / 3.0)).collect();
    let mut out = vec![Complex64::default(); n * n];
    launch!(bench, transpose(n, &input, &mut out), (3, 3), (16, 16));
    let expected: Vec<_> = (0..n * n).map(|i| input[i % n * n + i / n]).collect();
    assert_eq!(out, expected);
}

pub mod own {
    use gpu_runtime::prelude::*;

    /// No number of `num_complex`.
    #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
    #[repr(C)]
    pub struct Complex {
        pub im: i32,
        pub re: f32,
    }

    #[gpu_device]
    impl Complex {
        pub fn new(re: f32, im: i32) -> Self {
            Self { im, re }
        }

        pub fn norm_sqr(self) -> i32 {
            self.im * self.im
        }
    }

    #[gpu_kernel]
    pub fn make(out: &mut [Complex], squares: &mut [i32]) {
        let i = grid_1d();
        if i < out.len() && i < squares.len() {
            let z: Complex = Complex::new(0.1, i as i32);
            out[i] = z;
            squares[i] = z.norm_sqr();
        }
    }
}

fn a_users_own_type_of_the_name_is_no_other(bench: &Bench) {
    let mut out = vec![own::Complex { re: 0.0, im: 0 }; 4];
    let mut squares = vec![0; 4];
    launch!(bench, own::make(&mut out, &mut squares), 1, 4);
    assert_eq!(out[3], own::Complex { re: 0.1, im: 3 });
    assert_eq!(squares, [0, 1, 4, 9]);
}

#[gpu_device]
fn from_literals() -> Complex<f64> {
    Complex::new(0.1, -2.0)
}

#[gpu_kernel(fmad = false)]
pub fn infer_parts(x: &[f32], single: &mut [Complex<f32>], double: &mut [Complex<f64>]) {
    let i = grid_1d();
    if i < x.len() && i < single.len() && i < double.len() {
        let mut z = Complex::new(x[i], x[i] * 0.5);
        z = z * Complex::new(0.3, x[0]);
        let turned: Complex<f32> = Complex::new(0.1, 1.0);
        single[i] = z + turned;
        double[i] = Complex::new(0.1, 0.2);
        double[i] *= from_literals();
    }
}

fn types_of_parts_are_inferred(bench: &Bench) {
    let x = vec![1.5f32, -3.0];
    let (mut single, mut double) = (vec![Complex::default(); 2], vec![Complex::default(); 2]);
    bench.launch::<infer_parts::Kernel>((&x, &mut single, &mut double), 1, 2);
    for (x, z) in x.iter().zip(&single) {
        assert_eq!(*z, Complex::new(*x, x * 0.5) * Complex::new(0.3, 1.5) + Complex::new(0.1, 1.0));
    }
    assert_eq!(double, [Complex::new(0.1, 0.2) * Complex::new(0.1, -2.0); 2]);
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Signal {
    carrier: Complex<f32>,
    samples: [Complex<f32>; 2],
    level: u8,
}

#[gpu_device]
impl Signal {
    fn loudest(self) -> Complex<f32> {
        if self.samples[0].norm_sqr() > self.samples[1].norm_sqr() { self.samples[0] } else { self.samples[1] }
    }
}

#[gpu_device]
fn carrier(signal: Signal) -> Complex<f32> {
    signal.carrier
}

#[gpu_kernel(fmad = false)]
pub fn chain(signals: &[Signal], out: &mut [f32], levels: &mut [u8]) {
    let i = grid_1d();
    if i < out.len() && i < signals.len() && i < levels.len() {
        let signal = signals[i];
        let loudest = signal.loudest().conj();
        let from_call = carrier(signal);
        out[i] = signal.carrier.conj().scale(2.0).norm_sqr() + loudest.im + signals[i].samples[1].conj().im + signal.loudest().norm_sqr();
        out[i] += from_call.conj().scale(0.5).norm_sqr() + carrier(signals[i]).norm_sqr();
        levels[i] = signals[i].level.checked_sub(7).unwrap_or(99);
    }
}

fn methods_follow_one_another(bench: &Bench) {
    let at = |re: f32, im: f32| Complex::new(re, im);
    let signals = vec![
        Signal { carrier: at(0.5, 2.0), samples: [at(3.0, -1.0), at(1.0, 0.25)], level: 250 },
        Signal { carrier: at(-1.5, 0.125), samples: [at(0.0, 1.0), at(-2.0, 4.0)], level: 3 },
    ];
    let (mut out, mut levels) = (vec![0.0; 2], vec![0; 2]);
    bench.launch::<chain::Kernel>((&signals, &mut out, &mut levels), 1, 2);
    assert_eq!(levels, [243, 99]);
    for (s, out) in signals.iter().zip(&out) {
        let first = s.carrier.conj().scale(2.0).norm_sqr() + s.loudest().conj().im + s.samples[1].conj().im + s.loudest().norm_sqr();
        assert_eq!(*out, first + (s.carrier.conj().scale(0.5).norm_sqr() + s.carrier.norm_sqr()));
    }
}
