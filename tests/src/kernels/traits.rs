//! Traits with device functions: kernels over whatever implements them.

use std::f64::consts::PI;

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same, assert_ulps};
use crate::{cases, value_arguments};

cases![
    shapes_of_every_type_are_measured,
    integrals_of_every_integrand_are_taken,
    monoids_reduce_in_shared_memory,
    rays_meet_shapes,
    numbers_have_traits_of_the_user,
    functions_are_called_in_every_spelling,
    markers_choose_an_operation,
    functions_of_one_name_are_told_apart,
    values_of_any_device_type_are_moved,
];

/// A plane figure.
#[gpu_device]
pub trait Shape {
    /// How many sides it has.
    const SIDES: u32;

    fn area(self) -> f32;

    fn scaled(&self, by: f32) -> Self;

    /// Its area, and that of its double, for each side.
    fn describe(self, weight: f32) -> f32 {
        let sides = Self::SIDES as f32 + 1.0;
        (self.area() + self.scaled(2.0).area() * weight) * sides
    }
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Circle {
    radius: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Rectangle {
    width: f32,
    height: f32,
}

value_arguments![Circle, Rectangle];

#[gpu_device]
impl Shape for Circle {
    const SIDES: u32 = 0;

    fn area(self) -> f32 {
        3.0 * self.radius * self.radius
    }

    fn scaled(&self, by: f32) -> Self {
        Self { radius: self.radius * by }
    }
}

#[gpu_device]
impl Shape for Rectangle {
    const SIDES: u32 = 4;

    fn area(self) -> f32 {
        self.width * self.height
    }

    fn scaled(&self, by: f32) -> Rectangle {
        Rectangle { width: self.width * by, height: self.height * by }
    }

    fn describe(mut self, weight: f32) -> f32 {
        self.width += weight;
        self.area()
    }
}

#[gpu_device]
fn total<S: Shape>(shape: S, others: &[S]) -> f32 {
    let mut sum = shape.area();
    for i in 0..others.len() {
        sum += others[i].area() * 0.5;
    }
    sum
}

#[gpu_kernel(fmad = false)]
pub fn measure<S>(shapes: &[S], unit: S, scaled: &mut [S], out: &mut [f32])
where
    S: Shape + DeviceType,
{
    let i = grid_1d();
    if i < out.len() && i < shapes.len() && i < scaled.len() {
        let shape = shapes[i];
        scaled[i] = shape.scaled(0.5);
        out[i] = total(shape, shapes) + shape.describe(0.25) + unit.area() + S::SIDES as f32;
    }
}

fn shapes_of_every_type_are_measured(bench: &Bench) {
    let circles: Vec<Circle> = (0..5).map(|i| Circle { radius: i as f32 * 0.5 + 0.1 }).collect();
    let (mut scaled, mut out) = (circles.clone(), vec![0.0; 5]);
    bench.launch::<measure::Kernel<Circle>>((&circles, Circle { radius: 2.0 }, &mut scaled, &mut out), 1, 8);
    let area = |c: &Circle| 3.0 * c.radius * c.radius;
    let expected: Vec<f32> = circles
        .iter()
        .map(|c| {
            let total = circles.iter().fold(area(c), |sum, other| sum + area(other) * 0.5);
            total + (area(c) + area(&Circle { radius: c.radius * 2.0 }) * 0.25) * 1.0 + 12.0 + 0.0
        })
        .collect();
    assert_same(&out, &expected);
    assert_eq!(scaled, circles.iter().map(|c| Circle { radius: c.radius * 0.5 }).collect::<Vec<_>>());

    let rectangles = vec![Rectangle { width: 1.0, height: 2.0 }, Rectangle { width: 0.3, height: 7.0 }];
    let (mut scaled, mut out) = (rectangles.clone(), vec![0.0; 2]);
    bench.launch::<measure::Kernel<Rectangle>>((&rectangles, Rectangle { width: 1.0, height: 1.0 }, &mut scaled, &mut out), 1, 8);
    let area = |r: &Rectangle| r.width * r.height;
    let expected: Vec<f32> = rectangles
        .iter()
        .map(|r| rectangles.iter().fold(area(r), |sum, other| sum + area(other) * 0.5) + (r.width + 0.25) * r.height + 1.0 + 4.0)
        .collect();
    assert_same(&out, &expected);
}

/// A function of one variable, with its parameters.
#[gpu_device]
pub trait Integrand: Copy {
    fn at(self, x: f64) -> f64;
}

#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Reciprocal {
    scale: f64,
}

#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Wave {
    frequency: f64,
    phase: f64,
}

