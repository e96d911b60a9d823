//! Arrays that device functions take by value, and what is told by an argument's type: lengths and elements.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    arrays_are_passed_by_value,
    lengths_and_elements_follow_from_arguments wraps = true,
    copies_stay_their_callers,
    arrays_are_mapped,
];

#[gpu_device]
fn sum<const N: usize>(a: [f32; N]) -> f32 {
    let mut sum = 0.0;
    for i in 0..N {
        sum += a[i];
    }
    sum
}

#[gpu_device]
fn dot<T: Num, const N: usize>(a: [T; N], b: [T; N]) -> T {
    let mut sum = T::ZERO;
    for i in 0..a.len() {
        sum += a[i] * b[i];
    }
    sum
}

#[gpu_device]
fn transposed<T: Num, const R: usize, const C: usize>(a: [[T; C]; R]) -> [[T; R]; C] {
    let mut out = [[T::ZERO; R]; C];
    for i in 0..R {
        for j in 0..C {
            out[j][i] = a[i][j];
        }
    }
    out
}

#[gpu_device]
fn or_first<T: Num>(value: Option<T>, others: [T; 2]) -> T {
    value.unwrap_or(others[0])
}

#[gpu_kernel(fmad = false)]
pub fn add_up(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        let a = [x[i], 2.0, 3.0];
        out[i] = sum(a) * 100.0 + sum([x[i]; 8]) + sum::<2>([0.5, x[i]]);
    }
}

fn arrays_are_passed_by_value(bench: &Bench) {
    let mut out = vec![0.0; 2];
    bench.launch::<add_up::Kernel>((&vec![1.0, -4.0], &mut out), 1, 2);
    assert_same(&out, &[600.0 + 8.0 + 1.5, 100.0 - 32.0 - 3.5]);
    assert_eq!(sum([1.0, 2.0]), 3.0);
}

#[gpu_kernel]
pub fn combine<const K: usize>(rows: &[[i32; 3]], wide: &[[u8; K]], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() && i < rows.len() && i < wide.len() {
        let matrix = [rows[i], rows[0]];
        let turned: [[i32; 2]; 3] = transposed(matrix);
        let pairs: [[i32; 3]; 2] = transposed(turned);
        out[i] = dot(rows[i], rows[0]) + dot(turned[2], [10, 100]) + or_first(Some(7), [1, 2]) + dot(wide[i], wide[0]) as i32;
        out[i] += dot(pairs[0], pairs[1]) * 1000;
    }
}

fn lengths_and_elements_follow_from_arguments(bench: &Bench) {
    let rows = vec![[1, 2, 3], [-4, 5, 6]];
    let wide = vec![[1u8, 2, 200, 4], [100, 3, 2, 1]];
    let mut out = vec![0; 2];
    bench.launch::<combine::Kernel<4>>((&rows, &wide, &mut out), 1, 2);
    let dot = |a: &[i32; 3], b: &[i32; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<i32>();
    let bytes = |a: &[u8; 4], b: &[u8; 4]| a.iter().zip(b).fold(0u8, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)));
    let expected = [0, 1].map(|i| {
        let turned = rows[i][2] * 10 + rows[0][2] * 100;
        dot(&rows[i], &rows[0]) + turned + 7 + i32::from(bytes(&wide[i], &wide[0])) + dot(&rows[i], &rows[0]) * 1000
    });
    assert_eq!(out, expected);
}

/// Changes its own copy.
#[gpu_device]
fn rotated<const N: usize>(mut a: [u32; N], by: usize) -> [u32; N] {
    for _ in 0..by {
        let first = a[0];
        for i in 1..N {
            a[i - 1] = a[i];
        }
        a[N - 1] = first;
    }
    a
}

#[gpu_kernel]
pub fn rotate(out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let a = [1, 2, 3, 4];
        let b: [u32; 4] = rotated(a, i);
        let c: [u32; 4] = rotated(b, 1);
        out[i] = a[0] * 1000 + b[0] * 100 + c[0] * 10 + c[3];
    }
}

fn copies_stay_their_callers(bench: &Bench) {
    let mut out = vec![0; 4];
    bench.launch::<rotate::Kernel>((&mut out,), 1, 4);
    assert_eq!(out, [1121, 1232, 1343, 1414]);
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Path {
    steps: [u32; 4],
    ends: [f32; 2],
}

#[gpu_device]
impl Path {
    fn reversed(&self) -> [u32; 4] {
        let s = self.steps;
        [s[3], s[2], s[1], s[0]]
    }
}

#[gpu_device]
fn second(_: u32, x: u32) -> u32 {
    x
}

#[gpu_device]
fn squared(x: u32) -> u32 {
    x * x
}

#[gpu_kernel(fmad = false)]
pub fn mapped(paths: &[Path], sums: &mut [u32], ends: &mut [f32], counts: &mut [usize]) {
    let i = grid_1d();
    if i < paths.len() && i < sums.len() && i < ends.len() && i < counts.len() {
        let p = paths[i];
        let mut calls = 0;
        let squares: [u32; 4] = p.reversed().map(|s| {
            calls += 1;
            s * s + i as u32
        });
        let again: [u32; 4] = squares.map(squared);
        let small = again.map(|v| v % 100).map(|v| v as f32 * 0.5);
        let halves: [f32; 2] = paths[i].ends.map(|end| end / 2.0);
        let pair = [1u32, 2].map(|k| again[k as usize]);
        sums[i] = again[0] + squares[3] * 3 + second(7, pair[1]);
        ends[i] = halves[0] - halves[1] + small[2];
        counts[i] = calls + squares.map(|s| s > 4).len();
    }
}

fn arrays_are_mapped(bench: &Bench) {
    let paths: Vec<Path> = (0..6).map(|i| Path { steps: [i, i + 1, 7 - i, 3], ends: [i as f32, 0.75] }).collect();
    let (mut sums, mut ends, mut counts) = (vec![0; 6], vec![0.0; 6], vec![0; 6]);
    launch!(bench, mapped(&paths, &mut sums, &mut ends, &mut counts), 1, 32);
    for (i, p) in paths.iter().enumerate() {
        let squares = p.reversed().map(|s| s * s + i as u32);
        let again = squares.map(|v| v * v);
        assert_eq!(sums[i], again[0] + squares[3] * 3 + again[2]);
        assert_eq!(ends[i], p.ends[0] / 2.0 - 0.375 + (again[2] % 100) as f32 * 0.5);
        assert_eq!(counts[i], 8);
    }
}
