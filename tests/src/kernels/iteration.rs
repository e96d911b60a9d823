//! `for` over the elements of slices, arrays, tables, fields and shared memory; swapped elements; arrays as arguments.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, kernel_and_oracle, launch};

cases![
    loops_over_elements_visit_what_iterators_do,
    loops_take_elements_apart,
    a_copy_is_looped_over_while_the_array_changes,
    elements_are_swapped,
    arrays_are_passed_by_value,
    methods_are_found_on_what_methods_return,
];

const WEIGHTS: [f64; 3] = [0.25, 0.5, 2.0];

// One sum for each kind of loop, which depends on the order.
kernel_and_oracle! {
    visit, visit_plainly,
    (x: &[f64], y: &[f64], count: usize, out: &mut [f64]) {
        let mut s = 1.0;
        for v in x {
            s = s * 0.5 + v;
        }
        out[0] = s;
        s = 1.0;
        for &v in x.iter().rev() {
            s = s * 0.5 + v;
        }
        out[1] = s;
        s = 1.0;
        for (i, v) in x.iter().enumerate() {
            if i % 3 == 1 {
                continue;
            }
            s = s * 0.5 + *v - i as f64;
        }
        out[2] = s;
        s = 1.0;
        for (a, b) in x.iter().zip(y) {
            s = s * 0.5 + a * b.sqrt();
        }
        out[3] = s;
        s = 1.0;
        for (i, (a, &b)) in x.iter().rev().zip(y.iter().skip(count)).enumerate() {
            s = s * 0.5 + a * b + i as f64;
        }
        out[4] = s;
        s = 1.0;
        for v in x.iter().skip(count).take(count + 1) {
            s = s * 0.5 + v;
        }
        out[5] = s;
        s = 1.0;
        for v in x.iter().copied().rev().step_by(count + 1) {
            s = s * 0.5 + v;
        }
        out[6] = s;
        s = 1.0;
        'outer: for a in x {
            for (b, w) in y.iter().zip(WEIGHTS) {
                if a < b {
                    break 'outer;
                }
                s = s * w + -a;
            }
        }
        out[7] = s;
        s = 1.0;
        for _ in x.iter().take(count) {
            s *= 3.0;
        }
        for v in [s, 2.0] {
            s = s * 0.5 + v;
        }
        out[8] = s;
    }
}