value_arguments![Reciprocal, Wave];

#[gpu_device]
impl Integrand for Reciprocal {
    fn at(self, x: f64) -> f64 {
        self.scale / x
    }
}

#[gpu_device]
impl Integrand for Wave {
    fn at(self, x: f64) -> f64 {
        (self.frequency * x + self.phase).sin()
    }
}

/// Midpoint rule: each thread adds up its share.
#[gpu_kernel]
pub fn integrate<F: Integrand>(function: F, from: f64, to: f64, steps: usize, sums: &mut [f64]) {
    let i = grid_1d();
    if i < sums.len() {
        let width = (to - from) / steps as f64;
        let mut sum = 0.0;
        for step in (i..steps).step_by(sums.len()) {
            sum += function.at(from + width * (step as f64 + 0.5));
        }
        sums[i] = sum * width;
    }
}

fn integrals_of_every_integrand_are_taken(bench: &Bench) {
    let mut sums = vec![0.0; 32];
    bench.launch::<integrate::Kernel<Reciprocal>>((Reciprocal { scale: 2.0 }, 1.0, 2.0, 4096, &mut sums), 1, 32);
    assert!((sums.iter().sum::<f64>() - 2.0 * 2.0f64.ln()).abs() < 1e-8);
    bench.launch::<integrate::Kernel<Wave>>((Wave { frequency: 2.0, phase: 0.5 }, 0.0, PI, 4096, &mut sums), 1, 32);
    assert!(sums.iter().sum::<f64>().abs() < 1e-9);
    bench.launch::<integrate::Kernel<Wave>>((Wave { frequency: 1.0, phase: 0.0 }, 0.0, PI, 4096, &mut sums), 1, 32);
    assert!((sums.iter().sum::<f64>() - 2.0).abs() < 1e-6);
}

/// What an array can be folded with, in any grouping.
#[gpu_device]
pub trait Monoid: DeviceType {
    fn neutral() -> Self;
    fn combine(self, other: Self) -> Self;
}

/// The largest value, and the first place of it.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Largest {
    value: i32,
    at: u32,
}

/// The function `x ↦ factor · x + offset`, modulo 2³².
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Affine {
    factor: u32,
    offset: u32,
}

#[gpu_device]
impl Monoid for Largest {
    fn neutral() -> Self {
        Largest { value: i32::MIN, at: u32::MAX }
    }

    fn combine(self, other: Self) -> Self {
        let other_is_first = other.value == self.value && other.at < self.at;
        if other.value > self.value || other_is_first { other } else { self }
    }
}

#[gpu_device]
impl Monoid for Affine {
    fn neutral() -> Self {
        Self { factor: 1, offset: 0 }
    }

    /// First `self`, then `other`.
    fn combine(self, other: Self) -> Self {
        Self { factor: self.factor * other.factor, offset: self.offset * other.factor + other.offset }
    }
}

#[gpu_device]
impl Monoid for u64 {
    fn neutral() -> Self {
        1
    }

    fn combine(self, other: Self) -> u64 {
        self * other
    }
}

#[gpu_kernel(block = 64)]
pub fn fold<M: Monoid>(x: &[M], out: &mut [M]) {
    let mut tile = shared::<[M; 64]>();
    let (t, i) = (thread_idx().x, grid_1d());
    tile[t] = if i < x.len() { x[i] } else { M::neutral() };
    sync_threads();
    let mut stride = 1;
    while stride < 64 {
        if t % (2 * stride) == 0 {
            tile[t] = tile[t].combine(tile[t + stride]);
        }
        sync_threads();
        stride *= 2;
    }
    if t == 0 {
        out[block_idx().x] = tile[0];
    }
}

