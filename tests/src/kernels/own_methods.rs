//! Methods of users' types that have the names of methods of numbers and options: `v.abs()`, `Dual::exp`, `v.map(…)`.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch, value_arguments};

cases![
    vectors_have_methods_of_numbers,
    dual_numbers_differentiate,
    generic_structs_have_them_too,
    functions_may_be_const,
    own_methods_take_closures,
    methods_are_called_on_parts_of_values,
    receivers_are_copied_before_the_arguments,
];

value_arguments![Vector];

type Real = f32;

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Vector {
    x: Real,
    y: f32,
}

#[gpu_device]
impl Vector {
    fn abs(self) -> Self {
        Self { x: self.x.abs(), y: self.y.abs() }
    }

    fn min(self, other: Self) -> Self {
        Self { x: self.x.min(other.x), y: self.y.min(other.y) }
    }

    fn floor(&self) -> Self {
        Self { x: self.x.floor(), y: self.y.floor() }
    }

    fn is_nan(&self) -> bool {
        self.x.is_nan() || self.y.is_nan()
    }

    fn powi(self, exponent: i32) -> Vector {
        Vector { x: self.x.powi(exponent), y: self.y }
    }
}

#[gpu_kernel(fmad = false)]
pub fn methods_of_vectors(vectors: &[Vector], limit: Vector, out: &mut [Vector]) {
    let i = grid_1d();
    if i < vectors.len() && i < out.len() {
        let v = vectors[i];
        out[i] = v.abs().min(limit).floor();
        if vectors[i].is_nan() {
            // Those of fields are methods of numbers.
            out[i].x = v.x.abs().min(7.0);
            out[i] = out[i].powi(2);
        }
    }
}

fn vectors_have_methods_of_numbers(bench: &Bench) {
    let vector = |x, y| Vector { x, y };
    let mut out = vec![vector(0.0, 0.0); 3];
    let vectors = vec![vector(-1.5, 9.25), vector(3.75, -0.5), vector(-3.0, f32::NAN)];
    launch!(bench, methods_of_vectors(&vectors, vector(2.5, 4.5), &mut out), 1, 32);
    assert_eq!(out, [vector(1.0, 4.0), vector(2.0, 0.0), vector(9.0, 4.0)]);
    assert_eq!(vector(-1.0, 2.0).abs(), vector(1.0, 2.0));
}

/// A value and its derivative.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Dual {
    value: f64,
    slope: f64,
}

#[gpu_device]
impl Dual {
    fn exp(self) -> Self {
        let value = self.value.exp();
        Self { value, slope: self.slope * value }
    }

    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        Self { value, slope: self.slope / (2.0 * value) }
    }

    /// The argument is no `Dual`.
    fn powf(self, exponent: f64) -> Self {
        Self { value: self.value.powf(exponent), slope: self.slope * exponent * self.value.powf(exponent - 1.0) }
    }

    fn max(self, other: Self) -> Self {
        if other.value > self.value { other } else { self }
    }
}

#[gpu_device]
fn slope_of(x: f64, exponent: f64) -> Dual {
    let x = Dual { value: x, slope: 1.0 };
    x.sqrt().powf(4.0).max(x.powf(exponent).sqrt())
}

#[gpu_kernel(fmad = false)]
pub fn derivatives(x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let value: Dual = slope_of(x[i], 6.0);
        let exponential: Dual = value.exp().sqrt();
        out[i] = value.slope;
        if exponential.value < 1.0 {
            out[i] = -1.0;
        }
    }
}

