//! Operators of references to users' types: `#[gpu_device] impl Sub for &Vector`, and of a reference and a value.

// Both forms are what this tries.
#![allow(clippy::op_ref)]

use std::ops::{Add, AddAssign, Mul, Neg, Not, Sub};

use gpu_runtime::prelude::*;
use gpu_runtime::vector::Float2;

use crate::bench::Bench;
use crate::{cases, launch};

cases![references_have_operators, references_and_values_have_their_own, generic_types_have_them, constants_are_operands, numbers_are_read_through_references wraps = true];

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Vector {
    x: f32,
    y: f32,
}

#[gpu_device]
impl Sub for &Vector {
    type Output = Vector;

    fn sub(self, other: Self) -> Vector {
        Vector { x: self.x - other.x, y: self.y - other.y }
    }
}

#[gpu_device]
impl<'a> Add<&'a Vector> for &'a Vector {
    type Output = Vector;

    fn add(self, other: &'a Vector) -> Self::Output {
        self - &-other
    }
}

#[gpu_device]
impl Neg for &Vector {
    type Output = Vector;

    fn neg(self) -> Vector {
        Vector { x: -self.x, y: -self.y }
    }
}

#[gpu_device]
impl Mul<f32> for &Vector {
    type Output = Vector;

    fn mul(self, by: f32) -> Vector {
        Vector { x: self.x * by, y: self.y * by }
    }
}

#[gpu_device]
impl Mul<&Vector> for f32 {
    type Output = Vector;

    fn mul(self, vector: &Vector) -> Vector {
        vector * self
    }
}

#[gpu_device]
impl AddAssign<&Vector> for Vector {
    fn add_assign(&mut self, other: &Vector) {
        self.x += other.x;
        self.y += other.y;
    }
}

#[gpu_device]
impl Vector {
    fn middle(&self, other: &Self) -> Self {
        &(self + other) * 0.5
    }

    fn turned(&self) -> Vector {
        -self
    }
}

#[gpu_device]
fn between(a: &Vector, b: &Vector, t: f32) -> Vector {
    let difference = b - a;
    a + &(t * &difference)
}

#[gpu_kernel(fmad = false)]
pub fn paths(x: &[Vector], out: &mut [Vector]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = &x[i] - &x[0];
        for v in x {
            sum += v;
            sum = &sum - &between(v, &x[i], 0.25);
        }
        for (k, v) in x.iter().enumerate() {
            if v == &x[i] && k > 3 {
                sum += &-v;
            }
        }
        let last = &x[x.len() - 1];
        let total = x.iter().fold(sum, |total, v| &total + &(0.5 * v));
        out[i] = &total.middle(last) + &last.turned();
    }
}