fn monoids_reduce_in_shared_memory(bench: &Bench) {
    let value = |i: u32| (i.wrapping_mul(2_654_435_761) >> 20) as i32 - 2000;
    let largest: Vec<Largest> = (0..150).map(|at| Largest { value: value(at) / 100, at }).collect();
    let mut out = largest[..3].to_vec();
    bench.launch::<fold::Kernel<Largest>>((&largest, &mut out), 3, 64);
    let first_largest = |part: &[Largest]| *part.iter().rev().max_by_key(|l| l.value).expect("a part has elements");
    assert_eq!(out, largest.chunks(64).map(first_largest).collect::<Vec<_>>());

    let functions: Vec<Affine> = (0..100).map(|i| Affine { factor: i * 2 + 1, offset: i }).collect();
    let mut out = functions[..2].to_vec();
    bench.launch::<fold::Kernel<Affine>>((&functions, &mut out), 2, 64);
    for (composed, part) in out.iter().zip(functions.chunks(64)) {
        let at = |x: u32| part.iter().fold(x, |x, f| f.factor.wrapping_mul(x).wrapping_add(f.offset));
        assert_eq!((composed.offset, composed.factor.wrapping_mul(7).wrapping_add(composed.offset)), (at(0), at(7)));
    }

    let odd: Vec<u64> = (0..70).map(|i| i * 2 + 1).collect();
    let mut out = vec![0; 2];
    bench.launch::<fold::Kernel<u64>>((&odd, &mut out), 2, 64);
    assert_eq!(out, odd.chunks(64).map(|part| part.iter().fold(1u64, |a, b| a.wrapping_mul(*b))).collect::<Vec<_>>());
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Vector {
    x: f32,
    y: f32,
    z: f32,
}

#[gpu_device]
impl Vector {
    fn dot(self, other: Vector) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn minus(self, other: Vector) -> Vector {
        Vector { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Ray {
    from: Vector,
    towards: Vector,
}

/// What a ray can hit.
#[gpu_device]
pub trait Solid {
    /// How far along the ray it is hit; infinite where it is not.
    fn hit(&self, ray: Ray) -> f32;
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Sphere {
    centre: Vector,
    radius: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Ground {
    height: f32,
}

#[gpu_device]
impl Solid for Sphere {
    fn hit(&self, ray: Ray) -> f32 {
        let to_centre = self.centre.minus(ray.from);
        let along = to_centre.dot(ray.towards);
        let squared = to_centre.dot(to_centre) - along * along;
        let depth = self.radius * self.radius - squared;
        if depth < 0.0 || along < 0.0 {
            return f32::INFINITY;
        }
        along - depth.sqrt()
    }
}

#[gpu_device]
impl Solid for Ground {
    fn hit(&self, ray: Ray) -> f32 {
        let time = (self.height - ray.from.y) / ray.towards.y;
        if time > 0.0 { time } else { f32::INFINITY }
    }
}

#[gpu_device]
fn nearest<S: Solid>(solids: &[S], ray: Ray) -> f32 {
    let mut nearest = f32::INFINITY;
    for i in 0..solids.len() {
        nearest = nearest.min(solids[i].hit(ray));
    }
    nearest
}

#[gpu_kernel(fmad = false)]
pub fn trace<S: Solid>(solids: &[S], rays: &[Ray], ground: &[Ground], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = nearest(solids, rays[i]).min(nearest(ground, rays[i]));
    }
}

fn rays_meet_shapes(bench: &Bench) {
    let ray = |x: f32, y: f32| {
        let towards = Vector { x: x - 2.0, y: y - 2.0, z: 3.0 };
        let length = (towards.x * towards.x + towards.y * towards.y + towards.z * towards.z).sqrt();
        Ray {
            from: Vector { x: 0.0, y: 0.5, z: 0.0 },
            towards: Vector { x: towards.x / length, y: towards.y / length, z: towards.z / length },
        }
    };
    let rays: Vec<Ray> = (0..25).map(|i| ray((i % 5) as f32, (i / 5) as f32)).collect();
    let sphere = |x: f32, y: f32, radius: f32| Sphere { centre: Vector { x, y, z: 6.0 }, radius };
    let (spheres, ground) = (vec![sphere(0.0, 0.5, 1.0), sphere(2.0, 3.0, 1.5)], vec![Ground { height: -1.0 }]);
    let mut out = vec![0.0; 25];
    bench.launch::<trace::Kernel<Sphere>>((&spheres, &rays, &ground, &mut out), 1, 32);
    assert_eq!(out[12], 5.0, "straight ahead is the first sphere");
    for (distance, ray) in out.iter().zip(&rays) {
        let at = |axis: fn(&Vector) -> f32| f64::from(axis(&ray.from)) + f64::from(*distance) * f64::from(axis(&ray.towards));
        if distance.is_infinite() {
            continue;
        }
        let (x, y, z) = (at(|v| v.x), at(|v| v.y), at(|v| v.z));
        let on_sphere = spheres.iter().any(|s| {
            let square = |a: f64, b: f32| (a - f64::from(b)).powi(2);
            let squared = square(x, s.centre.x) + square(y, s.centre.y) + square(z, s.centre.z);
            (squared.sqrt() - f64::from(s.radius)).abs() < 1e-4
        });
        assert!(on_sphere || (y + 1.0).abs() < 1e-4, "({x}, {y}, {z}) is on nothing");
    }
    assert!(out.iter().any(|distance| distance.is_infinite()) && out.iter().filter(|distance| distance.is_finite()).count() > 5);

    let mut low = vec![0.0; 25];
    bench.launch::<trace::Kernel<Ground>>((&vec![Ground { height: 4.0 }], &rays, &ground, &mut low), 1, 32);
    for (distance, ray) in low.iter().zip(&rays) {
        let expected = match ray.towards.y {
            up if up > 0.0 => 3.5 / up,
            down if down < 0.0 => -1.5 / down,
            _ => f32::INFINITY,
        };
        assert_ulps("distance", &[*distance], &[expected], 1);
    }
}

/// A trait of numbers, beside those of the runtime.
#[gpu_device]
trait Halved: Num {
    fn halved(self) -> Self;

    fn quartered(self) -> Self {
        self.halved().halved()
    }
}

#[gpu_device]
impl Halved for f32 {
    fn halved(self) -> f32 {
        self * 0.5
    }
}

#[gpu_device]
impl Halved for i64 {
    fn halved(self) -> Self {
        self / 2
    }

    fn quartered(self) -> Self {
        self >> 2
    }
}

#[gpu_kernel]
#[expect(private_bounds, reason = "the tests alone launch it")]
pub fn quarter<T: Num + Halved>(x: &[T], out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].quartered().max(T::ONE) + x[i].halved() * T::from_i32(3);
    }
}

#[gpu_kernel]
pub fn halve(x: &[f32], n: i64, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].quartered() + f32::halved(3.0) + n.halved() as f32 + i64::quartered(-1) as f32;
    }
}

fn numbers_have_traits_of_the_user(bench: &Bench) {
    let mut out = vec![0.0; 3];
    bench.launch::<quarter::Kernel<f32>>((&vec![2.0, 10.0, -4.0], &mut out), 1, 4);
    assert_eq!(out, [1.0 + 3.0, 2.5 + 15.0, 1.0 - 6.0]);
    let mut out = vec![0; 3];
    bench.launch::<quarter::Kernel<i64>>((&vec![-5, 10, 31], &mut out), 1, 4);
    assert_eq!(out, [1 - 6, 2 + 15, 7 + 45]);
    let mut out = vec![0.0; 2];
    bench.launch::<halve::Kernel>((&vec![8.0, -6.0], -7, &mut out), 1, 4);
    assert_eq!(out, [2.0 + 1.5 - 3.0 - 1.0, -1.5 + 1.5 - 3.0 - 1.0]);
}

#[gpu_device]
fn every_spelling<S: Shape>(s: S, shapes: &[S]) -> f32 {
    let method = s.area() + s.scaled(2.0).area();
    let of_parameter = S::area(s) + S::scaled(&s, 3.0).area();
    let of_trait = Shape::area(s) + Shape::area(Shape::scaled(&s, 0.5));
    let qualified = <S as Shape>::area(s) + <S as Shape>::scaled(&shapes[0], 0.25).area() + S::SIDES as f32;
    method + of_parameter * 2.0 + of_trait * 4.0 + qualified * 8.0
}

#[gpu_kernel(fmad = false)]
pub fn spell(circles: &[Circle], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let circle = circles[i];
        let concrete = circle.area() + Circle::area(circle) + Shape::area(circle) + Shape::scaled(&circle, 2.0).radius;
        out[i] = every_spelling(circles[i], circles) + concrete + Circle::SIDES as f32 + every_spelling::<Circle>(circle, circles);
    }
}

