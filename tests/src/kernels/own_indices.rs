//! `Index` and `IndexMut` of users' types: `#[gpu_device] impl Index<usize> for Matrix`.

use std::ops::{Index, IndexMut};

use gpu_runtime::FailureCause::IndexOutOfBounds;
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure};
use crate::{cases, launch, try_launch, value_arguments};

cases![
    vectors_have_components_by_number,
    matrices_have_elements_and_rows,
    indices_are_of_any_type,
    elements_of_generic_buffers,
    aliases_of_arrays_are_arrays,
    an_index_has_effects_once,
    failures_in_indices_are_reported,
];

value_arguments![Matrix];

#[derive(Debug, Clone, Copy, PartialEq, Default, DeviceType)]
#[repr(C)]
pub struct Vector {
    x: f32,
    y: f32,
    z: f32,
}

#[gpu_device]
impl Index<usize> for Vector {
    type Output = f32;

    fn index(&self, axis: usize) -> &f32 {
        match axis {
            0 => &self.x,
            1 => &self.y,
            2 => &self.z,
            _ => panic!("a vector has three components"),
        }
    }
}

#[gpu_device]
impl IndexMut<usize> for Vector {
    fn index_mut(&mut self, axis: usize) -> &mut Self::Output {
        if axis == 0 {
            return &mut self.x;
        }
        if axis == 1 { &mut self.y } else { &mut self.z }
    }
}

#[gpu_kernel(fmad = false)]
pub fn by_number(x: &[Vector], sums: &mut [f32], turned: &mut [Vector]) {
    let i = grid_1d();
    if i < turned.len() && i < sums.len() {
        let mut sum = 0.0;
        for axis in 0..3 {
            sum += x[i][axis] * x[i][axis];
        }
        let v = x[i];
        let mut other = Vector { x: 0.0, y: 0.0, z: 0.0 };
        for axis in 0..3 {
            other[axis] = v[(axis + 1) % 3];
            other[axis] *= 2.0;
        }
        other[2] += v[0];
        (other[0], other[1]) = (other[1], other[0]);
        sums[i] = sum;
        turned[i] = other;
    }
}

fn vectors_have_components_by_number(bench: &Bench) {
    let x: Vec<Vector> = (0..7).map(|i| Vector { x: i as f32, y: 0.5 - i as f32, z: 1.25 * i as f32 }).collect();
    let (mut sums, mut turned) = (vec![0.0; 7], vec![Vector::default(); 7]);
    launch!(bench, by_number(&x, &mut sums, &mut turned), 1, 32);
    assert_eq!(sums, x.iter().map(|v| 0.0 + v.x * v.x + v.y * v.y + v.z * v.z).collect::<Vec<_>>());
    let expected = |v: &Vector| Vector { x: v.z * 2.0, y: v.y * 2.0, z: v.x * 2.0 + v.x };
    assert_eq!(turned, x.iter().map(expected).collect::<Vec<_>>());
    // On the host, the operator is the same function.
    assert_eq!((x[3][0], x[3][1]), (3.0, -2.5));
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Matrix {
    rows: [Vector; 2],
    changes: u32,
}

#[gpu_device]
impl Index<usize> for Matrix {
    type Output = Vector;

    fn index(&self, row: usize) -> &Vector {
        &self.rows[row]
    }
}

const LINE_OF_INDEX: u32 = line!() - 4;

#[gpu_device]
impl IndexMut<usize> for Matrix {
    fn index_mut(&mut self, row: usize) -> &mut Vector {
        self.changes += 1;
        &mut self.rows[row]
    }
}

#[gpu_device]
impl Index<(usize, usize)> for Matrix {
    type Output = f32;

    fn index(&self, at: (usize, usize)) -> &f32 {
        let (row, column) = at;
        &self.rows[row][column]
    }
}

#[gpu_device]
fn doubled(row: &mut Vector) {
    row.x *= 2.0;
}

#[gpu_device]
impl Matrix {
    fn trace(&self) -> f32 {
        self[(0, 0)] + self[(1, 1)]
    }

    fn scale(&mut self, by: f32) {
        for row in 0..2 {
            for column in 0..3 {
                self[row][column] *= by;
            }
        }
    }
}

#[gpu_kernel(fmad = false)]
pub fn rows(matrices: &[Matrix], base: Matrix, out: &mut [Matrix], traces: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() && i < traces.len() {
        let mut m = matrices[i];
        m[0][1] = base[1].y + matrices[i][0][2];
        m[1].z = m[0][1];
        doubled(&mut m[1]);
        m.scale(0.5);
        let row = &m[0];
        traces[i] = m.trace() + row[2] + row.x;
        out[i] = m;
    }
}

fn matrices_have_elements_and_rows(bench: &Bench) {
    let vector = |x: f32| Vector { x, y: x + 0.25, z: x * 3.0 };
    let matrix = |i: u32| Matrix { rows: [vector(i as f32), vector(0.5)], changes: i };
    let matrices: Vec<Matrix> = (0..5).map(matrix).collect();
    let (base, mut out, mut traces) = (matrix(9), vec![matrix(0); 5], vec![0.0; 5]);
    launch!(bench, rows(&matrices, base, &mut out, &mut traces), 1, 32);
    for i in 0..5 {
        let mut m = matrices[i];
        m[0][1] = base[1].y + matrices[i][0][2];
        m[1].z = m[0][1];
        m[1].x *= 2.0;
        for row in 0..2 {
            for column in 0..3 {
                m[row][column] *= 0.5;
            }
        }
        assert_eq!(out[i], m);
        assert_eq!(traces[i], m.rows[0].x + m.rows[1].y + m.rows[0].z + m.rows[0].x);
        assert_eq!(m.changes, i as u32 + 3 + 6);
    }
}

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
pub enum Axis {
    First,
    Second,
}

#[gpu_device]
impl Index<Axis> for Vector {
    type Output = f32;

    fn index(&self, axis: Axis) -> &f32 {
        if axis == Axis::First { &self.x } else { &self.y }
    }
}

#[gpu_kernel]
pub fn keys(x: &[Vector], m: Matrix, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let axis: Axis = if i % 2 == 0 { Axis::First } else { Axis::Second };
        let key = (i % 2, 1);
        out[i] = x[i][axis] + x[i][Axis::Second] + m[key];
    }
}