fn loops_over_elements_visit_what_iterators_do(bench: &Bench) {
    let numbers: Vec<f64> = (0..7).map(|i| 9.0 - 1.5 * f64::from(i)).collect();
    for (x, y) in [(&numbers[..], &numbers[2..4]), (&numbers[3..], &numbers[..]), (&numbers[..1], &numbers[..]), (&[], &[])] {
        for count in [0, 1, 3, 20] {
            let (mut out, mut expected) = (vec![0f64; 9], vec![0f64; 9]);
            visit_plainly(x, y, count, &mut expected);
            let (x, y) = (x.to_vec(), y.to_vec());
            launch!(bench, visit(&x, &y, count, &mut out), 1, 1);
            assert_eq!(out.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), expected.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Reading {
    pub at: u32,
    pub values: [i32; 3],
}

kernel_and_oracle! {
    total, total_plainly,
    (readings: &[Reading], out: &mut [i64]) {
        for t in 0..out.len() {
            let mut s = 0i64;
            for r in readings {
                s = s * 3 + r.at as i64;
                for v in r.values {
                    s = s * 5 + v as i64;
                }
                for (k, v) in r.values.iter().enumerate() {
                    s += (v * k as i32) as i64;
                }
            }
            for &Reading { at, values: [first, ..] } in readings.iter() {
                s = s * 7 + at as i64 - first as i64;
            }
            for (dx, dy) in [(-1, 2), (3, -4)] {
                s = s * 2 + dx * dy;
            }
            let grid = [[1, 2, 3], [4, 5, readings[t].values[0]]];
            for row in &grid {
                for cell in row {
                    s = s * 3 + *cell as i64;
                }
            }
            for row in grid {
                for cell in row.iter().rev() {
                    s = s * 3 + *cell as i64;
                }
            }
            out[t] = s;
        }
    }
}

fn loops_take_elements_apart(bench: &Bench) {
    let readings: Vec<Reading> = (0..3).map(|i| Reading { at: i, values: [i as i32, -7, 2] }).collect();
    let mut out = vec![0; 3];
    launch!(bench, total(&readings, &mut out), 1, 1);
    let mut expected = vec![0; 3];
    total_plainly(&readings, &mut expected);
    assert_eq!(out, expected);
}

#[gpu_kernel]
pub fn change_while_looping(out: &mut [i32]) {
    if grid_1d() == 0 {
        let mut a = [1, 2, 3, 4];
        for v in a {
            a[3] += 10 * v;
            out[0] += v;
        }
        out[1] = a[3];
        let mut k = 0;
        let rows = [[1, 2], [5, 6]];
        for v in rows[k].iter() {
            k = 1;
            out[2] += v;
        }
        out[3] = k as i32;
        let mut tile = shared::<[i32; 4]>();
        for i in 0..tile.len() {
            tile[i] = i as i32 + 1;
        }
        for v in tile.iter().skip(1) {
            out[4] = out[4] * 10 + *v;
        }
    }
}

fn a_copy_is_looped_over_while_the_array_changes(bench: &Bench) {
    let mut out = vec![0; 5];
    launch!(bench, change_while_looping(&mut out), 1, 1);
    assert_eq!(out, [10, 104, 3, 1, 234]);
}

#[gpu_kernel]
pub fn sort_rows(rows: &mut [[u32; 5]]) {
    let t = grid_1d();
    if t < rows.len() {
        for end in (1..5).rev() {
            for k in 0..end {
                if rows[t][k] > rows[t][k + 1] {
                    rows[t].swap(k, k + 1);
                }
            }
        }
        let mut pair = [rows[t], [0; 5]];
        pair.swap(0, 1);
        pair[1].swap(0, 4);
        rows[t] = pair[1];
    }
}

fn elements_are_swapped(bench: &Bench) {
    let mut rows = vec![[4, 1, 3, 5, 2], [9, 9, 1, 0, 8]];
    let mut expected = rows.clone();
    launch!(bench, sort_rows(&mut rows), 1, 2);
    for row in &mut expected {
        row.sort();
        row.swap(0, 4);
    }
    assert_eq!(rows, expected);
}

#[gpu_device]
pub fn largest(mut x: [i32; 4], bias: [[i32; 2]; 2]) -> i32 {
    x[0] += bias[1][0];
    let mut most = i32::MIN;
    for v in x {
        most = most.max(v);
    }
    most
}

#[gpu_kernel]
pub fn pass_arrays(x: &[[i32; 4]], out: &mut [i32]) {
    let t = grid_1d();
    if t < x.len() && t < out.len() {
        let own = x[t];
        out[t] = largest(own, [[0; 2]; 2]) + 100 * largest(x[t], [[1, 2], [30, 4]]) + own[0];
    }
}

fn arrays_are_passed_by_value(bench: &Bench) {
    let x = vec![[1, 2, 3, 4], [-9, -2, -8, -3]];
    let mut out = vec![0; 2];
    launch!(bench, pass_arrays(&x, &mut out), 1, 2);
    assert_eq!(out, [4 + 3100 + 1, -2 + 2100 - 9]);
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Vector {
    pub x: f64,
    pub y: f64,
}

#[gpu_device]
impl Vector {
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    pub fn plus(self, other: Vector) -> Self {
        Vector::new(self.x + other.x, self.y + other.y)
    }

    pub fn times(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor)
    }

    pub fn dot(&self, other: Vector) -> f64 {
        self.x * other.x + self.y * other.y
    }

    pub fn grow(&mut self) {
        self.x += 1.0;
    }
}

#[gpu_kernel(fmad = false)]
pub fn chain(v: &[Vector], out: &mut [f64]) {
    let t = grid_1d();
    if t < v.len() && t < out.len() {
        let mut a = Vector::new(1.0, 2.0).plus(v[t]).times(2.0);
        a.grow();
        let all = [a, a.plus(v[0])];
        out[t] = all[1].times(0.5).dot(a) + a.plus(v[t]).dot(v[t].times(3.0)).sqrt();
    }
}

fn methods_are_found_on_what_methods_return(bench: &Bench) {
    let v = vec![Vector::new(0.5, 0.25), Vector::new(2.0, 1.0)];
    let mut out = vec![0.0; 2];
    launch!(bench, chain(&v, &mut out), 1, 2);
    let expected = |(x, y): (f64, f64)| {
        let (ax, ay) = ((1.0 + x) * 2.0 + 1.0, (2.0 + y) * 2.0);
        let first = (ax + 0.5) * 0.5 * ax + (ay + 0.25) * 0.5 * ay;
        first + ((ax + x) * (x * 3.0) + (ay + y) * (y * 3.0)).sqrt()
    };
    assert_eq!(out, [expected((0.5, 0.25)), expected((2.0, 1.0))]);
}