fn functions_are_called_in_every_spelling(bench: &Bench) {
    let circles = vec![Circle { radius: 1.5 }, Circle { radius: 4.0 }];
    let mut out = vec![0.0; 2];
    bench.launch::<spell::Kernel>((&circles, &mut out), 1, 2);
    let area = |radius: f32| 3.0 * radius * radius;
    let expected: Vec<f32> = circles
        .iter()
        .map(|Circle { radius: r }| {
            let method = area(*r) + area(r * 2.0);
            let of_parameter = area(*r) + area(r * 3.0);
            let of_trait = area(*r) + area(r * 0.5);
            let qualified = area(*r) + area(circles[0].radius * 0.25) + 0.0;
            let every = method + of_parameter * 2.0 + of_trait * 4.0 + qualified * 8.0;
            every + (area(*r) + area(*r) + area(*r) + r * 2.0) + 0.0 + every
        })
        .collect();
    assert_same(&out, &expected);
    assert_same(&[every_spelling(circles[0], &circles)], &[(expected[0] - (area(1.5) * 3.0 + 3.0)) / 2.0]);
}

/// An operation without values of its own.
#[gpu_device]
pub trait Operation {
    const NEUTRAL: i32;
    fn apply(a: i32, b: i32) -> i32;
}

pub struct Sum;
pub struct Product;

