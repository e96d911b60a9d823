//! Arrays that are constants, in constant memory.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch, try_launch};

cases![
    a_convolution_has_constant_weights,
    tables_of_every_type_keep_their_values wraps = true,
    tables_are_found_by_any_path,
    rows_are_copied_and_indexed wraps = true,
    device_functions_have_tables_of_their_own,
    tables_have_tuples,
    tables_have_tuples_that_rustc_reorders,
    tables_have_enums,
    an_index_past_a_table_is_reported,
];

/// A binomial filter.
pub const WEIGHTS: [f32; 5] = [0.0625, 0.25, 0.375, 0.25, 0.0625];

/// One axis of a separable convolution: along rows with `step` 1, along columns with the width.
#[gpu_kernel(fmad = false)]
pub fn convolve(x: &[f32], width: usize, along_rows: bool, out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let height = x.len() / width;
        let (row, column) = (i / width, i % width);
        let mut sum = 0.0;
        for k in 0..WEIGHTS.len() {
            let (at, end) = if along_rows { (column + k, width) } else { (row + k, height) };
            if at >= 2 && at - 2 < end {
                sum += WEIGHTS[k] * if along_rows { x[row * width + at - 2] } else { x[(at - 2) * width + column] };
            }
        }
        out[i] = sum;
    }
}

fn a_convolution_has_constant_weights(bench: &Bench) {
    let (width, height) = (13, 9);
    let x: Vec<f32> = (0..width * height).map(|i| (i * i % 31) as f32 - 12.5).collect();
    let (mut rows, mut out) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    launch!(bench, convolve(&x, width, true, &mut rows), 4, 32);
    launch!(bench, convolve(&rows, width, false, &mut out), 4, 32);
    let along = |x: &[f32], step: usize, position: &dyn Fn(usize) -> (usize, usize)| -> Vec<f32> {
        let at = |i: usize| {
            let (position, end) = position(i);
            (0..5).fold(0.0, |sum, k| {
                let inside = position + k >= 2 && position + k - 2 < end;
                if inside { sum + WEIGHTS[k] * x[i + k * step - 2 * step] } else { sum }
            })
        };
        (0..x.len()).map(at).collect()
    };
    let expected = along(&x, 1, &|i| (i % width, width));
    assert_same(&rows, &expected);
    assert_same(&out, &along(&expected, width, &|i| (i / width, height)));
}

const SIGNED: [i8; 3] = [i8::MIN, -1, 127];
const WIDE: [u64; 2] = [u64::MAX, 0];
const LONG: [i64; 2] = [i64::MIN, 1 << 40];
const FLAGS: [bool; 3] = [true, false, true];
const FLOATS: [f32; 6] = [-0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1.0 / 3.0, f32::MIN_POSITIVE];
const DOUBLES: [f64; 3] = [f64::NEG_INFINITY, 1e-310, -2.5];
const CUBE: [[[u16; 2]; 3]; 2] = [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 65_535]]];

/// One table of many a type.
#[gpu_kernel]
pub fn every_type(integers: &mut [i64], singles: &mut [f32], doubles: &mut [f64]) {
    let t = grid_1d();
    if t < 12 && t < integers.len() && t < singles.len() && t < doubles.len() {
        integers[t] = SIGNED[t % 3] as i64 + WIDE[t % 2] as i64 + LONG[t % 2] + CUBE[t / 6][t / 2 % 3][t % 2] as i64;
        if FLAGS[t % 3] && !FLAGS[1] {
            integers[t] += 1000;
        }
        singles[t] = FLOATS[t % 6];
        doubles[t] = DOUBLES[t % DOUBLES.len()];
    }
}

fn tables_of_every_type_keep_their_values(bench: &Bench) {
    let (mut integers, mut singles, mut doubles) = (vec![0; 12], vec![0.0; 12], vec![0.0; 12]);
    launch!(bench, every_type(&mut integers, &mut singles, &mut doubles), 1, 12);
    let expected = (0..12usize).map(|t| {
        let flagged = if t % 3 == 1 { 0 } else { 1000i64 };
        let sum = i64::from(SIGNED[t % 3]).wrapping_add(WIDE[t % 2] as i64).wrapping_add(LONG[t % 2]);
        sum.wrapping_add(i64::from(CUBE[t / 6][t / 2 % 3][t % 2])).wrapping_add(flagged)
    });
    assert_eq!(integers, expected.collect::<Vec<_>>());
    assert_same(&singles, &FLOATS.repeat(2));
    assert_same(&doubles, &DOUBLES.repeat(4));
}

pub mod deep {
    pub static PRIMES: [u32; 4] = [2, 3, 5, 7];
    pub const TABLE: [i32; 2] = [10, 20];
}

/// A type that has a table.
pub struct Settings;

impl Settings {
    pub const LIMITS: [i32; 3] = [-1, 0, 1];
}

const TABLE: [i32; 2] = [1, 2];

