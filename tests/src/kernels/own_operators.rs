//! Operators of users' types: `#[gpu_device] impl Add for Vector`.

use std::ops::{Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Rem, Sub};

use gpu_runtime::FailureCause::DivisionByZero;
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure};
use crate::{cases, launch, try_launch, value_arguments};

cases![
    vectors_add_and_scale,
    fields_have_operators,
    a_matrix_times_a_vector_is_a_vector,
    operators_are_generic wraps = true,
    operators_of_integers_and_bits,
    failures_in_operators_are_reported,
    types_are_converted,
    assignments_have_functions_of_their_own,
    assignments_to_numbers_have_functions_of_their_own,
    literals_in_variables_have_the_types_of_the_impls,
];

value_arguments![Matrix];

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Vector {
    x: f32,
    y: f32,
    z: f32,
}

#[gpu_device]
impl Vector {
    fn new(x: f32, y: f32, z: f32) -> Self {
        Self { x, y, z }
    }

    fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
}

#[gpu_device]
impl Add for Vector {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

#[gpu_device]
impl Sub for Vector {
    type Output = Vector;

    fn sub(self, other: Vector) -> Self::Output {
        self + -other
    }
}

#[gpu_device]
impl Neg for Vector {
    type Output = Vector;

    fn neg(self) -> Vector {
        Vector { x: -self.x, y: -self.y, z: -self.z }
    }
}

#[gpu_device]
impl Mul<f32> for Vector {
    type Output = Vector;