fn indices_are_of_any_type(bench: &Bench) {
    let x: Vec<Vector> = (0..4).map(|i| Vector { x: i as f32, y: 10.0 * i as f32, z: 0.0 }).collect();
    let m = Matrix { rows: [x[1], x[2]], changes: 0 };
    let mut out = vec![0.0; 4];
    launch!(bench, keys(&x, m, &mut out), 1, 4);
    assert_eq!(out, [0.0 + 0.0 + 10.0, 10.0 + 10.0 + 20.0, 2.0 + 20.0 + 10.0, 30.0 + 30.0 + 20.0]);
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Ring<T, const N: usize> {
    slots: [T; N],
}

/// Every number is an index.
#[gpu_device]
impl<T: Num, const N: usize> Index<usize> for Ring<T, N> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        &self.slots[at % N]
    }
}

#[gpu_device]
impl<T: Num, const N: usize> IndexMut<usize> for Ring<T, N> {
    fn index_mut(&mut self, at: usize) -> &mut T {
        let at = at % N;
        &mut self.slots[at]
    }
}

#[gpu_device]
fn summed<T: Num, const N: usize>(ring: &Ring<T, N>, from: usize) -> T {
    let mut sum = T::from_i32(0);
    for at in from..from + N {
        sum = sum * T::from_i32(3) + ring[at];
    }
    sum
}

#[gpu_kernel]
pub fn rings(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let mut ring = Ring::<i32, 3> { slots: [1, 2, 3] };
        ring[i] += x[i];
        ring[i + 1] = ring[i + 3] * 2;
        out[i] = summed::<i32, 3>(&ring, i);
    }
}

fn elements_of_generic_buffers(bench: &Bench) {
    let x: Vec<i32> = (0..8).map(|i| i * i - 7).collect();
    let mut out = vec![0; 8];
    launch!(bench, rings(&x, &mut out), 1, 8);
    for i in 0..8 {
        let mut ring = Ring { slots: [1, 2, 3] };
        ring.slots[i % 3] += x[i];
        ring.slots[(i + 1) % 3] = ring.slots[i % 3] * 2;
        let expected = (i..i + 3).fold(0, |sum, at| sum * 3 + ring.slots[at % 3]);
        assert_eq!(out[i], expected);
    }
}

type Row = [f32; 3];
type Grid = [Row; 2];

#[gpu_kernel(fmad = false)]
pub fn of_aliases(x: &[Row], out: &mut [Row]) {
    let i = grid_1d();
    if i < out.len() {
        let mut grid: Grid = [[0.0; 3]; 2];
        for k in 0..3 {
            grid[1][k] = x[i][2 - k];
            grid[0][k] += grid[1][k] * 2.0;
        }
        let row: Row = grid[0];
        out[i][0] = row[0];
        out[i][1] = row[1] + grid[1][1];
        out[i][2] = grid[0][2];
    }
}

fn aliases_of_arrays_are_arrays(bench: &Bench) {
    let x: Vec<Row> = (0..3).map(|i| [i as f32, 1.5, 2.0 * i as f32]).collect();
    let mut out = vec![[0.0; 3]; 3];
    launch!(bench, of_aliases(&x, &mut out), 1, 4);
    assert_eq!(out, x.iter().map(|x| [x[2] * 2.0, x[1] * 2.0 + x[1], x[0] * 2.0]).collect::<Vec<_>>());
}

/// The operator counts, and the order of what is evaluated shows.
#[gpu_kernel]
pub fn effects(out: &mut [u32]) {
    if grid_1d() == 0 {
        let mut m = Matrix { rows: [Vector { x: 1.0, y: 2.0, z: 3.0 }; 2], changes: 0 };
        m[0].x += 1.0;
        let read = m[0].x;
        m[1] = m[0];
        let before = m.changes;
        m[0][0] = m[1][0] + read;
        out[0] = before;
        out[1] = m.changes;
        out[2] = m[0].x as u32;
    }
}

fn an_index_has_effects_once(bench: &Bench) {
    let mut out = vec![0; 3];
    launch!(bench, effects(&mut out), 1, 1);
    assert_eq!(out, [2, 3, 4]);
}

#[gpu_kernel]
pub fn out_of_bounds(m: Matrix, at: &[usize], out: &mut [f32]) {
    let i = grid_1d();
    if i < at.len() && i < out.len() {
        let _unused = m[at[i]];
        out[i] = 1.0;
    }
}

fn failures_in_indices_are_reported(bench: &Bench) {
    let m = Matrix { rows: [Vector::default(); 2], changes: 0 };
    let mut out = vec![0.0; 4];
    let failed = try_launch!(bench, out_of_bounds(m, &vec![0, 1, 2, 0], &mut out), 1, 4);
    let cause = IndexOutOfBounds { index: 2, len: 2 };
    assert_eq!(failed, Err(Failure { kernel: "out_of_bounds".into(), line: LINE_OF_INDEX, cause, block: [0; 3], thread: [2, 0, 0] }));
}
