//! Structs: in slices, parameters, variables and shared memory; fields, literals and whole copies.

#![allow(clippy::excessive_precision, reason = "literals of more digits than their type holds are rounded once")]

use std::f64::consts::PI;

use gpu_runtime::FailureCause::{DivisionByZero, IndexOutOfBounds};
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure, assert_same, assert_ulps};
use crate::{cases, launch, try_launch, value_arguments};

cases![
    fields_are_read_and_written,
    types_of_one_name_and_awkward_names_are_told_apart,
    literals_are_rounded_once,
    small_integers_in_fields_wrap wraps = true,
    methods_follow_the_type_of_a_field wraps = true,
    arrays_and_structs_nest,
    literals_in_arrays_take_the_type_of_their_field,
    what_fails_in_a_field_is_reported,
    rows_are_elements_of_slices,
    methods_are_called_on_structs,
    bodies_attract_each_other,
    a_matrix_of_structs_is_transposed,
    distances_on_a_sphere_are_measured,
];

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Point {
    x: f32,
    y: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Cell {
    count: i32,
    small: u8,
    alive: bool,
    wide: u64,
    at: [f32; 3],
    corner: Point,
    corners: [Point; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C, align(16))]
pub struct Pair(u8, f64);

mod elsewhere {
    use gpu_runtime::prelude::*;

    /// Another type of this name.
    #[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
    #[repr(C)]
    pub struct Point {
        pub x: f64,
        pub tag: u8,
    }
}

/// Names that C or the generated code has for something else.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
#[allow(non_camel_case_types)]
pub struct float4 {
    r#type: i32,
    double: f32,
    unix: u16,
    naïve: i64,
    _hidden: i8,
}

value_arguments![Point, Pair];

type Real = f32;

const CELL: Cell = Cell {
    count: 5,
    small: 250,
    alive: true,
    wide: 1 << 40,
    at: [1.0, 2.0, 3.0],
    corner: Point { x: 0.25, y: 0.5 },
    corners: [Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }],
};

#[gpu_device]
fn turned(p: Point) -> Point {
    Point { y: p.x, x: -p.y }
}

#[gpu_kernel(fmad = false)]
pub fn update(cells: &mut [Cell], offset: Point) {
    let i = grid_1d();
    if i < cells.len() {
        let mut cell = cells[i];
        cell.count += 7 % cell.count;
        cell.alive = !cell.alive || cell.corner.x > 0.3;
        cell.wide = cell.wide / 3 + 1;
        cell.corner = Point { y: 9.0, ..offset };
        cells[i] = cell;
        cells[i].count -= 1;
        cells[i].corner.x *= 0.5;
        cells[i].corner = turned(cells[i].corner);
        (cells[i].corners[0].x, cells[i].corners[1].y) = (cells[i].corners[1].y, cells[i].corners[0].x);
    }
}

fn fields_are_read_and_written(bench: &Bench) {
    let mut cells = vec![CELL; 3];
    launch!(bench, update(&mut cells, Point { x: 3.0, y: 1.0 }), 1, 4);
    let expected = Cell {
        count: 6,
        alive: false,
        wide: (1 << 40) / 3 + 1,
        corner: Point { x: -9.0, y: 1.5 },
        corners: [Point { x: 4.0, y: 2.0 }, Point { x: 3.0, y: 1.0 }],
        ..CELL
    };
    assert_eq!(cells, [expected; 3]);
}

