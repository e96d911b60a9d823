//! Functions as parameters of methods, and functions that take references.

use gpu_runtime::FailureCause::DivisionByZero;
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure};
use crate::{cases, launch, try_launch};

cases![
    methods_take_functions,
    functions_take_references,
    functions_of_methods_change_variables,
    failures_in_passed_functions_are_reported,
    functions_are_in_variables
];

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Vector {
    x: f32,
    y: f32,
}

/// Methods by value, by reference, of a path, and with several functions.
#[gpu_device]
impl Vector {
    fn apply(self, f: impl Fn(f32) -> f32) -> Self {
        Vector { x: f(self.x), y: f(self.y) }
    }

    fn mix(&self, other: &Vector, f: impl Fn(f32, f32) -> f32, g: impl Fn(f32) -> f32) -> f32 {
        g(f(self.x, other.x)) + g(f(self.y, other.y))
    }

    fn change(&mut self, by: f32, f: impl Fn(f32) -> f32) {
        self.x = f(self.x * by);
        *self = self.apply(|value: f32| f(value) + by);
    }

    fn measured(&self, f: impl Fn(&Vector) -> f32) -> f32 {
        f(self) + sideways(self, &Vector { x: 1.0, y: 0.0 })
    }

    fn made(n: usize, f: impl Fn(usize) -> f32) -> Vector {
        Vector { x: f(n), y: f(n + 1) }
    }

    fn distance(&self, to: &Vector) -> f32 {
        ((self.x - to.x) * (self.x - to.x) + (self.y - to.y) * (self.y - to.y)).sqrt()
    }
}

/// A trait's methods take functions too, those with a body and those without.
#[gpu_device]
pub trait Measured: Copy {
    fn measure(self, f: impl Fn(f32) -> f32) -> f32;

    fn twice(self, f: impl Fn(f32) -> f32) -> f32 {
        self.measure(|x: f32| f(f(x)))
    }
}

#[gpu_device]
impl Measured for Vector {
    fn measure(self, f: impl Fn(f32) -> f32) -> f32 {
        f(self.x) - f(self.y)
    }
}

#[gpu_device]
impl Measured for f32 {
    fn measure(self, f: impl Fn(f32) -> f32) -> f32 {
        f(self) + self
    }
}

#[gpu_device]
fn halved(x: f32) -> f32 {
    x * 0.5
}

#[gpu_kernel(fmad = false)]
pub fn map_vectors(x: &[Vector], scale: f32, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let shift = x[0].y;
        let mut v = x[i].apply(|value: f32| value * scale + shift).apply(halved);
        let sum = v.mix(&x[i], |a: f32, b: f32| a * b, halved);
        v.change(sum, |value: f32| value - 0.25);
        let made = Vector::made(i, |n: usize| x[n % x.len()].x);
        let measured = v.measure(halved) + v.twice(|value: f32| value * scale) + sum.twice(halved);
        out[i] = v.mix(&made, |a: f32, b: f32| a - b, |c: f32| c) + measured;
    }
}

fn vectors() -> Vec<Vector> {
    (0..40u8).map(|i| Vector { x: f32::from(i) * 0.3, y: 1.0 - f32::from(i % 7) }).collect()
}

