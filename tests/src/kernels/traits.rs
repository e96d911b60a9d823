//! Traits with device functions: kernels over whatever implements them.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, value_arguments};

cases![
    shapes_of_every_type_are_measured,
    numbers_have_traits_of_the_user,
    functions_are_called_in_every_spelling,
    markers_choose_an_operation,
    functions_of_one_name_are_told_apart,
    values_of_any_device_type_are_moved,
    traits_have_type_parameters,
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
        out[i] = f32::quartered(x[i]) + f32::halved(3.0) + Halved::halved(n) as f32 + i64::quartered(-1) as f32;
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

/// A change by a number, or by another value.
#[gpu_device]
pub trait Scale<T> {
    fn scale(self, by: T) -> Self;

    fn factor(&self) -> T;
}

#[gpu_device]
impl Scale<f32> for Circle {
    fn scale(self, by: f32) -> Self {
        Circle { radius: self.radius * by }
    }

    fn factor(&self) -> f32 {
        self.radius
    }
}

#[gpu_device]
impl Scale<Circle> for Circle {
    fn scale(self, by: Circle) -> Self {
        Circle { radius: self.radius + by.radius * 100.0 }
    }

    fn factor(&self) -> Circle {
        Circle { radius: self.radius * 2.0 }
    }
}

#[gpu_device]
impl Scale<f32> for f32 {
    fn scale(self, by: f32) -> f32 {
        self * by + 1.0
    }

    fn factor(&self) -> f32 {
        *self
    }
}

#[gpu_device]
fn scaled_twice<T: DeviceType, S: Scale<T> + DeviceType>(value: S, by: T) -> S {
    value.scale(by).scale(by)
}

#[gpu_kernel(fmad = false)]
pub fn scale_all<S: Scale<f32> + DeviceType>(x: &mut [S], by: f32, factors: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && i < factors.len() {
        x[i] = x[i].scale(by);
        factors[i] = x[i].factor();
        x[i] = scaled_twice(x[i], by);
    }
}

#[gpu_kernel(fmad = false)]
pub fn scale_both_ways(x: &mut [Circle], factors: &mut [Circle]) {
    let i = grid_1d();
    if i < x.len() && i < factors.len() {
        factors[i] = <Circle as Scale<Circle>>::factor(&x[i]);
        let half = <Circle as Scale<f32>>::scale(x[i], 0.5);
        x[i] = <Circle as Scale<Circle>>::scale(half, factors[i]);
    }
}

fn traits_have_type_parameters(bench: &Bench) {
    let circles = |radii: [f32; 2]| radii.map(|radius| Circle { radius }).to_vec();
    let (mut x, mut factors) = (circles([1.0, 2.0]), vec![0.0; 2]);
    bench.launch::<scale_all::Kernel<Circle>>((&mut x, 0.5, &mut factors), 1, 8);
    assert_eq!((x, factors), (circles([0.125, 0.25]), vec![0.5, 1.0]));

    let (mut x, mut factors) = (vec![1.0f32, 3.0], vec![0.0; 2]);
    bench.launch::<scale_all::Kernel<f32>>((&mut x, 2.0, &mut factors), 1, 8);
    assert_eq!((x, factors), (vec![15.0, 31.0], vec![3.0, 7.0]));

    let (mut x, mut factors) = (circles([1.0, 2.0]), circles([0.0; 2]));
    bench.launch::<scale_both_ways::Kernel>((&mut x, &mut factors), 1, 8);
    assert_eq!((x, factors), (circles([200.5, 401.0]), circles([2.0, 4.0])));
}