fn dual_numbers_differentiate(bench: &Bench) {
    let mut out = vec![0.0; 2];
    launch!(bench, derivatives(&vec![0.25, 4.0], &mut out), 1, 32);
    // Of x² below 1, and of x³ above it.
    assert_eq!(out, [0.5, 48.0]);
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Pair<T> {
    a: T,
    b: T,
}

#[gpu_device]
impl<T: Signed> Pair<T> {
    fn abs(self) -> Self {
        Pair::<T> { a: self.a.abs(), b: self.b.abs() }
    }
}

#[gpu_kernel]
pub fn absolute_pairs(pairs: &mut [Pair<i32>], floats: &mut [Pair<f32>]) {
    let i = grid_1d();
    if i < pairs.len() && i < floats.len() {
        pairs[i] = pairs[i].abs();
        floats[i] = floats[i].abs();
    }
}

fn generic_structs_have_them_too(bench: &Bench) {
    let (mut pairs, mut floats) = (vec![Pair { a: -3, b: 4 }], vec![Pair { a: 1.5, b: -0.5 }]);
    launch!(bench, absolute_pairs(&mut pairs, &mut floats), 1, 32);
    assert_eq!(pairs, [Pair { a: 3, b: 4 }]);
    assert_eq!(floats, [Pair { a: 1.5, b: 0.5 }]);
}

#[gpu_device]
impl Vector {
    const fn new(x: f32, y: f32) -> Self {
        Self { x, y }
    }
}

#[gpu_device]
const fn doubled(n: u32) -> u32 {
    n * 2
}

const UNIT: Vector = Vector::new(1.0, 2.0);
const EIGHT: u32 = doubled(4);

/// Functions that constants call too.
#[gpu_kernel]
pub fn calls_const_functions(out: &mut [Vector], ints: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < ints.len() {
        out[i] = Vector::new(UNIT.y, i as f32);
        ints[i] = doubled(EIGHT + i as u32);
    }
}

fn functions_may_be_const(bench: &Bench) {
    let (mut out, mut ints) = (vec![Vector { x: 0.0, y: 0.0 }; 2], vec![0; 2]);
    launch!(bench, calls_const_functions(&mut out, &mut ints), 1, 32);
    assert_eq!(out, [Vector::new(2.0, 0.0), Vector::new(2.0, 1.0)]);
    assert_eq!(ints, [16, 18]);
}

#[gpu_device]
impl Vector {
    const fn both(x: f32) -> Self {
        Self { x, y: x }
    }

    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        Self { x: f(self.x), y: f(self.y) }
    }

    fn filter(self, holds: impl Fn(f32) -> bool) -> f32 {
        if holds(self.x) { self.x } else { self.y }
    }

    fn doubled(self) -> Self {
        self.map(|v: f32| v * 2.0)
    }
}

/// Beside the methods of options of the same names.
#[gpu_kernel(fmad = false)]
pub fn mapped(vectors: &[Vector], out: &mut [f32]) {
    let i = grid_1d();
    if i < vectors.len() && i < out.len() {
        let v = vectors[i];
        let both = Vector::both(3.0);
        let first = vectors.first().map(|v| v.x);
        let sum = vectors[i].map(|x: f32| x + 1.0).y + Vector { x: 1.0, y: 2.0 }.map(|x: f32| x * v.x).x;
        let chosen = v.doubled().filter(|x: f32| x > 2.0) + both.map(|x: f32| x - v.y).x;
        out[i] = sum * 100.0 + chosen + first.map(|x| x * 0.5).filter(|x| *x > 0.0).unwrap_or(0.25);
    }
}

