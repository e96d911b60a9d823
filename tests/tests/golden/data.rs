//! Variables, tuples, arrays, constants, names and failures.

// The kernels are read, not launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;
use gpu_runtime::vector::{Float2, Float4, Int4};
use num_complex::{Complex32, Complex64};

const SCALE: f32 = 0.25;
const LANES: usize = 4;

#[gpu_kernel]
pub(crate) fn scopes_and_shadowing(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let x = a[i];
        let x = x * 2.0;
        {
            let x = x as i32;
            let i = i + 1;
            out[i - 1] = (x + i as i32) as f32;
        }
        let late;
        late = x;
        let (mut low, high) = (late, x);
        low -= 1.0;
        out[i] += low + high;
    }
}

#[gpu_kernel]
pub(crate) fn tuples(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut pair = (a[i], i as i32);
        pair.0 += 1.0;
        let (mut x, mut y) = (1.0, 2.0);
        (x, y) = (y, x);
        let nested = ((x, y), pair.1);
        (out[i], _) = (nested.0.1 + pair.0, 3);
        if nested.1 > 2 {
            out[i] = nested.0.0;
        }
    }
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(crate) struct Pair<T> {
    a: T,
    b: T,
}

#[gpu_device]
impl<T: Num> Pair<T> {
    fn total(self) -> T {
        self.a + self.b
    }
}

const WHOLE: Pair<(u8, u64)> = Pair { a: (1, 2), b: (3, 4) };

#[gpu_kernel]
pub(crate) fn generic_structs(x: &[Pair<f32>], n: &mut [Pair<u8>], tagged: &mut [Pair<(u8, u64)>]) {
    let i = grid_1d();
    if i < x.len() && i < n.len() && i < tagged.len() {
        n[i] = Pair { a: x[i].total() as u8, b: n[i].total() };
        tagged[i] = WHOLE;
        tagged[i].b.0 += n[i].a;
    }
}

#[gpu_kernel]
pub(crate) fn vectors(x: &[Float4], y: &mut [Float4], n: &mut [Int4], scale: f32) {
    let i = grid_1d();
    if i < x.len() && i < y.len() && i < n.len() {
        y[i] = scale * x[i] + y[i] / 2.0 - Float4::splat(0.1);
        y[i].w = -x[i].dot(Float4::new(1.0, scale, 0.0, x[i].y));
        n[i] /= 7 * n[i] + 1;
        if x[i] == y[i] {
            y[i] = x[i].min(y[i]);
        }
    }
}

#[gpu_kernel(block = 64)]
pub(crate) fn copy_of_vectors(x: &[Float4], y: &mut [Float4], from: &[Float2], to: &mut [Float2]) {
    let mut tile = shared::<[Float4; 64]>();
    let (i, t) = (grid_1d(), thread_idx().x);
    if i < x.len() && i < y.len() {
        tile[t] = x[i];
    }
    sync_threads();
    if i < y.len() {
        y[i] = tile[63 - t];
    }
    if i < from.len() && i < to.len() {
        to[i] = from[i];
    }
}

#[gpu_kernel]
pub(crate) fn turned_pairs(x: &[(f32, f32)], y: &mut [(f32, f32)], points: &[[f32; 4]], sums: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && i < y.len() {
        y[i] = (x[i].1, x[i].0);
    }
    if i < points.len() && i < sums.len() {
        let [a, b, c, d] = points[i];
        sums[i] = a + b + c + d;
    }
}

/// The first is laid out as in C, the second is not.
#[gpu_kernel]
pub(crate) fn tuples_in_memory(points: &mut [(f32, u32)], tagged: &[(u8, u64, u8)], by: (f32, u32)) {
    let mut best = shared::<[(f32, u32); 32]>();
    let i = grid_1d();
    if i < points.len() {
        let (tag, wide, _) = tagged[i];
        points[i] = (points[i].0 * by.0, wide as u32);
        points[i].1 += tag as u32;
        best[thread_idx().x] = points[i];
        let copy = (tag, wide, 7);
        if copy.2 > tagged[i].2 {
            points[i] = best[0];
        }
    }
}

#[gpu_kernel]
pub(crate) fn arrays(a: &[f32], k: usize, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut window = [0.0; 8];
        let weights = [0.5, 0.25, a[i]];
        let mut grid = [[0u8; 4]; LANES];
        window[k] = weights[1];
        grid[k][3] += 1;
        let copy = window;
        let mut sum = 0.0;
        for j in 0..window.len() {
            sum += copy[j];
        }
        out[i] = sum + grid[0][k] as f32;
    }
}

#[gpu_kernel]
pub(crate) fn checked_indices(x: &[f32], index: &[u32], n: usize, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let from = index[i] as usize;
        let mut sum = x[from];
        for k in 0..n {
            sum += x[i * n + k];
        }
        out[i] = sum;
    }
}

#[gpu_kernel]
pub(crate) fn unchecked_indices(x: &[f32], index: &[u32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let from = index[i] as usize;
        // SAFETY: not launched.
        unsafe {
            *out.get_unchecked_mut(i) = *x.get_unchecked(from) + x[i + 1];
        }
    }
}

