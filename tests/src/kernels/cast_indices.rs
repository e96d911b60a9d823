//! Indices that are casts of numbers of 32 bits: one that wraps around is no index, whatever width a `usize` has on the device.

use gpu_runtime::FailureCause;
use gpu_runtime::FailureCause::IndexOutOfBounds;
use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch, try_launch};

cases![
    casts_are_indices wraps = true,
    a_cast_that_wraps_around_is_out_of_bounds wraps = true,
    variables_that_hold_casts_have_their_sign wraps = true,
    sums_of_small_integers_are_equal_if_their_low_bits_are wraps = true,
];

const LETTERS: usize = 256;
const SHORT: usize = 3;

/// A state is looked up by the one before, as in an automaton.
#[gpu_kernel]
pub fn steps(next: &[i32], states: &[i32], letters: &[u8], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let state = states[i];
        out[i] = next[state as usize * LETTERS + letters[i] as usize];
        out[i] += next[letters[i] as usize + 3 * state as usize];
        out[i] += next[state as usize + 1];
        out[i] += next[state as usize];
    }
}

/// The same of numbers without a sign, and of small ones.
#[gpu_kernel]
pub fn words(next: &[i32], states: &[u32], bytes: &[i8], out: &mut [i32]) {
    let local = [1, 2, 3, 4];
    let i = grid_1d();
    if i < out.len() {
        out[i] = next[states[i] as usize * SHORT + 2] + local[bytes[i] as usize] + next[bytes[i] as usize * 2 + bytes[i] as u8 as usize];
    }
}

/// Of all columns, those of the row, until one has a sign.
#[gpu_kernel]
pub fn rows(columns: &[i32], x: &[i32], width: usize, out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let first = columns[i] as usize;
        let mut last = columns[i + 1] as usize;
        let mut sum = 0;
        for k in 0..3 {
            if last < width {
                sum += x[last] + x[last * 2 + 1];
            }
            if first >= width {
                sum += 1000;
            }
            last = columns[i + k] as usize;
        }
        out[i] = sum + x[first * width + 1];
    }
}

fn table(length: usize) -> Vec<i32> {
    (0..length as i32).map(|k| k * 7).collect()
}

fn casts_are_indices(bench: &Bench) {
    let (next, states, letters) = (table(1024), vec![0, 1, 2, 3], vec![0u8, 7, 200, 255]);
    let mut out = vec![0; 4];
    launch!(bench, steps(&next, &states, &letters, &mut out), 1, 4);
    let expected = |k: usize| {
        let (state, letter) = (k as i32, i32::from(letters[k]));
        7 * (state * 256 + letter + letter + 3 * state + state + 1 + state)
    };
    assert_eq!(out, (0..4).map(expected).collect::<Vec<_>>());
    launch!(bench, words(&next, &vec![0, 1, 100, 340], &vec![0, 1, 2, 3], &mut out), 1, 4);
    assert_eq!(out, [0i32, 1, 100, 340].iter().zip(0..).map(|(state, k)| 7 * (state * 3 + 2) + k + 1 + 7 * 3 * k).collect::<Vec<_>>());
}

/// What the only thread of a launch reports.
fn cause<F>(outcome: Result<(), F>, of: impl FnOnce(F) -> FailureCause) -> Option<FailureCause> {
    outcome.err().map(of)
}