#[gpu_kernel]
pub fn mixed(points: &[elsewhere::Point], near: Point, scale: Pair, out: &mut [Pair], names: &mut [float4]) {
    let i = grid_1d();
    if i < out.len() && i < names.len() {
        out[i] = Pair(points[i].tag + scale.0, points[i].x * scale.1);
        out[i].1 += 1e-3;
        let old = names[i];
        names[i] = float4 { r#type: old.r#type + 1, double: near.y, unix: old.unix << 2, naïve: -5, _hidden: -128 };
    }
}

fn types_of_one_name_and_awkward_names_are_told_apart(bench: &Bench) {
    let points = vec![elsewhere::Point { x: 2.0, tag: 7 }];
    let mut out = vec![Pair(0, 0.0)];
    let mut names = vec![float4 { r#type: 1, double: 0.0, unix: 3, naïve: 0, _hidden: 0 }];
    launch!(bench, mixed(&points, Point { x: 0.0, y: 0.1 }, Pair(3, 1.5), &mut out, &mut names), 1, 1);
    assert_eq!(out, [Pair(10, 2.0 * 1.5 + 1e-3)]);
    assert_eq!(names, [float4 { r#type: 2, double: 0.1, unix: 12, naïve: -5, _hidden: -128 }]);
}

/// Literals whose `f32` is another number by way of `f64`, and sums that begin with one.
#[gpu_kernel(fmad = false)]
pub fn constants_beside_fields(points: &[Point], out: &mut [Real]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0.1;
        for j in 0..points.len() {
            sum += points[j].x * 1.000_000_178_813_934_326_171_875_000_000_1 - 0.7;
        }
        let scale: Real = 1.000_000_059_604_644_775_390_625_000_000_1;
        out[i] = if sum > 0.3 { sum * scale } else { -0.1 };
    }
}

fn literals_are_rounded_once(bench: &Bench) {
    let points = vec![Point { x: 1.0, y: 0.0 }, Point { x: 1e3, y: 0.0 }];
    let mut out = vec![0.0; 2];
    launch!(bench, constants_beside_fields(&points, &mut out), 1, 2);
    let mut sum = 0.1f32;
    for point in &points {
        sum += point.x * 1.000_000_178_813_934_326_171_875_000_000_1f32 - 0.7;
    }
    assert_same(&out, &[sum * 1.000_000_059_604_644_775_390_625_000_000_1f32; 2]);
}

#[gpu_kernel]
pub fn narrow(cells: &mut [Cell]) {
    let i = grid_1d();
    if i < cells.len() {
        cells[i].small += 10;
        let half = cells[i].small / 2;
        cells[i].count = (half - 3) as i32;
        if cells[i].small * 100 > 200 {
            cells[i].wide = 18_446_744_073_709_551_615;
        }
        cells[i].small = cells[i].small << (cells[i].small + 5) | 1;
    }
}

fn small_integers_in_fields_wrap(bench: &Bench) {
    let mut cells = vec![CELL];
    launch!(bench, narrow(&mut cells), 1, 1);
    let wide = if 4u8.wrapping_mul(100) > 200 { u64::MAX } else { CELL.wide };
    assert_eq!(cells, [Cell { count: 255, small: 9, wide, ..CELL }]);
}

#[gpu_kernel(fmad = false)]
pub fn methods(cells: &[Cell], out: &mut [f32], counts: &mut [u32]) {
    let i = grid_1d();
    if i < cells.len() {
        let c = cells[i];
        out[i] = c.corner.x.sqrt().max(0.3).clamp(0.0, 8.0) + c.corner.y.abs().powi(2) + c.at[1].mul_add(2.0, c.at[0].floor());
        out[i] += c.count.pow(3) as f32 + c.count.rem_euclid(3) as f32 + c.small.min(7).max(3) as f32;
        counts[i] = c.small.count_ones() + c.wide.leading_zeros() + c.at.len() as u32;
        counts[i] += c.count.wrapping_sub(9).signum() as u32;
        counts[i] += c.small.wrapping_add(250) as u32 + c.small.overflowing_add(250).1 as u32;
    }
}

fn methods_follow_the_type_of_a_field(bench: &Bench) {
    let (mut out, mut counts) = (vec![0.0], vec![0]);
    launch!(bench, methods(&vec![CELL], &mut out, &mut counts), 1, 1);
    assert_same(&out, &[0.5 + 0.25 + 5.0 + (125 + 2 + 7) as f32]);
    assert_same(&counts, &[6 + 23 + 3 - 1 + 244 + 1]);
}

#[gpu_device]
fn total(points: &[Point]) -> f32 {
    let mut sum = 0.0;
    for i in 0..points.len() {
        sum += points[i].x + points[i].y;
    }
    sum
}

#[gpu_kernel]
pub fn nested(cells: &mut [Cell], index: &[usize]) {
    let i = grid_1d();
    if i < cells.len() {
        let local = [turned(cells[i].corner), cells[i].corners[index[0]]];
        cells[i].at = [total(&local), local[1].x, cells[i].at[index[1]]];
        cells[i].corners[index[0]] = local[0];
        let mut copy = cells[i].corners;
        copy[0] = Point { x: 7.0, y: copy[1].x };
        cells[i].corners = copy;
        for k in 0..cells[i].count {
            cells[i].corner.y += k as f32;
        }
    }
}

fn arrays_and_structs_nest(bench: &Bench) {
    let mut cells = vec![CELL];
    launch!(bench, nested(&mut cells, &vec![1, 2]), 1, 1);
    let expected = Cell {
        at: [-0.5 + 0.25 + 3.0 + 4.0, 3.0, 3.0],
        corner: Point { x: 0.25, y: 10.5 },
        corners: [Point { x: 7.0, y: -0.5 }, Point { x: -0.5, y: 0.25 }],
        ..CELL
    };
    assert_eq!(cells, [expected]);
}

/// Literals in the arrays of a struct expression, whose type C++ knows.
#[gpu_kernel]
pub fn filled(cells: &mut [Cell]) {
    let i = grid_1d();
    if i < cells.len() {
        let corner = Point { x: 0.1, y: -0.1 };
        let x = 2.5;
        cells[i] = match i {
            0 => Cell { at: [0.1; 3], corner, wide: 1 + 0x7fff_ffff_0000_0000, ..cells[i] },
            1 => Cell { at: [0.1, x, -16777217.0], ..cells[i] },
            _ => {
                let at = [3.0, 0.7, 0.1];
                Cell { at, corners: [corner, Point { x: 1.0, ..corner }], ..cells[i] }
            }
        };
    }
}

fn literals_in_arrays_take_the_type_of_their_field(bench: &Bench) {
    let mut cells = vec![CELL; 3];
    launch!(bench, filled(&mut cells), 1, 3);
    let corner = Point { x: 0.1, y: -0.1 };
    let expected = [
        Cell { at: [0.1; 3], corner, wide: 0x7fff_ffff_0000_0001, ..CELL },
        Cell { at: [0.1, 2.5, -16_777_216.0], ..CELL },
        Cell { at: [3.0, 0.7, 0.1], corners: [corner, Point { x: 1.0, y: -0.1 }], ..CELL },
    ];
    assert_eq!(cells, expected);
}

#[gpu_kernel]
pub fn failing(cells: &mut [Cell], index: usize, divisor: Point, unit: &[Pair]) {
    let i = grid_1d();
    if i < cells.len() {
        cells[i].at[index] = divisor.x;
        cells[i].small = 100 / unit[i].0;
    }
}

const FIRST_LINE_OF_FAILING: u32 = line!() - 7;

fn what_fails_in_a_field_is_reported(bench: &Bench) {
    let failure =
        |line: u32, cause| Failure { kernel: "failing".into(), line: FIRST_LINE_OF_FAILING + line, cause, block: [0; 3], thread: [0; 3] };
    let mut cells = vec![CELL];
    let nowhere = Point { x: 0.0, y: 0.0 };
    let outcome = try_launch!(bench, failing(&mut cells, 3, nowhere, &vec![Pair(1, 0.0)]), 1, 1);
    assert_eq!(outcome, Err(failure(2, IndexOutOfBounds { index: 3, len: 3 })));
    let outcome = try_launch!(bench, failing(&mut cells, 2, nowhere, &vec![Pair(0, 0.0)]), 1, 1);
    assert_eq!(outcome, Err(failure(3, DivisionByZero)));
    assert_eq!(cells, [Cell { at: [1.0, 2.0, 0.0], ..CELL }]);
}

#[gpu_kernel]
pub fn scaled_rows(rows: &mut [[f32; 3]], grids: &[[[u8; 2]; 2]], points: &mut [[Point; 2]]) {
    let i = grid_1d();
    if i < rows.len() {
        for k in 0..rows[i].len() {
            rows[i][k] *= grids[i][1][0] as f32;
        }
        points[i][1].x = rows[i][0];
        points[i][0] = points[i][1];
    }
}

fn rows_are_elements_of_slices(bench: &Bench) {
    let mut rows = vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let mut points = vec![[Point { x: 0.0, y: 1.0 }; 2]; 2];
    launch!(bench, scaled_rows(&mut rows, &vec![[[1, 2], [3, 4]], [[5, 6], [7, 8]]], &mut points), 1, 2);
    assert_eq!(rows, [[3.0, 6.0, 9.0], [28.0, 35.0, 42.0]]);
    assert_eq!(points, [[Point { x: 3.0, y: 1.0 }; 2], [Point { x: 28.0, y: 1.0 }; 2]]);
}

#[gpu_device]
impl Point {
    const LIMIT: f32 = 100.0;

    fn new(x: f32, y: f32) -> Self {
        Self { x, y }
    }

    fn dot(&self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y
    }

    fn norm(&self) -> f32 {
        self.dot(*self).sqrt().min(Self::LIMIT)
    }

    fn scaled(mut self, by: f32) -> Point {
        self.x *= by;
        Point::new(self.x, self.y * by)
    }

    fn shift(&mut self, by: Point) {
        self.x += by.x;
        self.y += by.y;
    }

    /// Numbers have a method of this name, with an argument.
    fn max(self) -> f32 {
        self.x.max(self.y)
    }

    /// Kernels have none of this name.
    fn sum(&self) -> f32 {
        self.x + self.y
    }

    fn nearest(&self, points: &[Point]) -> usize {
        let mut best = 0;
        for i in 1..points.len() {
            if self.dot(points[i]) > self.dot(points[best]) {
                best = i;
            }
        }
        best
    }
}

#[gpu_kernel(fmad = false)]
pub fn with_methods(points: &mut [Point], others: &[Point], norms: &mut [f32], nearest: &mut [usize]) {
    let i = grid_1d();
    if i < points.len() && i < norms.len() {
        let p = points[i];
        let five: Point = Point::new(3.0, 4.0);
        norms[i] = p.norm() * 2.0 + 0.5 - others[0].dot(p.scaled(0.5)) + five.norm() + (five.sum() - five.max());
        nearest[i] = p.nearest(others);
        let mut moved: Point = p.scaled(0.1);
        moved.shift(others[1]);
        points[i].shift(Point::new(moved.norm(), 1.0));
        points[i].y += moved.y * 2.0;
    }
}

fn methods_are_called_on_structs(bench: &Bench) {
    let mut points = vec![Point::new(3.0, 4.0), Point::new(300.0, 400.0)];
    let others = vec![Point::new(1.0, -1.0), Point::new(0.5, 0.25), Point::new(0.0, 2.0)];
    let (mut norms, mut nearest) = (vec![0.0; 2], vec![9; 2]);
    let before = points.clone();
    launch!(bench, with_methods(&mut points, &others, &mut norms, &mut nearest), 1, 2);
    let norm = |p: Point| (p.x * p.x + p.y * p.y).sqrt().min(100.0);
    for (i, p) in before.iter().enumerate() {
        let half = (p.x * 0.5, p.y * 0.5);
        assert_same(&[norms[i]], &[norm(*p) * 2.0 + 0.5 - (half.0 - half.1) + 5.0 + 3.0]);
        let moved = Point { x: p.x * 0.1 + 0.5, y: p.y * 0.1 + 0.25 };
        assert_eq!(points[i], Point { x: p.x + norm(moved), y: p.y + 1.0 + moved.y * 2.0 });
    }
    assert_eq!(nearest, [2, 2]);
    assert_eq!(before[0].nearest(&others), 2);
}

/// A body of the N-body problem.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Body {
    position: [f32; 3],
    velocity: [f32; 3],
    mass: f32,
}

/// A step of time: each body is drawn to every other, softened where they are close. No index of a coordinate needs a check.
#[gpu_kernel(fmad = false, deny(bounds_checks))]
pub fn step(bodies: &[Body], seconds: f32, out: &mut [Body]) {
    let i = grid_1d();
    if i < out.len() && i < bodies.len() {
        let mut body = bodies[i];
        let mut force = [0.0f32; 3];
        for j in 0..bodies.len() {
            let other = bodies[j];
            let mut squared = 1e-3;
            for k in 0..3 {
                let distance = other.position[k] - body.position[k];
                squared += distance * distance;
            }
            let pull = other.mass / (squared * squared.sqrt());
            for k in 0..3 {
                force[k] += (other.position[k] - body.position[k]) * pull;
            }
        }
        for k in 0..3 {
            body.velocity[k] += force[k] * seconds;
            body.position[k] += body.velocity[k] * seconds;
        }
        out[i] = body;
    }
}

fn bodies_attract_each_other(bench: &Bench) {
    let body = |i: usize| {
        let at = |k: usize| ((i * 37 + k * 11) % 101) as f32 * 0.1 - 5.0;
        Body { position: [at(0), at(1), at(2)], velocity: [at(3) * 0.1, at(4) * 0.1, at(5) * 0.1], mass: 1.0 + i as f32 * 0.25 }
    };
    let bodies: Vec<Body> = (0..40).map(body).collect();
    let mut out = bodies.clone();
    launch!(bench, step(&bodies, 0.01, &mut out), 2, 32);

    let flat = |read: fn(&Body) -> [f32; 3]| bodies.iter().flat_map(read).map(f64::from).collect::<Vec<f64>>();
    let (positions, velocities) = (flat(|body| body.position), flat(|body| body.velocity));
    for (i, moved) in out.iter().enumerate() {
        for k in 0..3 {
            let mut force = 0.0;
            for (j, other) in bodies.iter().enumerate() {
                let squared: f64 = (0..3).map(|k| (positions[3 * j + k] - positions[3 * i + k]).powi(2)).sum::<f64>() + 1e-3;
                force += f64::from(other.mass) * (positions[3 * j + k] - positions[3 * i + k]) / squared.powf(1.5);
            }
            let velocity = velocities[3 * i + k] + force * 0.01;
            let position = positions[3 * i + k] + velocity * 0.01;
            assert!((f64::from(moved.velocity[k]) - velocity).abs() < 1e-4, "velocity {k} of body {i}: {moved:?}, not {velocity}");
            assert!((f64::from(moved.position[k]) - position).abs() < 1e-5, "position {k} of body {i}: {moved:?}, not {position}");
        }
        assert_eq!(moved.mass, bodies[i].mass);
    }
}

const TILE: usize = 8;

/// A transpose through shared memory, with a column of padding against bank conflicts.
#[gpu_kernel(block = (TILE, TILE))]
pub fn transpose(x: &[Body], width: usize, height: usize, out: &mut [Body]) {
    let mut tile = shared::<[[Body; TILE + 1]; TILE]>();
    let (t, b) = (thread_idx(), block_idx());
    let (column, row) = (b.x * TILE + t.x, b.y * TILE + t.y);
    if column < width && row < height {
        tile[t.y][t.x] = x[row * width + column];
        tile[t.y][t.x].mass += 1.0;
    }
    sync_threads();
    let (column, row) = (b.y * TILE + t.x, b.x * TILE + t.y);
    if column < height && row < width {
        out[row * height + column] = tile[t.x][t.y];
    }
}

fn a_matrix_of_structs_is_transposed(bench: &Bench) {
    let (width, height) = (13, 21);
    let body = |i: usize| Body { position: [i as f32; 3], velocity: [-(i as f32), 0.5, 0.25], mass: i as f32 };
    let x: Vec<Body> = (0..width * height).map(body).collect();
    let mut out = vec![body(0); x.len()];
    launch!(bench, transpose(&x, width, height, &mut out), (2, 3), (8, 8));
    let expected = (0..x.len()).map(|i| {
        let (row, column) = (i / height, i % height);
        let from = x[column * width + row];
        Body { mass: from.mass + 1.0, ..from }
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

/// A place on a sphere, in degrees.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Place {
    latitude: f64,
    longitude: f64,
}

value_arguments![Place];

#[gpu_device]
fn haversine(angle: f64) -> f64 {
    (angle / 2.0).sin().powi(2)
}

/// The distance from `a` to `b`, in radii.
#[gpu_device]
fn distance(a: Place, b: Place) -> f64 {
    let latitudes = (b.latitude - a.latitude).to_radians();
    let longitudes = (b.longitude - a.longitude).to_radians();
    let chord = haversine(latitudes) + haversine(longitudes) * a.latitude.to_radians().cos() * b.latitude.to_radians().cos();
    2.0 * chord.sqrt().asin()
}

#[gpu_kernel]
pub fn distances(places: &[Place], origin: Place, out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = distance(origin, places[i]);
    }
}

fn distances_on_a_sphere_are_measured(bench: &Bench) {
    let place = |latitude, longitude| Place { latitude, longitude };
    let places = vec![place(0.0, 0.0), place(90.0, 17.0), place(0.0, 90.0), place(-45.0, 0.0), place(30.0, -60.0)];
    let mut out = vec![0.0; 5];
    launch!(bench, distances(&places, place(0.0, 0.0), &mut out), 1, 8);
    let cosine = 30f64.to_radians().cos() * 60f64.to_radians().cos();
    assert_ulps("haversine", &out, &[0.0, PI / 2.0, PI / 2.0, PI / 4.0, cosine.acos()], 4);
}
