//! What traits are for: integrands, monoids and solids, each with a kernel over whatever implements it.

use std::f64::consts::PI;

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_ulps};
use crate::{cases, launch, value_arguments};

cases![
    integrals_of_every_integrand_are_taken,
    monoids_reduce_in_shared_memory wraps = true,
    rays_meet_shapes,
    bodies_of_traits_with_type_parameters_compute wraps = true,
];

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

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Length {
    metres: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Pace {
    side: f32,
}

/// Functions with a body of a trait with type parameters.
#[gpu_device]
pub trait Step<T: Num>: DeviceType {
    const MOST: u32;

    fn step(self, x: T) -> T;

    fn two_steps(self, x: T) -> T {
        let near = self.step(x);
        self.step(near) + T::ONE
    }

    fn steps(&self, x: T, count: u32) -> T {
        let mut at = x;
        for _ in 0..count.min(Self::MOST) {
            at = self.two_steps(at);
            if at > T::from_i32(1000) {
                return at;
            }
        }
        at
    }
}

#[gpu_device]
pub trait Choice<A: DeviceType, B>: DeviceType
where
    B: DeviceType,
{
    fn choose(self, a: A, _b: B) -> A;

    fn choose_again(self, a: A, b: B) -> A {
        self.choose(self.choose(a, b), b)
    }

    fn number() -> u32 {
        7
    }
}

#[gpu_device]
impl Step<f32> for Length {
    const MOST: u32 = 3;

    fn step(self, x: f32) -> f32 {
        x + self.metres
    }
}

#[gpu_device]
impl Step<i32> for Pace {
    const MOST: u32 = 9;

    fn step(self, x: i32) -> i32 {
        x * 3
    }

    fn two_steps(self, x: i32) -> i32 {
        x * 5 - 1
    }
}

#[gpu_device]
impl Choice<Length, f32> for Pace {
    fn choose(self, a: Length, b: f32) -> Length {
        Length { metres: a.metres * 2.0 + b + self.side }
    }
}

#[gpu_device]
fn moved<T: Num, S: Step<T>>(by: S, x: T) -> T {
    by.two_steps(x) + by.steps(x, 4)
}

#[gpu_kernel(fmad = false)]
pub fn move_all(x: &[i32], floats: &mut [f32], numbers: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() && i < floats.len() && i < numbers.len() {
        let (length, pace) = (Length { metres: 1.5 }, Pace { side: 2.0 });
        floats[i] = moved(length, x[i] as f32) + pace.choose_again(length, 0.5).metres;
        numbers[i] = moved(pace, x[i]) + <Pace as Choice<Length, f32>>::number() as i32;
    }
}

fn bodies_of_traits_with_type_parameters_compute(bench: &Bench) {
    let x = vec![0, 7, 900];
    let (mut floats, mut numbers) = (vec![0.0; 3], vec![0; 3]);
    launch!(bench, move_all(&x, &mut floats, &mut numbers), 1, 32);
    let (length, pace) = (Length { metres: 1.5 }, Pace { side: 2.0 });
    let of_float = |x: i32| moved(length, x as f32) + pace.choose_again(length, 0.5).metres;
    assert_eq!(floats, x.iter().map(|x| of_float(*x)).collect::<Vec<_>>());
    assert_eq!(numbers, x.iter().map(|x| moved(pace, *x) + 7).collect::<Vec<_>>());
}
