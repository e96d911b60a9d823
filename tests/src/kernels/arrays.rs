//! Local arrays: flat, nested, of tuples, in tuples.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    elements_are_read_and_written,
    nested_arrays_have_rows,
    arrays_are_copied_by_value,
    arrays_and_tuples_hold_each_other,
    an_array_sorts_itself,
    bools_and_bytes_have_arrays wraps = true,
    arrays_are_parameters,
];

/// A polynomial from a table, and a running window.
#[gpu_kernel(fmad = false)]
pub fn tables(x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() {
        let coefficients = [1.0, -0.5, 0.25, 3.0];
        let mut powers = [1.0; 4];
        for k in 1..4 {
            powers[k] = powers[k - 1] * x[i];
        }
        let mut value = 0.0;
        for k in 0..coefficients.len() {
            value += coefficients[k] * powers[k];
        }
        powers[i % 4] += value;
        powers[3] *= 2.0;
        out[i] = powers[0] + powers[1] + powers[2] + powers[3];
    }
}

fn elements_are_read_and_written(bench: &Bench) {
    let x = vec![0.5, -2.0, 3.0, 0.1, 7.0];
    let mut out = vec![0.0; 5];
    launch!(bench, tables(&x, &mut out), 1, 5);
    let expected: Vec<f64> = (x.iter().enumerate())
        .map(|(i, &x)| {
            let mut p = [1.0, x, x * x, x * x * x];
            p[i % 4] += 0.0 + 1.0 + -0.5 * p[1] + 0.25 * p[2] + 3.0 * p[3];
            p[0] + p[1] + p[2] + p[3] * 2.0
        })
        .collect();
    assert_same(&out, &expected);
}

/// A 3×3 matrix is squared.
#[gpu_kernel]
pub fn matrices(x: &[i32], out: &mut [i32]) {
    let t = grid_1d();
    if t == 0 {
        let mut m = [[0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                m[i][j] = x[3 * i + j];
            }
        }
        let mut square: [[i32; 3]; 3] = [[0, 0, 0], [0, 0, 0], [0, 0, 0]];
        for i in 0..3 {
            for j in 0..3 {
                for k in 0..3 {
                    square[i][j] += m[i][k] * m[k][j];
                }
            }
        }
        let last = square[2];
        m[1] = last;
        (m[0][0], m[0][1]) = (m[0][1], m[0][0]);
        for i in 0..3 {
            for j in 0..3 {
                out[3 * i + j] = square[i][j];
                out[9 + 3 * i + j] = m[i][j];
            }
        }
        out[18] = (m.len() + m[0].len()) as i32;
    }
}

fn nested_arrays_have_rows(bench: &Bench) {
    let x = vec![1, 2, 3, 4, 5, 6, 7, 8, 9];
    let mut out = vec![0; 19];
    launch!(bench, matrices(&x, &mut out), 1, 1);
    assert_eq!(out, [30, 36, 42, 66, 81, 96, 102, 126, 150, 2, 1, 3, 102, 126, 150, 7, 8, 9, 6]);
}

/// A copy does not follow its original.
#[gpu_kernel]
pub fn copies(x: &[u16], out: &mut [u16]) {
    let i = grid_1d();
    if i < x.len() {
        let mut a = [x[i], 2, 3];
        let b = a;
        a[0] = 100;
        let mut c = a;
        c[1] = 50;
        a = b;
        let chosen = if i % 2 == 0 { a } else { c };
        let from_loop = loop {
            if c[2] > 10 {
                break c;
            }
            c[2] += 4;
        };
        let d = { [b[0]; 3] };
        out[i] = a[0] * 1000 + chosen[0] * 10 + from_loop[2] + d[2];
    }
}

fn arrays_are_copied_by_value(bench: &Bench) {
    let mut out = vec![0; 2];
    launch!(bench, copies(&vec![4, 6], &mut out), 1, 2);
    assert_eq!(out, [4000 + 40 + 11 + 4, 6000 + 1000 + 11 + 6]);
}