#[gpu_kernel]
pub(crate) fn evaluation_order(x: &[i32], d: i32, out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut k = 1;
        let a =
            k + {
                k = 2;
                k
            } + k;
        out[x[i] as usize] = x[i + 1] / d;
        out[i] = a as i32 + x[d as usize] / d + x[k];
    }
}

#[gpu_kernel]
pub(crate) fn constants(x: &[f32], out: &mut [f32]) {
    const LIMIT: u32 = 7;
    let i = grid_1d();
    if i < out.len() {
        let lanes = [1.0f32; LANES];
        out[i] = x[i] * SCALE + std::f32::consts::TAU + lanes[i % LANES];
        if (i as u32) < LIMIT {
            out[i] = f32::MIN;
        }
    }
}

#[gpu_kernel]
#[allow(non_snake_case)]
pub(crate) fn names(int: &[f32], double: usize, threadIdx: f32, out: &mut [f32]) {
    let r#while = grid_1d();
    let größe = double;
    if r#while < out.len() {
        let float = int[r#while];
        let sqrtf = float.sqrt();
        let __shared__ = sqrtf + threadIdx;
        let auto = größe as f32;
        out[r#while] = __shared__ + auto;
    }
}

#[gpu_kernel]
pub(crate) fn failures(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        assert!(x[i] != 3);
        assert!(x[i] > 0 && x[i] < 100, "x is small");
        assert_eq!(x[i] % 2, 0);
        debug_assert!(x[i] < 50);
        out[i] = if x[i] == 8 { panic!("eight") } else { x[i] };
        if x[i] > 90 {
            unreachable!();
        }
    }
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(crate) struct Vector {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C, align(16))]
pub(crate) struct Particle {
    at: Vector,
    trail: [Vector; 3],
    double: f64,
    n: u8,
}

#[gpu_device]
fn turned(v: Vector, by: f32) -> Vector {
    Vector { y: v.x * by, x: -v.y }
}

#[gpu_kernel]
pub(crate) fn structs(particles: &mut [Particle], wind: Vector, k: usize) {
    let i = grid_1d();
    if i < particles.len() {
        let mut p = particles[i];
        p.at.x += wind.x * 0.1 - 2.0;
        p.trail[k] = turned(p.at, 0.5);
        p.n = p.n / 3 + 1;
        particles[i] = Particle { double: p.double.max(0.7), ..p };
        particles[i].trail[0].y = if p.n > 3 { 1.0 } else { p.at.y.sqrt() };
    }
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(crate) enum Shape {
    Empty,
    Circle { centre: Vector, radius: f32 },
    Square(Vector, f32),
}

#[gpu_kernel]
pub(crate) fn enums_with_data(shapes: &mut [Shape], area: &mut [f32]) {
    let i = grid_1d();
    if i >= shapes.len() || i >= area.len() {
        return;
    }
    area[i] = match shapes[i] {
        Shape::Empty | Shape::Circle { radius: 0.0, .. } => 0.0,
        Shape::Circle { radius, .. } => 3.0 * radius * radius,
        Shape::Square(Vector { x: 0.1, y }, _) => y,
        Shape::Square(_, side) => side * side,
    };
    if let Shape::Square(Vector { x, y }, side) = shapes[i] {
        shapes[i] = Shape::Circle { radius: side * 0.5, centre: Vector { x: y, y: x } };
    } else {
        shapes[i] = Shape::Empty;
    }
}

#[gpu_kernel]
pub(crate) fn complex_numbers(z: &[Complex32], c: Complex64, s: f64, out: &mut [Complex64], norms: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() && i < norms.len() && i < z.len() {
        let mut w = Complex64::new(0.0, s);
        w.re += 0.1;
        out[i] = 2.0 * (w * c - s / c) + 0.1;
        out[i] *= s;
        norms[i] = (z[i] * z[i]).powi(3).im + z[i].norm_sqr();
    }
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(crate) struct Polynomial {
    constant: f32,
    linear: f32,
}

#[gpu_device]
impl std::ops::Add for Polynomial {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { constant: self.constant + other.constant, linear: self.linear + other.linear }
    }
}

#[gpu_device]
impl std::ops::Mul<f32> for Polynomial {
    type Output = Self;

    fn mul(self, by: f32) -> Self {
        Self { constant: self.constant * by, linear: self.linear * by }
    }
}

#[gpu_kernel]
pub(crate) fn own_operators(x: &[Polynomial], k: f32, out: &mut [Polynomial]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = x[i] * 0.1 + x[0];
        sum += sum * k;
        out[i] = sum;
    }
}

#[gpu_device]
fn difference(a: &Polynomial, b: &Polynomial, by: &f32) -> f32 {
    (a.constant - b.constant) * *by
}

#[gpu_device]
fn accumulate(sums: &mut [f32; 3], last: &mut f32, value: f32) {
    sums[0] += value;
    *last = value;
}

/// References are those of C++, and numbers behind `&` are copies.
#[gpu_kernel]
pub(crate) fn references(x: &mut [Polynomial], sums: &mut [[f32; 3]], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let own = &x[i];
        let linear = &own.linear;
        let value = difference(own, &x[0], linear) + difference(&(*own * 2.0), own, &0.5);
        let slot = &mut sums[i];
        slot[1] = *linear;
        accumulate(slot, &mut out[i], value);
        x[i].constant = slot[0];
    }
}