fn references_have_operators(bench: &Bench) {
    let x: Vec<_> = (0..20u8).map(|i| Vector { x: f32::from(i) * 0.3, y: 1.0 - f32::from(i % 7) }).collect();
    let mut out = vec![x[0]; 20];
    launch!(bench, paths(&x, &mut out), 1, 32);
    let expected = (0..20).map(|i| {
        let mut sum = &x[i] - &x[0];
        for v in &x {
            sum += v;
            sum = &sum - &between(v, &x[i], 0.25);
        }
        for (k, v) in x.iter().enumerate() {
            if v == &x[i] && k > 3 {
                sum += &-v;
            }
        }
        let total = x.iter().fold(sum, |total, v| &total + &(0.5 * v));
        &total.middle(&x[19]) + &x[19].turned()
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

/// Each operator says which of its operands are references: 1 for the left one, 2 for the right one.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Told(i32);

macro_rules! told {
    ($($Left:ty, $Right:ty => $code:literal)+) => {$(
        #[gpu_device]
        impl Add<$Right> for $Left {
            type Output = Told;

            fn add(self, other: $Right) -> Told {
                Told(self.0 * 10 + other.0 * 100 + $code)
            }
        }
    )+};
}

told! { Told, Told => 0  &Told, Told => 1  Told, &Told => 2  &Told, &Told => 3 }

#[gpu_device]
impl AddAssign for Told {
    fn add_assign(&mut self, other: Told) {
        self.0 += other.0;
    }
}

#[gpu_device]
impl AddAssign<&Told> for Told {
    fn add_assign(&mut self, other: &Told) {
        self.0 -= other.0;
    }
}

#[gpu_device]
impl Not for Told {
    type Output = Told;

    fn not(self) -> Told {
        Told(!self.0)
    }
}

#[gpu_device]
impl Not for &Told {
    type Output = Told;

    fn not(self) -> Told {
        Told(self.0 + 1000)
    }
}

#[gpu_device]
impl Mul<&Told> for i32 {
    type Output = Told;

    fn mul(self, told: &Told) -> Told {
        Told(self - told.0)
    }
}

#[gpu_kernel(fmad = false)]
pub fn tell(x: &[Told], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        let (a, b) = (x[i], x[0]);
        let b = &b;
        let mut sum = (a + *b) + &((&a + a) + (a + b));
        sum += b;
        sum += *b;
        sum += &(b + &a);
        for v in x {
            sum = Told(sum.0 % 1000);
            sum += v + *v;
            sum += *v + v;
            sum += v;
        }
        out[i] = sum.0 % 1000 + (!a).0 + x.iter().map(|v| (v + v).0).sum::<i32>();
        out[i] += (!&a).0 + (!b).0;
        let scaled = if sum.0 > 3 { x[0].0 * b } else { x[0].0 * &a };
        out[i] += scaled.0;
    }
}

fn references_and_values_have_their_own(bench: &Bench) {
    let x: Vec<_> = (3..12).map(Told).collect();
    let mut out = vec![0; 9];
    launch!(bench, tell(&x, &mut out), 1, 32);
    let expected = x.iter().map(|&a| {
        let b = &x[0];
        let mut sum = (a + *b) + &((&a + a) + (a + b));
        sum += b;
        sum += *b;
        sum += &(b + &a);
        for v in &x {
            sum = Told(sum.0 % 1000);
            sum += v + *v;
            sum += *v + v;
            sum += v;
        }
        let scaled = if sum.0 > 3 { x[0].0 * b } else { x[0].0 * &a };
        sum.0 % 1000 + (!a).0 + x.iter().map(|v| (v + v).0).sum::<i32>() + (!&a).0 + (!b).0 + scaled.0
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Pair<T> {
    a: T,
    b: T,
}

#[gpu_device]
impl<'p, T: Num> Mul<&'p Pair<T>> for Pair<T> {
    type Output = Pair<T>;

    fn mul(self, other: &'p Pair<T>) -> Pair<T> {
        Pair { a: self.a * other.a, b: self.b * other.b }
    }
}

#[gpu_kernel(fmad = false)]
pub fn products(x: &[Pair<f64>], out: &mut [Pair<f64>]) {
    let i = grid_1d();
    if i < out.len() {
        let mut product: Pair<f64> = Pair { a: 0.5, b: 2.0 };
        for pair in x {
            product = product * pair * &x[i];
        }
        out[i] = product;
    }
}

fn generic_types_have_them(bench: &Bench) {
    let x: Vec<_> = (0..5u8).map(|i| Pair { a: 0.1 + f64::from(i), b: 1.0 - f64::from(i) * 0.3 }).collect();
    let mut out = vec![Pair { a: 0.0, b: 0.0 }; 5];
    launch!(bench, products(&x, &mut out), 1, 32);
    let expected = x.iter().map(|own| x.iter().fold(Pair { a: 0.5, b: 2.0 }, |product, pair| product * pair * own));
    assert_eq!(out, expected.collect::<Vec<_>>());
}

type Real = f32;
type Count = u32;
const GAIN: Real = 0.3;
const STEP: Count = 3;

/// Numbers of which the attribute does not see that they are some.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Layer {
    weights: [Real; 3],
    counts: [Count; 2],
}

#[gpu_kernel(fmad = false)]
pub fn weigh(layers: &[Layer], x: &[Real], vectors: &[Float2], out: &mut [f32], counts: &mut [u32], sums: &mut [Float2]) {
    let i = grid_1d();
    if i < out.len() && i < counts.len() && i < layers.len() && i < sums.len() {
        let layer = &layers[i];
        let mut sum = layer.weights.iter().map(|w| w * 2.0 + GAIN * w).sum::<f32>();
        for v in x {
            sum += 0.5 * v - v / GAIN;
            sum -= -v;
        }
        out[i] = &sum + &x[0] + 1.0;
        let mut count: Count = STEP;
        for n in &layer.counts {
            count += n % STEP + 7 / n;
            count ^= n & &STEP | 64 | (!n & 1);
        }
        counts[i] = count;
        let mut total = Float2::new(0.5, 0.25);
        for v in vectors {
            total += v * 0.5 + 2.0 * v;
        }
        sums[i] = total;
    }
}

fn numbers_are_read_through_references(bench: &Bench) {
    let layers: Vec<_> = (1..9u8).map(|i| Layer { weights: [f32::from(i) * 0.1, 0.7, -0.2], counts: [u32::from(i), 5] }).collect();
    let x = vec![0.3, -1.7, 2.9];
    let vectors = vec![Float2::new(1.0, -0.3), Float2::new(0.1, 0.7)];
    let (mut out, mut counts, mut sums) = (vec![0.0; 8], vec![0; 8], vec![Float2::new(0.0, 0.0); 8]);
    launch!(bench, weigh(&layers, &x, &vectors, &mut out, &mut counts, &mut sums), 1, 32);
    for (i, layer) in layers.iter().enumerate() {
        let mut sum = layer.weights.iter().map(|w| w * 2.0 + GAIN * w).fold(0.0, |a: f32, b| a + b);
        for v in &x {
            sum += 0.5 * v - v / GAIN;
            sum -= -v;
        }
        assert_eq!(out[i], sum + x[0] + 1.0);
        let mut count = STEP;
        for n in &layer.counts {
            count += n % STEP + 7 / n;
            count ^= n & &STEP | 64 | (!n & 1);
        }
        assert_eq!(counts[i], count);
        let total = vectors.iter().fold(Float2::new(0.5, 0.25), |total, &v| total + (v * 0.5 + 2.0 * v));
        assert_eq!(sums[i], total);
    }
}

const ORIGIN: Vector = Vector { x: 0.5, y: -1.5 };
const NONE: Told = Told(5);

impl Vector {
    const UNIT: Vector = Vector { x: 1.0, y: 0.25 };
}

#[gpu_device]
fn scaled((x, y): (f32, f32), by: (i32, f64)) -> f32 {
    (x * by.0 as f32 + y) * by.1 as f32
}

#[gpu_kernel(fmad = false)]
pub fn constants(x: &[Vector], told: &[Told], out: &mut [Vector], numbers: &mut [f32], rows: &mut [[u32; 2]]) {
    let i = grid_1d();
    if i < out.len() && i < numbers.len() && i < rows.len() && i < told.len() {
        let mut sum = &ORIGIN + &x[i];
        sum = &Vector::UNIT - &sum;
        sum += &(&x[i] + &Vector::UNIT);
        sum += &-&ORIGIN;
        out[i] = sum;
        let mut count = NONE + told[i];
        count += told[i] + NONE;
        count += NONE + !NONE;
        numbers[i] = scaled((1.0, 2.5), (3, 0.5)) + scaled((x[i].x, 2.0), (i as i32, 0.25)) + count.0 as f32;
        let order = x[i].x.total_cmp(&x[0].y);
        if order.is_lt() {
            numbers[i] += 1.0;
        }
        rows[i].copy_from_slice(&[7, 9]);
        rows[i][1..].copy_from_slice(&[1]);
    }
}

fn constants_are_operands(bench: &Bench) {
    let x: Vec<_> = (0..20u8).map(|i| Vector { x: f32::from(i) * 0.3, y: 1.0 - f32::from(i % 7) }).collect();
    let told: Vec<_> = (3..23).map(Told).collect();
    let (mut out, mut numbers, mut rows) = (vec![x[0]; 20], vec![0.0; 20], vec![[0; 2]; 20]);
    launch!(bench, constants(&x, &told, &mut out, &mut numbers, &mut rows), 1, 32);
    for i in 0..20 {
        let mut sum = &ORIGIN + &x[i];
        sum = &Vector::UNIT - &sum;
        sum += &(&x[i] + &Vector::UNIT);
        sum += &-&ORIGIN;
        assert_eq!(out[i], sum);
        let mut count = NONE + told[i];
        count += told[i] + NONE;
        count += NONE + !NONE;
        let mut number = scaled((1.0, 2.5), (3, 0.5)) + scaled((x[i].x, 2.0), (i as i32, 0.25)) + count.0 as f32;
        if x[i].x.total_cmp(&x[0].y).is_lt() {
            number += 1.0;
        }
        assert_eq!((numbers[i], rows[i]), (number, [7, 1]));
    }
}