fn methods_take_functions(bench: &Bench) {
    let (x, scale) = (vectors(), 0.7);
    let mut out = vec![0.0; 40];
    launch!(bench, map_vectors(&x, scale, &mut out), 2, 32);
    let expected = (0..40).map(|i| {
        let mut v = x[i].apply(|value| value * scale + x[0].y).apply(halved);
        let sum = v.mix(&x[i], |a, b| a * b, halved);
        v.change(sum, |value| value - 0.25);
        let made = Vector::made(i, |n| x[n % 40].x);
        let measured = v.measure(halved) + v.twice(|value| value * scale) + sum.twice(halved);
        v.mix(&made, |a, b| a - b, |c| c) + measured
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[gpu_device]
fn nearest(x: &[Vector], at: usize, distance: impl Fn(&Vector, &Vector) -> f32) -> usize {
    let mut best = (at + 1) % x.len();
    for (k, other) in x.iter().enumerate() {
        if k != at && distance(other, &x[at]) < distance(&x[best], &x[at]) {
            best = k;
        }
    }
    best
}

#[gpu_device]
fn sum_of<F: Fn(&Vector) -> f32>(x: &[Vector], f: F) -> f32 {
    x.iter().map(|v| f(v)).sum()
}

#[gpu_device]
fn sideways(a: &Vector, b: &Vector) -> f32 {
    (a.x - b.x).abs()
}

#[gpu_kernel(fmad = false)]
pub fn search(x: &[Vector], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        let own = x[i];
        let dot = |v: &Vector, w: &Vector| v.x * w.x + v.y * w.y;
        let steep = |v: &Vector| v.y - v.x * 0.1;
        let a = nearest(x, i, |a: &Vector, b: &Vector| a.distance(b));
        let b = nearest(x, i, sideways);
        let c = nearest(x, i, |a: &Vector, b: &Vector| -dot(a, b));
        out[i] = (a * 10_000 + b * 100 + c) as f32
            + steep(&own)
            + steep(&x[a])
            + dot(&own, &Vector { x: 0.5, y: 0.25 })
            + sum_of(x, steep)
            + own.measured(steep);
    }
}

fn functions_take_references(bench: &Bench) {
    let x = vectors();
    let mut out = vec![0.0; 40];
    launch!(bench, search(&x, &mut out), 2, 32);
    let dot = |v: &Vector, w: &Vector| v.x * w.x + v.y * w.y;
    let steep = |v: &Vector| v.y - v.x * 0.1;
    let expected = (0..40).map(|i| {
        let a = nearest(&x, i, Vector::distance);
        let (b, c) = (nearest(&x, i, sideways), nearest(&x, i, |a, b| -dot(a, b)));
        (a * 10_000 + b * 100 + c) as f32
            + steep(&x[i])
            + steep(&x[a])
            + dot(&x[i], &Vector { x: 0.5, y: 0.25 })
            + sum_of(&x, steep)
            + x[i].measured(steep)
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Steps {
    first: u32,
    count: u32,
}

#[gpu_device]
impl Steps {
    fn each(self, mut f: impl FnMut(u32)) {
        for k in 0..self.count {
            f(self.first + k);
        }
    }

    fn each_pair(&self, mut f: impl FnMut(&Steps, u32) -> bool) -> u32 {
        let mut used = 0;
        for k in 0..self.count {
            if f(&Steps { first: k, count: self.first }, used) {
                used += 1;
            }
        }
        used
    }
}

#[gpu_kernel(fmad = false)]
pub fn walk(steps: &[Steps], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < steps.len() {
        let (mut sum, mut last) = (0, 7);
        steps[i].each(|k: u32| {
            sum += k * last;
            last = k;
        });
        let used = steps[i].each_pair(|pair: &Steps, used: u32| {
            sum += pair.first + used;
            pair.first % 2 == pair.count % 2
        });
        out[i] = sum * 100 + last * 10 + used;
    }
}

fn functions_of_methods_change_variables(bench: &Bench) {
    let steps: Vec<_> = (0..20).map(|i| Steps { first: i, count: 3 + i % 4 }).collect();
    let mut out = vec![0; 20];
    launch!(bench, walk(&steps, &mut out), 1, 32);
    let expected = steps.iter().map(|steps| {
        let (mut sum, mut last) = (0, 7);
        steps.each(|k| {
            sum += k * last;
            last = k;
        });
        let used = steps.each_pair(|pair, used| {
            sum += pair.first + used;
            pair.first % 2 == pair.count % 2
        });
        sum * 100 + last * 10 + used
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[gpu_kernel(fmad = false)]
pub fn divide(steps: &[Steps], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < steps.len() {
        let mut sum = 0;
        steps[i].each(|k: u32| {
            sum += 100 / k;
        });
        out[i] = sum;
    }
}

const LINE_OF_DIVISION: u32 = line!() - 6;

fn failures_in_passed_functions_are_reported(bench: &Bench) {
    let steps = vec![Steps { first: 1, count: 3 }, Steps { first: 0, count: 3 }];
    let mut out = vec![0; 2];
    let failed = try_launch!(bench, divide(&steps, &mut out), 1, 32);
    let line = LINE_OF_DIVISION;
    assert_eq!(failed, Err(Failure { kernel: "divide".into(), line, cause: DivisionByZero, block: [0; 3], thread: [1, 0, 0] }));
    assert_eq!(out, [183, 0]);
}

#[gpu_device]
fn doubled(x: f32) -> f32 {
    x * 2.0
}

/// A name with a capital.
#[allow(non_snake_case)]
#[gpu_device]
fn Shifted(x: f32) -> f32 {
    x + 100.0
}

#[gpu_device]
fn applied(x: f32, f: impl Fn(f32) -> f32) -> f32 {
    f(f(x))
}

const IS_HALVED: bool = true;

/// `let f = function;`, chosen by a constant, a number and nothing, passed on, hidden and in a closure.
#[gpu_kernel(fmad = false)]
pub fn in_variables(x: &[f32], which: u32, out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let f = doubled;
        let g = f;
        let constant = if IS_HALVED { halved } else { doubled };
        let chosen: fn(f32) -> f32 = match which {
            0 => halved,
            1 => Shifted,
            2 if x[i] > 1.0 => doubled,
            _ => f32::sqrt,
        };
        let largest = f32::max;
        let mut sum = f(x[i]) + applied(x[i], g) + constant(x[i]) + Shifted(x[i]) + applied(x[i], Shifted);
        let twice = |x: f32| chosen(chosen(x));
        sum += twice(largest(x[i], 0.25));
        {
            let f = 3.0f32;
            let chosen = halved;
            sum += f * chosen(8.0);
        }
        out[i] = sum + f(chosen(4.0));
    }
}

fn functions_are_in_variables(bench: &Bench) {
    let x = vec![0.0, 0.5, 2.0, 7.0];
    for which in 0..4 {
        let mut out = vec![0.0; 4];
        launch!(bench, in_variables(&x, which, &mut out), 1, 32);
        let expected = x.iter().map(|&x: &f32| {
            let chosen = |value: f32| match which {
                0 => value * 0.5,
                1 => value + 100.0,
                2 if x > 1.0 => value * 2.0,
                _ => value.sqrt(),
            };
            let sum = x * 2.0 + x * 4.0 + x * 0.5 + (x + 100.0) + (x + 200.0);
            (sum + chosen(chosen(x.max(0.25))) + 3.0 * 4.0) + chosen(4.0) * 2.0
        });
        assert_eq!(out, expected.collect::<Vec<f32>>(), "{which}");
    }
}