/// Arrays of tuples, tuples of arrays.
#[gpu_kernel]
pub fn mixtures(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        let mut pairs = [(0.0f32, 0u32); 4];
        for k in 0..4 {
            pairs[k] = (x[i] + k as f32, k as u32 * 2);
            pairs[k].1 += 1;
        }
        let mut split = ([0.0f32; 4], [0u32; 4]);
        for k in 0..4 {
            let (value, count) = pairs[3 - k];
            split.0[k] = value;
            split.1[k] = count;
        }
        let (values, counts) = split;
        let mut s = 0.0;
        for k in 0..4 {
            s = s * 2.0 + values[k] * counts[k] as f32;
        }
        out[i] = s + pairs[1].0 + split.0[3];
    }
}

fn arrays_and_tuples_hold_each_other(bench: &Bench) {
    let x = vec![0.0, 1.0, -2.0];
    let mut out = vec![0.0; 3];
    launch!(bench, mixtures(&x, &mut out), 1, 3);
    let expected: Vec<f32> = x.iter().map(|x| 56.0 * (x + 3.0) + 20.0 * (x + 2.0) + 6.0 * (x + 1.0) + x + (x + 1.0) + x).collect();
    assert_same(&out, &expected);
}

/// Insertion sort in registers.
#[gpu_kernel]
pub fn sort(x: &mut [i16]) {
    let t = grid_1d();
    if 8 * t + 7 < x.len() {
        let mut a = [0; 8];
        for k in 0..8 {
            a[k] = x[8 * t + k];
        }
        for k in 1..8 {
            let mut j = k;
            while j > 0 && a[j - 1] > a[j] {
                (a[j - 1], a[j]) = (a[j], a[j - 1]);
                j -= 1;
            }
        }
        for k in 0..8 {
            x[8 * t + k] = a[k];
        }
    }
}

fn an_array_sorts_itself(bench: &Bench) {
    let original: Vec<i16> = (0..40).map(|i: i16| i.wrapping_mul(i).wrapping_mul(2718) % 1000).collect();
    let mut x = original.clone();
    launch!(bench, sort(&mut x), 1, 32);
    let mut expected = original;
    expected.chunks_mut(8).for_each(<[i16]>::sort);
    assert_eq!(x, expected);
}

/// Flags of the numbers from 0 to 15, and bytes.
#[gpu_kernel]
pub fn small_elements(x: &[u8], flags: &mut [bool], bytes: &mut [u8]) {
    let i = grid_1d();
    if i < x.len() {
        let mut seen = [false; 16];
        let mut digits = [0u8; 4];
        let mut n = x[i];
        for k in 0..3 {
            digits[k] = n % 10;
            seen[digits[k] as usize] = true;
            n /= 10;
        }
        digits[3] -= 1;
        flags[i] = seen[7] && !seen[1] | seen[15];
        bytes[i] = digits[0] * 100 + digits[2] * 10 + digits[1] + digits[3];
    }
}

fn bools_and_bytes_have_arrays(bench: &Bench) {
    let (mut flags, mut bytes) = (vec![false; 4], vec![0; 4]);
    launch!(bench, small_elements(&vec![7, 172, 73, 255], &mut flags, &mut bytes), 1, 4);
    assert_eq!(flags, [true, false, true, false]);
    assert_eq!(bytes, [187, 216, 50, 12]);
}

#[gpu_kernel(fmad = false)]
pub fn filtered(x: &[f32], weights: [f32; 3], matrix: [[i32; 2]; 2], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let mut sum = 0.0;
        for k in 0..3 {
            sum += weights[k] * x[(i + k) % x.len()];
        }
        for row in matrix {
            sum += row[i % 2] as f32;
        }
        out[i] = sum;
    }
}

crate::value_arguments![[f32; 3], [[i32; 2]; 2]];

fn arrays_are_parameters(bench: &Bench) {
    let mut out = vec![0.0; 4];
    launch!(bench, filtered(&vec![1.0, 2.0, 4.0, 8.0], [0.5, 1.0, 2.0], [[100, 200], [300, 400]], &mut out), 1, 32);
    assert_eq!(out, [400.0 + 10.5, 600.0 + 21.0, 400.0 + 12.0, 600.0 + 9.0]);
}