fn own_methods_take_closures(bench: &Bench) {
    let vectors: Vec<Vector> = (0..5).map(|i| Vector { x: i as f32 - 1.5, y: 4.0 - i as f32 }).collect();
    let mut out = vec![0.0; 5];
    launch!(bench, mapped(&vectors, &mut out), 1, 32);
    let expected = vectors.iter().map(|v| {
        let chosen = if v.x * 2.0 > 2.0 { v.x * 2.0 } else { v.y * 2.0 };
        (v.y + 1.0 + v.x) * 100.0 + (chosen + (3.0 - v.y)) + 0.25
    });
    assert_eq!(out, expected.collect::<Vec<f32>>());
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub enum Form {
    Disc(Vector),
    Box { low: Vector, high: Vector },
    Nothing,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Scene {
    corners: [Vector; 2],
}

#[gpu_device]
impl Vector {
    fn area(&self) -> f32 {
        self.x * self.y
    }

    fn grow(&mut self, by: f32) {
        self.x += by;
        self.y -= by;
    }

    fn positive(&self) -> Option<Vector> {
        if self.x > 0.0 { Some(*self) } else { None }
    }
}

#[gpu_device]
fn larger(v: Vector, least: f32) -> Option<Vector> {
    if v.x > least { Some(v) } else { None }
}

#[gpu_device]
fn smaller(v: Vector, most: f32) -> Result<Vector, u32> {
    if v.x < most { Ok(v) } else { Err(3) }
}

/// Of variants, of what is in options and results that device functions return, and of elements of arrays in fields.
#[gpu_kernel(fmad = false)]
pub fn methods_of_parts(forms: &[Form], vectors: &[Vector], out: &mut [f32]) {
    let i = grid_1d();
    if i < forms.len() && i < vectors.len() && i < out.len() {
        let v = vectors[i];
        let mut sum = match forms[i] {
            Form::Disc(v) => v.area() + Vector::area(&v),
            Form::Box { low, mut high } => {
                high.grow(2.0);
                low.area() * 10.0 + high.area()
            }
            Form::Nothing => 0.5,
        };
        if let Some(found) = larger(v, 0.0) {
            sum += found.area() + found.doubled().x;
        }
        if let Ok(mut found) = smaller(v, 1.0) {
            found.grow(1.0);
            sum += found.area() * 100.0;
        }
        let found = larger(v, -1.0);
        if let Some(found) = found {
            sum -= found.area();
            if let Some(again) = found.positive() {
                sum += again.area() * 7.0;
            }
        }
        let mut scene = Scene { corners: [v, v.doubled()] };
        scene.corners[1].grow(3.0);
        sum += scene.corners[1].area() - scene.corners[0].area();
        out[i] = sum;
    }
}

fn methods_are_called_on_parts_of_values(bench: &Bench) {
    let vector = |x, y| Vector { x, y };
    let forms = [Form::Disc(vector(2.0, 3.0)), Form::Box { low: vector(1.0, 2.0), high: vector(4.0, 8.0) }, Form::Nothing].repeat(2);
    let vectors: Vec<Vector> = (0..6).map(|i| vector(i as f32 * 0.5 - 1.25, 2.0 - i as f32)).collect();
    let mut out = vec![0.0; 6];
    bench.launch::<methods_of_parts::Kernel>((&forms, &vectors, &mut out), 1, 32);
    let area = |v: Vector| v.x * v.y;
    let grown = |v: Vector, by: f32| vector(v.x + by, v.y - by);
    let expected = forms.iter().zip(&vectors).map(|(form, &v)| {
        let mut sum = match *form {
            Form::Disc(v) => area(v) + area(v),
            Form::Box { low, high } => area(low) * 10.0 + area(grown(high, 2.0)),
            Form::Nothing => 0.5,
        };
        if v.x > 0.0 {
            sum += area(v) + v.x * 2.0;
        }
        if v.x < 1.0 {
            sum += area(grown(v, 1.0)) * 100.0;
        }
        if v.x > -1.0 {
            sum -= area(v);
            if v.x > 0.0 {
                sum += area(v) * 7.0;
            }
        }
        sum + (area(grown(vector(v.x * 2.0, v.y * 2.0), 3.0)) - area(v))
    });
    assert_eq!(out, expected.collect::<Vec<f32>>());
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Counter {
    count: u32,
}

#[gpu_device]
impl Counter {
    fn step(&mut self) -> u32 {
        self.count += 1;
        self.count
    }

    fn get(&self) -> u32 {
        self.count
    }

    fn add(&mut self, count: u32) -> u32 {
        self.count += count;
        self.count
    }

    fn joined(self, other: u32) -> u32 {
        self.count * 10 + other
    }

    fn joined_with_step(&mut self) -> u32 {
        self.joined(self.step())
    }
}

#[gpu_device]
fn step_of(counter: &mut Counter) -> u32 {
    counter.count += 1;
    counter.count
}

#[gpu_kernel(block = 32)]
pub fn receivers_that_arguments_change(counters: &mut [Counter], out: &mut [[u32; 11]]) {
    let mut of_block = shared::<[Counter; 32]>();
    let (i, t) = (grid_1d(), thread_idx().x);
    if i < counters.len() && i < out.len() {
        let first = counters[i].get();
        let mut own = Counter { count: first };
        let variable = own.joined(own.step());
        let by_reference = own.joined(step_of(&mut own));
        let shared = &own;
        let of_reference = shared.joined(own.step());
        let mut pair = [own, Counter { count: 0 }];
        let of_element = pair[0].joined(pair[0].step());
        let of_array = counters[i].joined(counters[i].step());
        let lent = counters[i].joined(step_of(&mut counters[i]));
        of_block[t] = Counter { count: first };
        let of_shared = of_block[t].joined(of_block[t].step());
        // Those that are lent change themselves, after the argument.
        let doubled = [pair[0].add(pair[0].get()), counters[i].add(counters[i].get())];
        // Another element has a name meanwhile.
        let mut named = [Counter { count: 3 }; 2];
        named[0].add(1);
        let other = &named[1];
        let beside = named[0].joined(named[0].get()) + other.get();
        out[i] = [
            variable,
            by_reference,
            of_reference,
            of_element,
            of_array,
            lent,
            of_shared,
            doubled[0],
            doubled[1],
            own.joined_with_step(),
            beside,
        ];
    }
}

fn receivers_are_copied_before_the_arguments(bench: &Bench) {
    let mut counters: Vec<Counter> = (0..40).map(|i| Counter { count: i % 7 }).collect();
    let mut expected_counters = counters.clone();
    let mut out = vec![[0; 11]; 40];
    launch!(bench, receivers_that_arguments_change(&mut counters, &mut out), 2, 32);
    let joined = |count: u32| count * 10 + count + 1;
    let expected = expected_counters.iter_mut().map(|counter| {
        let n = counter.count;
        counter.count = 2 * (n + 2);
        let alone = [joined(n), joined(n + 1), joined(n + 2), joined(n + 3), joined(n), joined(n + 1), joined(n)];
        [&alone[..], &[2 * (n + 4), 2 * (n + 2), joined(n + 3), 47]].concat()
    });
    let expected: Vec<Vec<u32>> = expected.collect();
    assert_eq!(expected, out);
    assert_eq!(counters, expected_counters);
    // As in plain Rust.
    let mut counter = Counter { count: 1 };
    assert_eq!((counter.joined(counter.step()), counter.joined(counter.step())), (12, 23));
}