/// Names that are alike, a `static`, a constant of a type, and one of the body.
#[gpu_kernel]
pub fn paths(out: &mut [i32]) {
    const OWN: [i32; 3] = [100, 200, 300];
    let i = grid_1d();
    if i < out.len() {
        out[i] = TABLE[i % 2] + deep::TABLE[i % 2] + deep::PRIMES[i % 4] as i32 * 1000 + Settings::LIMITS[i % 3] + OWN[i % OWN.len()];
    }
}

fn tables_are_found_by_any_path(bench: &Bench) {
    let mut out = vec![0; 12];
    launch!(bench, paths(&mut out), 1, 12);
    let expected = (0..12).map(|i| [11, 22][i % 2] + [2000, 3000, 5000, 7000][i % 4] + [-1, 0, 1][i % 3] + [100, 200, 300][i % 3]);
    assert_eq!(out, expected.collect::<Vec<_>>());
}

/// A row as a value of its own, changed without an effect on the table.
#[gpu_kernel]
pub fn rows(out: &mut [u16]) {
    let i = grid_1d();
    if i < out.len() {
        let mut row = CUBE[1][i % 3];
        row[0] += 100;
        out[i] = row[0] + row[1] * 2 + CUBE[1][i % 3][0];
    }
}

fn rows_are_copied_and_indexed(bench: &Bench) {
    let mut out = vec![0; 3];
    launch!(bench, rows(&mut out), 1, 3);
    assert_eq!(out, [107 + 16 + 7, 109 + 20 + 9, 111u16.wrapping_add(65_535u16.wrapping_mul(2)).wrapping_add(11)]);
}

const COEFFICIENTS: [f64; 4] = [1.0, -0.5, 0.25, 2.0];

/// A polynomial by Horner's rule.
#[gpu_device]
fn polynomial(x: f64) -> f64 {
    let mut sum = 0.0;
    for k in (0..COEFFICIENTS.len()).rev() {
        sum = sum * x + COEFFICIENTS[k];
    }
    sum
}

/// Calls the function, and reads its table.
#[gpu_kernel(fmad = false)]
pub fn calls(x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        out[i] = polynomial(x[i]) + COEFFICIENTS[i % 4];
    }
}

fn device_functions_have_tables_of_their_own(bench: &Bench) {
    let x = vec![0.0, 1.0, -2.0, 0.5];
    let mut out = vec![0.0; 4];
    launch!(bench, calls(&x, &mut out), 1, 4);
    let value = |(i, x): (usize, &f64)| ((2.0 * x + 0.25) * x - 0.5) * x + 1.0 + COEFFICIENTS[i];
    assert_same(&out, &x.iter().enumerate().map(value).collect::<Vec<_>>());
    assert_eq!(polynomial(1.0), 2.75);
}

/// Looks up where it is told.
#[gpu_kernel]
pub fn look_up(index: &[usize], out: &mut [f32]) {
    let i = grid_1d();
    if i < index.len() && i < out.len() {
        out[i] = WEIGHTS[index[i]];
    }
}

fn an_index_past_a_table_is_reported(bench: &Bench) {
    let mut out = vec![0.0; 3];
    launch!(bench, look_up(&vec![4, 0, 2], &mut out), 1, 3);
    assert_same(&out, &[0.0625, 0.0625, 0.375]);
    let failure = try_launch!(bench, look_up(&vec![4, 5, 2], &mut out), 1, 3).expect_err("one index is the length");
    assert_eq!(failure.cause, gpu_runtime::FailureCause::IndexOutOfBounds { index: 5, len: 5 });
}

/// The neighbours of a cell, their weights, and pairs in pairs.
pub const NEIGHBOURS: [(i32, i32, f32); 4] = [(1, 0, 0.5), (0, -1, f32::INFINITY), (-1, 0, 2.0), (0, 1, -0.0)];

#[gpu_kernel(fmad = false)]
pub fn neighbours(out: &mut [f32], sums: &mut [i64]) {
    const NESTED: [[(u8, (bool, i64)); 2]; 2] = [[(1, (true, -5)), (2, (false, i64::MIN))], [(3, (true, 7)), (255, (false, i64::MAX))]];
    let i = grid_1d();
    if i < out.len() && i < sums.len() {
        let (dx, dy, weight) = NEIGHBOURS[i % 4];
        out[i] = (dx * 3 + dy * 5) as f32 * weight + NEIGHBOURS[(i + 1) % 4].0 as f32;
        for row in 0..2 {
            let (first, (flag, second)) = NESTED[row][i % 2];
            sums[i] = sums[i] ^ second ^ if flag { first as i64 } else { -1 };
        }
        sums[i] = sums[i].wrapping_add(NESTED[1][0].1.1);
    }
}

fn tables_have_tuples(bench: &Bench) {
    let (mut out, mut sums) = (vec![0.0f32; 8], vec![0i64; 8]);
    launch!(bench, neighbours(&mut out, &mut sums), 1, 32);
    let expected = (0..8).map(|i| {
        let (dx, dy, weight) = NEIGHBOURS[i % 4];
        (dx * 3 + dy * 5) as f32 * weight + NEIGHBOURS[(i + 1) % 4].0 as f32
    });
    assert_same(&out, &expected.collect::<Vec<f32>>());
    let even = -5 ^ 1 ^ 7 ^ 3;
    let odd = i64::MIN ^ i64::MAX;
    assert_same(&sums, &[even, odd].map(|sum: i64| sum.wrapping_add(7)).repeat(4));
}