    fn mul(self, by: f32) -> Vector {
        Vector { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

#[gpu_device]
impl Mul<Vector> for f32 {
    type Output = Vector;

    fn mul(self, vector: Vector) -> Vector {
        vector * self
    }
}

/// Element by element.
#[gpu_device]
impl Mul for Vector {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { x: self.x * other.x, y: self.y * other.y, z: self.z * other.z }
    }
}

#[gpu_device]
impl Div<f32> for Vector {
    type Output = Self;

    fn div(self, by: f32) -> Self {
        self * (1.0 / by)
    }
}

#[gpu_kernel(fmad = false)]
pub fn combine(a: &[Vector], b: &[Vector], k: f32, out: &mut [Vector]) {
    let i = grid_1d();
    if i < out.len() {
        let sum = a[i] + b[i] * k;
        let mut c = 0.1 * sum - a[i] / 3.0;
        c += b[i];
        c *= -0.7;
        c = -c * a[i];
        out[i] = c + k * b[i] * 2.0;
    }
}

fn vectors(n: usize, scale: f32) -> Vec<Vector> {
    (0..n).map(|i| Vector::new(i as f32 * scale, 1.0 - i as f32, scale)).collect()
}

fn vectors_add_and_scale(bench: &Bench) {
    let (a, b, k) = (vectors(70, 0.37), vectors(70, -1.3), 0.3);
    let mut out = vec![Vector::new(0.0, 0.0, 0.0); 70];
    launch!(bench, combine(&a, &b, k, &mut out), 3, 32);
    let expected = a.iter().zip(&b).map(|(&a, &b)| {
        let mut c = 0.1 * (a + b * k) - a / 3.0;
        c = c + b;
        c = c * -0.7;
        -c * a + k * b * 2.0
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Particle {
    at: Vector,
    speed: Vector,
    mass: f32,
}

#[gpu_device]
fn force(at: Vector, mass: f32) -> Vector {
    at * -(mass / (at.dot(at) + 0.01))
}

#[gpu_kernel(fmad = false)]
pub fn step(particles: &mut [Particle], dt: f32) {
    let i = grid_1d();
    if i < particles.len() {
        let mut p = particles[i];
        let pull: Vector = force(p.at, p.mass);
        p.speed += pull * dt;
        p.at = p.at + p.speed * dt + 0.5 * pull * (dt * dt);
        p.mass *= 0.5;
        let middle = (p.at + p.speed) / 2.0;
        p.speed.z = middle.x + (p.at - p.speed).dot(middle);
        particles[i] = p;
    }
}

fn fields_have_operators(bench: &Bench) {
    let particles = |n: usize| -> Vec<Particle> {
        let speeds = vectors(n, 0.11);
        vectors(n, 0.9).into_iter().zip(speeds).map(|(at, speed)| Particle { at, speed, mass: 1.5 }).collect()
    };
    let mut out = particles(40);
    launch!(bench, step(&mut out, 0.25), 2, 32);
    let dt = 0.25;
    let expected = particles(40).into_iter().map(|mut p| {
        let pull = force(p.at, p.mass);
        p.speed = p.speed + pull * dt;
        p.at = p.at + p.speed * dt + 0.5 * pull * (dt * dt);
        p.mass *= 0.5;
        let middle = (p.at + p.speed) / 2.0;
        p.speed.z = middle.x + (p.at - p.speed).dot(middle);
        p
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Matrix {
    rows: [Vector; 3],
}

#[gpu_device]
impl Mul<Vector> for Matrix {
    type Output = Vector;

    fn mul(self, v: Vector) -> Vector {
        Vector { x: self.rows[0].dot(v), y: self.rows[1].dot(v), z: self.rows[2].dot(v) }
    }
}

#[gpu_kernel(fmad = false)]
pub fn transform(m: Matrix, x: &[Vector], out: &mut [Vector]) {
    let i = grid_1d();
    if i < out.len() {
        let once = m * x[i];
        out[i] = m * once + once * 0.25;
    }
}

fn a_matrix_times_a_vector_is_a_vector(bench: &Bench) {
    let m = Matrix { rows: [Vector::new(0.0, 1.0, 0.5), Vector::new(-1.0, 0.0, 0.0), Vector::new(0.0, 0.2, 1.0)] };
    let x = vectors(33, 0.7);
    let mut out = vectors(33, 0.0);
    launch!(bench, transform(m, &x, &mut out), 2, 32);
    assert_eq!(out, x.iter().map(|&x| m * (m * x) + (m * x) * 0.25).collect::<Vec<_>>());
}

/// A number and its derivative.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Dual<T> {
    value: T,
    slope: T,
}

#[gpu_device]
impl<T: Num> Add for Dual<T> {
    type Output = Dual<T>;

    fn add(self, other: Dual<T>) -> Dual<T> {
        Dual { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

#[gpu_device]
impl<T: Num> Mul for Dual<T> {
    type Output = Dual<T>;

    fn mul(self, other: Dual<T>) -> Dual<T> {
        Dual { value: self.value * other.value, slope: self.value * other.slope + self.slope * other.value }
    }
}

/// Of both together, rustc must see that a `Dual` is no number.
#[gpu_device]
impl<T: Num> Mul<T> for Dual<T> {
    type Output = Dual<T>;

    fn mul(self, by: T) -> Dual<T> {
        Dual { value: self.value * by, slope: self.slope * by }
    }
}

#[gpu_kernel(fmad = false)]
pub fn cube_plus(x: &[Dual<f64>], n: &[Dual<i32>], out: &mut [Dual<f64>], counts: &mut [Dual<i32>]) {
    let i = grid_1d();
    if i < out.len() && i < counts.len() {
        let squared = x[i] * x[i];
        out[i] = squared * x[i] * 0.5 + x[i];
        counts[i] = n[i] * n[i] + n[i];
    }
}

fn operators_are_generic(bench: &Bench) {
    let x: Vec<Dual<f64>> = (0..20).map(|i| Dual { value: f64::from(i) * 0.3, slope: 1.0 }).collect();
    let n: Vec<Dual<i32>> = (0..20).map(|i| Dual { value: i << 14, slope: 1 }).collect();
    let (mut out, mut counts) = (vec![x[0]; 20], vec![n[0]; 20]);
    launch!(bench, cube_plus(&x, &n, &mut out, &mut counts), 1, 32);
    assert_eq!(out, x.iter().map(|&x| x * x * x * 0.5 + x).collect::<Vec<_>>());
    assert_eq!(counts, n.iter().map(|&n| n * n + n).collect::<Vec<_>>());
}

/// Arithmetic modulo a prime.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Residue(u64);

const PRIME: u64 = 1_000_003;

#[gpu_device]
impl Add<u64> for Residue {
    type Output = Self;

    fn add(self, other: u64) -> Self {
        Residue((self.0 + other) % PRIME)
    }
}

#[gpu_device]
impl Mul for Residue {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Residue(self.0 * other.0 % PRIME)
    }
}

#[gpu_device]
impl Rem<u64> for Residue {
    type Output = u64;

    fn rem(self, by: u64) -> u64 {
        self.0 % by
    }
}

/// A set of small numbers.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Set(u32);

#[gpu_device]
impl BitAnd for Set {
    type Output = Set;

    fn bitand(self, other: Set) -> Set {
        Set(self.0 & other.0)
    }
}

#[gpu_device]
impl BitOr for Set {
    type Output = Set;

    fn bitor(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }
}

#[gpu_device]
impl BitXor for Set {
    type Output = Set;

    fn bitxor(self, other: Set) -> Set {
        Set(self.0 ^ other.0)
    }
}

#[gpu_device]
impl Not for Set {
    type Output = Set;

    fn not(self) -> Set {
        Set(!self.0)
    }
}

#[gpu_kernel(fmad = false)]
pub fn residues_and_sets(x: &[Residue], sets: &mut [Set], out: &mut [Residue]) {
    let i = grid_1d();
    if i < out.len() && i < sets.len() {
        out[i] = x[i] * x[i] + 7;
        out[i] += PRIME;
        let mut set = sets[i] | Set(5);
        set ^= !sets[i] & Set(0xff);
        sets[i] = set;
    }
}

fn operators_of_integers_and_bits(bench: &Bench) {
    let x: Vec<Residue> = (0..50).map(|i| Residue(i * 20_011)).collect();
    let sets: Vec<Set> = (0..50).map(|i| Set(i * 77)).collect();
    let (mut out, mut changed) = (x.clone(), sets.clone());
    launch!(bench, residues_and_sets(&x, &mut changed, &mut out), 2, 32);
    assert_eq!(out, x.iter().map(|x| Residue((x.0 * x.0 % PRIME + 7) % PRIME)).collect::<Vec<_>>());
    assert_eq!(changed, sets.iter().map(|s| Set((s.0 | 5) ^ (!s.0 & 0xff))).collect::<Vec<_>>());
}

#[gpu_device]
impl Div for Residue {
    type Output = Residue;

    fn div(self, by: Residue) -> Residue {
        Residue(self.0 / by.0)
    }
}

const LINE_OF_DIVISION: u32 = line!() - 4;

#[gpu_kernel(fmad = false)]
pub fn divide(x: &[Residue], y: &[Residue], out: &mut [Residue]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] / y[i];
    }
}

fn failures_in_operators_are_reported(bench: &Bench) {
    let x: Vec<Residue> = (0..10).map(Residue).collect();
    let mut out = x.clone();
    let failed = try_launch!(bench, divide(&x, &x, &mut out), 1, 32);
    let line = LINE_OF_DIVISION;
    assert_eq!(failed, Err(Failure { kernel: "divide".into(), line, cause: DivisionByZero, block: [0; 3], thread: [0; 3] }));
}

/// Degrees in tenths.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Angle {
    tenths: i32,
}

#[gpu_device]
impl Default for Angle {
    fn default() -> Self {
        let right: i32 = 900;
        Self { tenths: right }
    }
}

#[gpu_device]
impl From<f32> for Angle {
    fn from(degrees: f32) -> Self {
        Angle { tenths: (degrees * 10.0) as i32 }
    }
}

#[gpu_device]
impl From<Vector> for Angle {
    fn from(vector: Vector) -> Angle {
        if vector == Vector::new(0.0, 0.0, 0.0) { Self::default() } else { Self::from(vector.x + vector.y) }
    }
}

#[gpu_kernel(fmad = false)]
pub fn conversions(x: &[f32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let (direct, of_vector) = (Angle::from(x[i]), Angle::from(Vector::new(x[i], 1.5, 0.0) - Vector::new(0.0, 1.5, 0.0)));
        out[i] = direct.tenths + of_vector.tenths * 1000;
    }
}

fn types_are_converted(bench: &Bench) {
    let mut out = vec![0; 3];
    launch!(bench, conversions(&vec![0.0, 1.5, -2.0], &mut out), 1, 32);
    assert_eq!(out, [900_000, 15_015, -20_020]);
    assert_eq!((Angle::from(3.0), Angle::default()), (Angle { tenths: 30 }, Angle { tenths: 900 }));
}

/// A sum that counts what is added to it. `+=` is no `a = a + b`: there is no `+`.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Tally {
    sum: f32,
    count: i32,
}

#[gpu_device]
impl AddAssign<f32> for Tally {
    fn add_assign(&mut self, value: f32) {
        self.sum += value;
        self.count += 1;
    }
}

#[gpu_device]
impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        *self += other.sum;
        self.count += other.count - 1;
    }
}

#[gpu_device]
impl MulAssign<f32> for Tally {
    fn mul_assign(&mut self, by: f32) {
        if by == 0.0 {
            *self = Tally { sum: 0.0, count: 0 };
            return;
        }
        self.sum *= by;
    }
}

/// Of no elements, nothing.
#[gpu_device]
impl DivAssign<i32> for Tally {
    fn div_assign(&mut self, by: i32) {
        self.sum = if by == 0 { 0.0 } else { self.sum / by as f32 };
    }
}

#[gpu_kernel(fmad = false)]
pub fn tallies(x: &[f32], out: &mut [Tally]) {
    let i = grid_1d();
    if i < out.len() {
        let mut tally = Tally { sum: 0.5, count: 0 };
        for k in 0..x.len() {
            tally += x[k];
        }
        tally += 0.1;
        tally *= 2.0;
        out[i] += tally;
        out[i] /= out[i].count - 4;
        out[i].sum += 1.0;
        if i == 1 {
            out[i] *= 0.0;
        }
    }
}

fn assignments_have_functions_of_their_own(bench: &Bench) {
    let mut out = vec![Tally { sum: 0.0, count: 0 }, Tally { sum: 1.0, count: 7 }, Tally { sum: 1.0, count: 1 }];
    launch!(bench, tallies(&vec![1.0, 2.5, -1.0], &mut out), 1, 32);
    let sum = (3.0f32 + 0.1) * 2.0;
    assert_eq!(out, [Tally { sum: 1.0, count: 4 }, Tally { sum: 0.0, count: 0 }, Tally { sum: 1.0 + sum + 1.0, count: 5 }]);
    let mut tally = Tally { sum: 1.0, count: 0 };
    tally += 2.0;
    assert_eq!(tally, Tally { sum: 3.0, count: 1 });
}

/// C would take it for a number.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(u32)]
pub enum Step {
    Small = 0,
    Large = 4,
}

#[gpu_device]
impl AddAssign<Step> for u32 {
    fn add_assign(&mut self, step: Step) {
        *self += 10 * step as u32 + 1;
    }
}

#[gpu_device]
impl MulAssign<Step> for f32 {
    fn mul_assign(&mut self, step: Step) {
        *self += step as u32 as f32 + 1.0;
    }
}

#[gpu_kernel]
pub fn stepped(steps: &[Step], sums: &mut [u32], products: &mut [f32]) {
    let i = grid_1d();
    if i < steps.len() && i < sums.len() && i < products.len() {
        let mut sum = 5u32;
        sum += steps[i];
        sum += 1;
        sums[i] += steps[i];
        sums[i] += sum;
        products[i] *= steps[i];
    }
}

fn assignments_to_numbers_have_functions_of_their_own(bench: &Bench) {
    let (mut sums, mut products) = (vec![100, 200], vec![0.5, 1.5]);
    launch!(bench, stepped(&vec![Step::Small, Step::Large], &mut sums, &mut products), 1, 32);
    assert_eq!((sums, products), (vec![108, 288], vec![1.5, 6.5]));
}

/// What only literals determine is a number, of the type that the `impl`s take. `0.1f32` is not `0.1f64`.
#[gpu_kernel(fmad = false)]
pub fn scaled_by_literals(x: &[Vector], out: &mut [Vector], tallies: &mut [Tally], masses: &mut [Particle]) {
    let i = grid_1d();
    if i < out.len() {
        let mut scale = 0.1;
        scale += 1.0;
        let grown = |v: Vector| v * scale + (scale + 0.1) * v;
        let divisor = 0.3;
        let gain = 0.7;
        out[i] = grown(x[i]) / divisor;
        out[i].x += gain;
        tallies[i] += gain;
        let factor = -0.1;
        tallies[i] *= factor;
        let step = 0.01;
        masses[i].at = masses[i].at + masses[i].speed * step;
        masses[i].mass -= step;
        masses[i].mass = step * masses[i].mass;
    }
}

fn literals_in_variables_have_the_types_of_the_impls(bench: &Bench) {
    let x = vectors(40, 0.37);
    let mut out = vec![Vector::new(0.0, 0.0, 0.0); 40];
    let mut tallies = vec![Tally { sum: 0.3, count: 2 }; 40];
    let mut masses: Vec<_> = x.iter().map(|&at| Particle { at, speed: -at, mass: at.y }).collect();
    launch!(bench, scaled_by_literals(&x, &mut out, &mut tallies, &mut masses), 2, 32);
    for (i, &v) in x.iter().enumerate() {
        let scale = 0.1f32 + 1.0;
        let mut expected = (v * scale + (scale + 0.1) * v) / 0.3;
        expected.x += 0.7;
        assert_eq!(out[i], expected);
        assert_eq!(tallies[i], Tally { sum: (0.3f32 + 0.7) * -0.1, count: 3 });
        assert_eq!(masses[i], Particle { at: v + -v * 0.01, speed: -v, mass: 0.01 * (v.y - 0.01) });
    }
}