#[gpu_device]
impl Operation for Sum {
    const NEUTRAL: i32 = 0;
    fn apply(a: i32, b: i32) -> i32 {
        a + b
    }
}

#[gpu_device]
impl Operation for Product {
    const NEUTRAL: i32 = 1;
    fn apply(a: i32, b: i32) -> i32 {
        a * b
    }
}

#[gpu_device]
fn folded<O: Operation>(x: &[i32]) -> i32 {
    let mut folded = O::NEUTRAL;
    for i in 0..x.len() {
        folded = O::apply(folded, x[i]);
    }
    folded
}

#[gpu_kernel]
pub fn fold_both<O: Operation>(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = if i % 2 == 0 { folded::<O>(x) } else { folded::<Sum>(x) * 100 + folded::<Product>(x) };
    }
}

fn markers_choose_an_operation(bench: &Bench) {
    let mut out = vec![0; 2];
    bench.launch::<fold_both::Kernel<Product>>((&vec![2, 3, 4], &mut out), 1, 2);
    assert_eq!(out, [24, 924]);
    bench.launch::<fold_both::Kernel<Sum>>((&vec![2, 3, 4], &mut out), 1, 2);
    assert_eq!(out, [9, 924]);
}

/// Has the name of a method of numbers, and of a function of [`Clash`].
#[gpu_device]
pub trait Sized2 {
    fn len(self) -> f32;
    fn max(&self, other: Self) -> f32;
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Clash {
    value: f32,
}

#[gpu_device]
impl Clash {
    /// Behind a reference: a method of a trait that takes `self` comes before it.
    fn weight(&self) -> f32 {
        self.value
    }

    fn size(self) -> f32 {
        self.value * 10.0
    }
}

#[gpu_device]
pub trait Weighed {
    fn weight(self) -> f32;
    fn size(self) -> f32;
}

#[gpu_device]
impl Weighed for Clash {
    fn weight(self) -> f32 {
        self.value * 100.0
    }

    fn size(self) -> f32 {
        self.value * 1000.0
    }
}

#[gpu_device]
impl Sized2 for Clash {
    fn len(self) -> f32 {
        self.value + 0.5
    }

    fn max(&self, other: Self) -> f32 {
        self.value.max(other.value) + 0.25
    }
}

#[gpu_device]
fn sizes<S: Sized2 + Weighed>(s: S, t: S) -> f32 {
    s.len() + s.max(t) + s.weight()
}

#[gpu_kernel(fmad = false)]
pub fn clash(x: &[Clash], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let c = x[i];
        out[i] = match i {
            0 => c.weight(),
            1 => c.size(),
            2 => Clash::weight(&c),
            3 => Weighed::size(c),
            4 => <Clash as Weighed>::weight(c),
            _ => sizes(c, x[0]),
        };
    }
}

fn functions_of_one_name_are_told_apart(bench: &Bench) {
    let c = Clash { value: 2.0 };
    let mut out = vec![0.0; 6];
    bench.launch::<clash::Kernel>((&vec![c; 6], &mut out), 1, 8);
    let sizes = 2.5 + 2.25 + 200.0;
    assert_eq!(out, [c.weight(), c.size(), Clash::weight(&c), Weighed::size(c), <Clash as Weighed>::weight(c), sizes]);
    assert_eq!(out, [200.0, 20.0, 2.0, 2000.0, 200.0, sizes]);
}

#[gpu_kernel]
pub fn reverse<T: DeviceType>(x: &[T], out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[x.len() - 1 - i];
    }
}

fn values_of_any_device_type_are_moved(bench: &Bench) {
    let circles = vec![Circle { radius: 1.0 }, Circle { radius: 2.0 }, Circle { radius: 3.0 }];
    let mut out = circles.clone();
    bench.launch::<reverse::Kernel<Circle>>((&circles, &mut out), 1, 4);
    assert_eq!(out, [circles[2], circles[1], circles[0]]);
    let mut out = vec![0u16; 2];
    bench.launch::<reverse::Kernel<u16>>((&vec![7, 8], &mut out), 1, 4);
    assert_eq!(out, [8, 7]);
}