/// Tuples whose largest elements come first in memory.
const BYTES: [(u8, f32, f32); 2] = [(1, 2.0, 3.0), (4, 5.0, 6.0)];
const AROUND: [(u8, u32, u8); 2] = [(1, u32::MAX, 3), (4, 5, 255)];
const SIGNED_FIRST: [(i8, f64, bool); 2] = [(-1, -0.5, true), (-128, 1e300, false)];
const HALVES: [(u16, u64, u16); 2] = [(1, u64::MAX, 2), (3, 4, 65_535)];
const IN_EACH_OTHER: [(u8, (u8, u64, u8), u16); 2] = [(1, (2, 3, 4), 5), (6, (7, 8, 9), 10)];
#[expect(clippy::type_complexity, reason = "the layout of such a type is what is tested")]
const ARRAYS: [(bool, [f32; 3], u8, [(u8, u16); 2]); 2] =
    [(true, [1.0, 2.0, 3.0], 4, [(5, 6), (7, 8)]), (false, [-1.0, -2.0, -3.0], 9, [(10, 11), (12, 13)])];
const HALF: half::f16 = half::f16::from_f32_const(1.5);
const SMALL: [(u8, half::f16, f32, half::bf16); 2] = [(1, HALF, 2.5, half::bf16::ONE), (4, half::f16::NEG_ONE, 5.5, half::bf16::INFINITY)];

#[gpu_kernel]
pub fn reordered(out: &mut [[f64; 7]]) {
    let i = grid_1d();
    if i < out.len() {
        let k = i % 2;
        let (a, b, c) = BYTES[k];
        out[i][0] = (a as f32 * b + c) as f64;
        let (a, b, c) = AROUND[k];
        out[i][1] = a as f64 * b as f64 + c as f64;
        let (a, b, c) = SIGNED_FIRST[k];
        out[i][2] = if c { a as f64 + b } else { a as f64 * b };
        let (a, b, c) = HALVES[k];
        out[i][3] = (b.wrapping_add(a as u64) + c as u64) as f64;
        let (a, (b, c, d), e) = IN_EACH_OTHER[k];
        out[i][4] = (a as u64 + 10 * b as u64 + 100 * c + 1000 * d as u64 + 10_000 * e as u64) as f64;
        let row = ARRAYS[k];
        out[i][5] = (row.1[0] + row.1[2] * row.2 as f32) as f64 + (row.3[1].1 * row.3[0].0 as u16) as f64;
        let (a, b, c, d) = SMALL[k];
        out[i][6] = a as f64 + f64::from(b) + c as f64 + f64::from(d);
    }
}

fn tables_have_tuples_that_rustc_reorders(bench: &Bench) {
    let mut out = vec![[0.0; 7]; 2];
    launch!(bench, reordered(&mut out), 1, 32);
    let first = [5.0, 4_294_967_298.0, -1.5, 2.0, 54_321.0, 13.0 + 40.0, 6.0];
    let second = [26.0, 275.0, -1.28e302, 65_542.0, 109_876.0, -28.0 + 130.0, f64::INFINITY];
    assert_same(&out[0], &first);
    assert_same(&out[1], &second);
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(i16)]
pub enum Side {
    Left = -3,
    None = 0,
    Right = 700,
}

const SIDES: [Side; 5] = [Side::Left, Side::Right, Side::None, Side::Right, Side::Left];
static WEIGHED: [[(Side, f32); 2]; 2] = [[(Side::Left, 1.5), (Side::None, 2.0)], [(Side::Right, -1.0), (Side::Left, 0.5)]];

/// Enums without data, alone and in tuples: as values, compared and matched.
#[gpu_kernel(fmad = false)]
pub fn look_up_sides(out: &mut [Side], sums: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() && i < sums.len() {
        let side = SIDES[i * 3 % 5];
        out[i] = side;
        let (other, weight) = WEIGHED[i % 2][i / 2 % 2];
        let sign = match SIDES[i % 5] {
            Side::Left => -1.0,
            Side::None => 0.0,
            Side::Right => 1.0,
        };
        sums[i] = sign * weight + if other == side { 10.0 } else { 0.0 };
    }
}

fn tables_have_enums(bench: &Bench) {
    let (mut out, mut sums) = (vec![Side::None; 9], vec![0.0; 9]);
    launch!(bench, look_up_sides(&mut out, &mut sums), 1, 32);
    for i in 0..9 {
        let (other, weight) = WEIGHED[i % 2][i / 2 % 2];
        let sign = (SIDES[i % 5] as i32).signum() as f32;
        let found = if other == SIDES[i * 3 % 5] { 10.0 } else { 0.0 };
        assert_eq!((out[i], sums[i]), (SIDES[i * 3 % 5], sign * weight + found), "{i}");
    }
}