fn a_cast_that_wraps_around_is_out_of_bounds(bench: &Bench) {
    let next = table(1024);
    let mut out = vec![0];
    // Times 256, these are 0 or a little more, modulo 2³².
    for state in [-1, i32::MIN, i32::MIN + 1, -(1 << 24), 1 << 24, (1 << 24) + 1, 1 << 23, (1 << 23) - 1, (1 << 23) + 1, i32::MAX, 4] {
        let outcome = try_launch!(bench, steps(&next, &vec![state], &vec![5], &mut out), 1, 1);
        let index = (state as u64).wrapping_mul(256).wrapping_add(5);
        assert_eq!(cause(outcome, |failure| failure.cause), Some(IndexOutOfBounds { index, len: 1024 }), "{state}");
    }
    for state in [0x5555_5555, 0x5555_5556, 0xaaaa_aaab, 0x2aaa_aaab, u32::MAX, 1 << 31, 342] {
        let outcome = try_launch!(bench, words(&next, &vec![state], &vec![0], &mut out), 1, 1);
        let index = u64::from(state) * 3 + 2;
        assert_eq!(cause(outcome, |failure| failure.cause), Some(IndexOutOfBounds { index, len: 1024 }), "{state}");
    }
    for byte in [-1i8, -128, 4] {
        let outcome = try_launch!(bench, words(&next, &vec![0], &vec![byte], &mut out), 1, 1);
        assert_eq!(cause(outcome, |failure| failure.cause), Some(IndexOutOfBounds { index: byte as u64, len: 4 }), "{byte}");
    }
}

fn variables_that_hold_casts_have_their_sign(bench: &Bench) {
    let x = table(64);
    let mut out = vec![0];
    launch!(bench, rows(&vec![2, -1, 3], &x, 8, &mut out), 1, 1);
    // The first round has -1, the others 2 and -1.
    assert_eq!(out, [7 * 2 + 7 * 5 + 7 * 17]);
    launch!(bench, rows(&vec![0, 1, -5], &x, 0, &mut out), 1, 1);
    assert_eq!(out, [3000 + 7]);
    for (first, width) in [(-1, 8usize), (-1, 1), (i32::MIN, 2), (1 << 29, 8), (i32::MAX, 2), (i32::MIN, 1 << 33)] {
        let outcome = try_launch!(bench, rows(&vec![first, -1, -1], &x, width, &mut out), 1, 1);
        let index = (first as u64).wrapping_mul(width as u64).wrapping_add(1);
        match index {
            0..64 => assert_eq!(cause(outcome, |failure| failure.cause), None, "{first}"),
            _ => assert!(cause(outcome, |failure| failure.cause).is_some(), "{first} {width}"),
        }
    }
}

#[gpu_kernel]
pub fn equal_sums(a: &[i8], b: &[i16], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let (x, y) = (a[i], a[i + 1]);
        let (u, v) = (x as u8, b[i] as u16);
        let mut bits = 0;
        bits |= u32::from(x == y - 1);
        bits |= u32::from(x + y == x - y) << 1;
        bits |= u32::from(x * 16 != y * y) << 2;
        bits |= u32::from(u + 200 == 100) << 3;
        bits |= u32::from(b[i] * b[i] == b[i] + 1) << 4;
        bits |= u32::from(v + 65_535 != v * 3 - 5) << 5;
        out[i] = bits;
    }
}

fn sums_of_small_integers_are_equal_if_their_low_bits_are(bench: &Bench) {
    let a: Vec<i8> = (0..=256).map(|k: i32| (k * 129) as i8).chain([-128, 127, -127]).collect();
    let b: Vec<i16> = (0..a.len() as i32).map(|k| (k * 0x1203 - 0x8000) as i16).collect();
    let mut out = vec![0; a.len() - 1];
    launch!(bench, equal_sums(&a, &b, &mut out), 1, 288);
    let expected = |k: usize| {
        let (x, y, u, w, v) = (a[k], a[k + 1], a[k] as u8, b[k], b[k] as u16);
        u32::from(x == y.wrapping_sub(1))
            | u32::from(x.wrapping_add(y) == x.wrapping_sub(y)) << 1
            | u32::from(x.wrapping_mul(16) != y.wrapping_mul(y)) << 2
            | u32::from(u.wrapping_add(200) == 100) << 3
            | u32::from(w.wrapping_mul(w) == w.wrapping_add(1)) << 4
            | u32::from(v.wrapping_add(65_535) != v.wrapping_mul(3).wrapping_sub(5)) << 5
    };
    assert_eq!(out, (0..out.len()).map(expected).collect::<Vec<_>>());
}
