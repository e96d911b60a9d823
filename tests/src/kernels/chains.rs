//! Chains of iterators, elements as options, and the methods of options that take closures.

#![allow(clippy::redundant_closure_for_method_calls)] // Closures are what is tested.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, kernel_and_oracle, launch};

cases![
    sums_and_folds_are_those_of_iterators,
    searches_stop_where_iterators_do,
    loops_take_chains,
    elements_are_options,
    options_are_mapped,
    arrays_are_filled_and_copied,
    parts_of_slices_are_indexed,
    loops_change_elements,
    conditions_become_options,
    elements_that_exist_are_changed,
    parts_are_filtered,
    loops_in_loops_and_states_are_those_of_std wraps = true,
];

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|v| v.to_bits()).collect()
}

#[gpu_device]
fn cosine_like(x: f64) -> f64 {
    1.0 - x * x * 0.5
}

kernel_and_oracle! {
    fold_chains, fold_plainly,
    (x: &[f64], y: &[f64], n: &[i32], count: usize, out: &mut [f64], sums: &mut [i64]) {
        out[0] = x.iter().sum();
        out[1] = x.iter().map(|v| v * v).sum::<f64>();
        out[2] = x.iter().zip(y).map(|(a, b)| a * b).sum();
        out[3] = x.iter().zip(y.iter().rev()).skip(count).map(|(&a, &b)| a - b).product::<f64>();
        out[4] = x.iter().fold(0.0, |s, v| s * 0.5 + v);
        out[5] = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        out[6] = (0..x.len()).map(|i| x[i] * i as f64).sum();
        out[7] = x.iter().filter(|v| **v > 1.0).map(|v| v.sqrt()).sum();
        out[8] = x.iter().enumerate().filter(|(i, _)| i % 2 == 1).map(|(i, v)| v * i as f64).sum();
        out[9] = x.iter().rev().step_by(count + 1).take(3).map(|&v| v + 1.0).fold(1.0, |p, v| p * v);
        out[10] = x.iter().filter(|v| **v < 8.0).skip(count).take(2).map(|v| v * 2.0).sum();
        out[11] = x.iter().copied().min_by(|a, b| a.total_cmp(b)).unwrap_or(-1.0);
        out[12] = *x.iter().max_by(|a, b| a.partial_cmp(b).unwrap()).unwrap_or(&-1.0);
        out[13] = x.iter().map(|&v| v).reduce(|a, b| a * 0.5 + b).unwrap_or(-2.0);
        out[14] = x.iter().take_while(|v| **v > 2.0).map(|v| { let w = v + 1.0; w * w }).sum();
        out[15] = x.iter().map_while(|&v| if v > 3.0 { Some(v * 3.0) } else { None }).sum();
        let v = 3.0;
        out[16] = x.iter().map(|w| w * v).filter_map(|v| if v > 9.0 { Some(v - 1.0) } else { None }).sum::<f64>() + v;
        out[17] = x.iter().fold((0.0, 1.0), |(s, p), v| (s + v, p * 0.5 + v)).1;
        // Only rustc sees the type of what a device function returns.
        out[18] = x.iter().map(|&v| cosine_like(v)).reduce(f64::max).unwrap_or(-3.0);
        out[19] = x.iter().map(|&v| cosine_like(v)).reduce(|a, b| a.min(b) * 0.5).unwrap_or(-4.0);
        out[20] = x.iter().map(|&v| cosine_like(v)).max_by_key(|v| v.abs() as i32).unwrap_or(-5.0);
        sums[0] = n.iter().map(|&v| v as i64).sum();
        sums[1] = n.iter().map(|v| i64::from(*v)).filter(|v| v % 2 == 0).product();
        sums[2] = n.iter().filter(|&&v| v > 3).count() as i64;
        sums[3] = n.iter().max().copied().unwrap_or(-7) as i64;
        sums[4] = n.iter().min().map_or(-9, |v| *v as i64);
        sums[5] = n.iter().enumerate().max_by_key(|(_, v)| **v).map(|(i, _)| i as i64).unwrap_or(-1);
        sums[6] = n.iter().enumerate().min_by_key(|&(_, &v)| v).map_or(-1, |(i, v)| i as i64 * 100 + *v as i64);
        sums[7] = (1..=n.len() as u32).map(|k| (k * k) as i64).sum();
        sums[8] = (0..n.len()).rev().map(|k| n[k] as i64).fold(0, |s, v| s * 3 + v);
        sums[9] = (0..4).zip(n).map(|(k, v)| (k as i64) * (*v as i64)).sum();
        sums[10] = n.iter().last().map_or(0, |&v| v as i64);
        let mut changed = 0;
        n.iter().for_each(|v| changed += *v as i64);
        sums[11] = changed;
        let row = [[1, 2, 3], [4, 5, 6]];
        sums[12] = row.iter().map(|r| r.iter().sum::<i64>() * 10).sum();
        sums[13] = row[1].iter().zip(row[0]).map(|(a, b)| a * b).sum();
        sums[14] = n.iter().zip(n.iter().skip(1)).map(|(a, b)| a - b).fold(7, |a, b| a * 3 ^ b) as i64;
        sums[15] = n.iter().copied().map(|mut a| { a += 1; a }).fold(5, |a, b| a * 2 + b) as i64;
        sums[16] = n.iter().enumerate().map(|(i, v)| (i, v * 2)).max_by(|a, b| a.1.cmp(&b.1)).map_or(-1, |best| best.0 as i64);
        sums[17] = n.iter().enumerate().reduce(|a, b| if a.1 < b.1 { b } else { a }).map_or(-1, |best| best.0 as i64);
    }
}

fn sums_and_folds_are_those_of_iterators(bench: &Bench) {
    let numbers: Vec<f64> = (0..7).map(|i| 9.0 - 1.5 * f64::from(i)).collect();
    let n: Vec<i32> = vec![3, -4, 8, 8, 1, -4];
    for (x, y, n) in [(&numbers[..], &numbers[2..4], &n[..]), (&numbers[3..], &numbers[..], &n[2..3]), (&[], &[], &[])] {
        for count in [0, 1, 3] {
            let (mut out, mut expected) = (vec![0f64; 21], vec![0f64; 21]);
            let (mut sums, mut expected_sums) = (vec![0i64; 18], vec![0i64; 18]);
            fold_plainly(x, y, n, count, &mut expected, &mut expected_sums);
            let (x, y, n) = (x.to_vec(), y.to_vec(), n.to_vec());
            launch!(bench, fold_chains(&x, &y, &n, count, &mut out, &mut sums), 1, 1);
            assert_eq!(bits(&out), bits(&expected));
            assert_eq!(sums, expected_sums);
        }
    }
}

kernel_and_oracle! {
    search, search_plainly,
    (x: &[i32], limit: i32, out: &mut [i64]) {
        out[0] = x.iter().any(|v| *v > limit) as i64;
        out[1] = x.iter().all(|&v| v > limit) as i64;
        out[2] = x.iter().position(|v| *v == limit).map_or(-1, |i| i as i64);
        out[3] = x.iter().find(|v| **v > limit).map_or(-1, |v| *v as i64);
        out[4] = if let Some(&v) = x.iter().rev().find(|&&v| v < limit) { v as i64 } else { -1 };
        out[5] = x.iter().find_map(|&v| if v > limit { Some(v as i64 * 2) } else { None }).unwrap_or(-1);
        out[6] = (0..x.len()).filter(|&i| x[i] != limit).position(|i| x[i] > limit).map_or(-1, |i| i as i64);
        out[7] = x.iter().any(|&v| {
            if v < 0 {
                return false;
            }
            v % 2 == limit % 2
        }) as i64;
        out[8] = match x.iter().enumerate().find(|(i, v)| **v > limit && *i > 1) {
            Some((i, v)) => i as i64 * 10 + *v as i64,
            None => -1,
        };
        // No division by zero after the first that is found.
        out[9] = x.iter().map(|v| 100 / (v - limit)).any(|q| q > 20) as i64;
    }
}

fn searches_stop_where_iterators_do(bench: &Bench) {
    for (x, limit) in [(&[9, -3, 4, 7, 5, 4][..], 5), (&[-2, 3, 8][..], 9), (&[1, 2, 3][..], 0), (&[][..], 1)] {
        let (mut out, mut expected) = (vec![0i64; 10], vec![0i64; 10]);
        search_plainly(x, limit, &mut expected);
        let x = x.to_vec();
        launch!(bench, search(&x, limit, &mut out), 1, 1);
        assert_eq!(out, expected);
    }
}

kernel_and_oracle! {
    repeat, repeat_plainly,
    (x: &[i32], y: &[i32], out: &mut [i64]) {
        let mut s = 1i64;
        for v in x.iter().filter(|v| **v > 2) {
            s = s * 3 + *v as i64;
        }
        out[0] = s;
        for v in x.iter().map(|v| v * 2).skip(1) {
            if v == 8 {
                continue;
            }
            s = s * 3 + v as i64;
        }
        out[1] = s;
        for (i, v) in x.iter().filter(|&&v| v != 3).enumerate() {
            s = s * 3 + (v * i as i32) as i64;
        }
        out[2] = s;
        'outer: for i in (0..x.len()).filter(|i| i % 2 == 0) {
            for (a, b) in y.iter().map(|v| v + 1).zip(x.iter().rev()).take(3) {
                if a == *b {
                    continue 'outer;
                }
                s = s * 3 + (a - b) as i64 * i as i64;
            }
        }
        out[3] = s;
        for pair in x.iter().zip(y) {
            s = s * 3 + (*pair.0 - pair.1) as i64;
        }
        out[4] = s;
        for v in x.iter().map(|v| v + 1).rev().take_while(|v| *v > 0) {
            s = s * 3 + v as i64;
        }
        out[5] = s;
        for (k, v) in x.iter().skip(1).step_by(2).enumerate() {
            s = s * 3 + (*v as i64) * k as i64;
        }
        out[6] = s;
    }
}

fn loops_take_chains(bench: &Bench) {
    for (x, y) in [(&[3, 4, 9, -5, 3, 2][..], &[8, 1, 1][..]), (&[2][..], &[1, 1][..]), (&[][..], &[][..])] {
        let (mut out, mut expected) = (vec![0i64; 7], vec![0i64; 7]);
        repeat_plainly(x, y, &mut expected);
        let (x, y) = (x.to_vec(), y.to_vec());
        launch!(bench, repeat(&x, &y, &mut out), 1, 1);
        assert_eq!(out, expected);
    }
}

#[gpu_device]
fn between(x: &[i32], i: usize) -> Option<i32> {
    let left = x.get(i).copied()?;
    let right = *x.get(i + 1)?;
    left.checked_add(right)
}

kernel_and_oracle! {
    get, get_plainly,
    (x: &[i32], i: usize, out: &mut [i32]) {
        out[0] = *x.get(i).unwrap_or(&-1);
        out[1] = x.get(i + 1).copied().unwrap_or(-2);
        out[2] = x.first().map_or(-3, |v| v * 2);
        if let Some(v) = x.last() {
            out[3] = *v + 1;
        }
        out[4] = match x.get(2) {
            Some(&v) if v > 3 => v,
            Some(_) => -4,
            None => -5,
        };
        if let Some(a) = x.get(i) && let Some(b) = x.first() && a > b {
            out[5] = a - b;
        }
        if let (Some(&v), true) = (x.get(i), out[0] > 0) {
            out[6] = v;
        }
        out[7] = match (x.first(), x.get(3)) {
            (Some(a), None) => *a,
            (None, Some(&b)) => b,
            (Some(&a), Some(b)) => a - *b,
            _ => -6,
        };
        let (one, other) = (x.get(1), x.last());
        if let Some(one) = one && let Some(&other) = other {
            out[8] = one * other;
        }
        out[9] = matches!((x.get(i), i), (Some(v), 0..3) if *v > 1) as i32;
        out[10] = *x.iter().reduce(|a, b| if a > b { a } else { b }).unwrap_or(&-7);
        if let Some(best) = x.iter().enumerate().reduce(|a, b| if a.1 < b.1 { a } else { b }) {
            out[11] = *best.1 * 10 + best.0 as i32;
        }
        let mut held: (u8, Option<i32>) = (1, x.get(i).copied());
        out[14] = held.1.and(Some(5)).or(Some(6)).unwrap_or(7) + held.1.or(Some(3)).map_or(0, |v| v % 10);
        out[15] = held.1.take().unwrap_or(-9) + held.1.is_none() as i32;
        out[12] = x.get(i).copied().filter(|v| *v > 2).or(Some(-8)).unwrap();
        let Some(&last) = x.last() else { return };
        out[13] = last;
    }
}

#[gpu_kernel]
pub fn sums_of_neighbours(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = between(x, i).unwrap_or(i32::MIN);
    }
}

fn elements_are_options(bench: &Bench) {
    for x in [vec![], vec![7], vec![1, 5, 9, 2]] {
        for i in [0, 2, 3, usize::MAX - 1] {
            let (mut out, mut expected) = (vec![0; 16], vec![0; 16]);
            get_plainly(&x, i, &mut expected);
            launch!(bench, get(&x, i, &mut out), 1, 1);
            assert_eq!(out, expected);
        }
    }
    let x = vec![1, i32::MAX, 3, 4];
    let mut out = vec![0; 4];
    launch!(bench, sums_of_neighbours(&x, &mut out), 1, 4);
    assert_eq!(out, [i32::MIN, i32::MIN, 7, i32::MIN]);
}

kernel_and_oracle! {
    options, options_plainly,
    (a: i32, b: i32, out: &mut [i32]) {
        let o = a.checked_div(b);
        out[0] = o.map(|q| q + 1).unwrap_or(-1);
        out[1] = o.and_then(|q| q.checked_mul(b)).unwrap_or_else(|| a - 1);
        out[2] = o.is_some_and(|q| q > 2) as i32;
        out[3] = o.is_none_or(|q| q > 2) as i32;
        out[4] = o.filter(|q| *q % 2 == 0).map_or(-2, |q| q * 3);
        out[5] = o.map_or_else(|| a * 2, |q| q - 1);
        out[6] = o.or_else(|| b.checked_sub(1)).unwrap_or_default();
        out[7] = o.map(|q| (q, q + a)).map(|(q, r)| q * r).unwrap_or_default();
        out[8] = o.map(|q| {
            if q < 0 {
                return -q;
            }
            q * 2
        }).unwrap_or(9);
    }
}

fn options_are_mapped(bench: &Bench) {
    for (a, b) in [(7, 2), (-8, 2), (3, 0), (9, 3)] {
        let (mut out, mut expected) = (vec![0; 9], vec![0; 9]);
        options_plainly(a, b, &mut expected);
        launch!(bench, options(a, b, &mut out), 1, 1);
        assert_eq!(out, expected);
    }
}

kernel_and_oracle! {
    fill, fill_plainly,
    (x: &[i32], out: &mut [i32]) {
        let mut a = [0; 4];
        a.fill(x[0] + 1);
        a[1] = 5;
        let squares: [i32; 4] = std::array::from_fn(|k| (k * k) as i32 + a[k]);
        let mut rows = [[0; 4]; 2];
        rows[1].copy_from_slice(&squares);
        out[0] = a.iter().zip(rows[1]).map(|(a, b)| a * b).sum();
        out[1] = *a.first().unwrap_or(&0) + a.get(x[1] as usize).copied().unwrap_or(-1);
    }
}

fn arrays_are_filled_and_copied(bench: &Bench) {
    for x in [vec![3, 1], vec![-2, 7]] {
        let (mut out, mut expected) = (vec![0; 2], vec![0; 2]);
        fill_plainly(&x, &mut expected);
        launch!(bench, fill(&x, &mut out), 1, 1);
        assert_eq!(out, expected);
    }
}

kernel_and_oracle! {
    parts, parts_plainly,
    (x: &[i32], a: usize, b: usize, out: &mut [i64]) {
        let row = &x[a..b];
        out[0] = row.iter().map(|&v| v as i64).sum();
        out[1] = row.len() as i64;
        for i in 0..row.len() {
            out[1] += row[i] as i64 * i as i64;
        }
        let rest = &row[1..];
        out[2] = rest.iter().zip(&x[..2]).map(|(p, q)| (p * q) as i64).sum();
        out[3] = x.windows(2).map(|w| (w[1] - w[0]) as i64).fold(1, |s, v| s * 3 + v);
        out[4] = x.chunks_exact(3).map(|c| c.iter().max().map_or(0, |&v| v as i64)).sum();
        for (k, w) in x.windows(b).enumerate() {
            out[5] += w[a] as i64 * k as i64 + w.len() as i64;
        }
        for v in &x[a..=b] {
            out[6] = out[6] * 3 + *v as i64;
        }
        out[7] = x[a..].iter().position(|v| *v == x[b]).map_or(-1, |i| i as i64);
    }
}

fn parts_of_slices_are_indexed(bench: &Bench) {
    let x = vec![3, -1, 4, 1, -5, 9, 2, 6];
    for (a, b) in [(0, 3), (1, 7), (2, 3), (4, 5)] {
        let (mut out, mut expected) = (vec![0i64; 8], vec![0i64; 8]);
        parts_plainly(&x, a, b, &mut expected);
        launch!(bench, parts(&x, a, b, &mut out), 1, 1);
        assert_eq!(out, expected);
    }
}

kernel_and_oracle!(changes, changes_plainly, (x: &[i32], a: usize, b: usize, out: &mut [i64]) {
    let mut prev = [0i64; 5];
    for (j, p) in prev.iter_mut().enumerate() {
        *p = j as i64 * 2;
    }
    for (p, &v) in prev[1..].iter_mut().zip(x) {
        *p += v as i64;
    }
    let mut rows = [[1i64; 3]; 2];
    for row in rows.iter_mut() {
        for (k, v) in row.iter_mut().enumerate().skip(1) {
            *v *= k as i64 + prev[k];
        }
    }
    for v in rows[1].iter_mut().rev().step_by(2) {
        *v -= 3;
        std::mem::swap(v, &mut prev[0]);
    }
    for v in &mut rows[0] {
        *v += 1;
    }
    for (k, v) in out[a..b].iter_mut().enumerate() {
        *v = prev[k % 5] * 100 + k as i64;
    }
    out[0] = rows.iter().map(|row| row.iter().fold(0, |s, v| s * 10 + v)).sum();
    let mut pairs = [(1i32, 2.0f32), (3, 4.0)];
    for pair in &mut pairs {
        pair.0 += pair.1 as i32;
    }
    for v in out {
        *v += pairs[0].0 as i64 + pairs[1].0 as i64;
    }
});

fn loops_change_elements(bench: &Bench) {
    let x = vec![3, -1, 4, 1, -5, 9, 2, 6];
    for (a, b) in [(1, 8), (3, 5), (2, 2)] {
        let (mut out, mut expected) = (vec![0i64; 8], vec![0i64; 8]);
        changes_plainly(&x, a, b, &mut expected);
        launch!(bench, changes(&x, a, b, &mut out), 1, 1);
        assert_eq!(out, expected);
    }
}

kernel_and_oracle!(options_of_conditions, options_of_conditions_plainly, (x: &[f32], out: &mut [f32]) {
    for (i, &v) in x.iter().enumerate() {
        let root = (v >= 0.0).then(|| v.sqrt());
        let small = (v < 2.0 && i != 1).then_some(v * 10.0);
        out[i] = root.unwrap_or(-1.0) + small.unwrap_or(1000.0);
    }
    let nearest = x.iter().enumerate().min_by(|(_, a), (_, b)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)).map(|(i, _)| i);
    out[x.len()] = nearest.unwrap_or(99) as f32;
});

fn conditions_become_options(bench: &Bench) {
    for x in [vec![4.0f32, 1.0, -2.0, 2.25], vec![f32::NAN, 3.0, -0.0, 0.0]] {
        let (mut out, mut expected) = (vec![0.0; 5], vec![0.0; 5]);
        options_of_conditions_plainly(&x, &mut expected);
        launch!(bench, options_of_conditions(&x, &mut out), 1, 1);
        assert_same(&out, &expected);
    }
}

/// An element for each thread, without a comparison of the index.
#[gpu_kernel]
pub fn doubled_if_there(x: &[i32], rows: &mut [[i32; 3]], out: &mut [i32]) {
    let i = grid_1d();
    if let Some(v) = out.get_mut(i + 1) {
        *v = x[i] * 2;
    } else {
        return;
    }
    let Some(row) = rows.get_mut(i) else { return };
    if let Some(v) = row.get_mut(x[i] as usize) {
        *v += 10;
    }
}

fn elements_that_exist_are_changed(bench: &Bench) {
    let x = vec![0, 2, 5, 1];
    let (mut rows, mut out) = (vec![[0; 3]; 3], vec![7; 5]);
    bench.launch::<doubled_if_there::Kernel>((&x, &mut rows, &mut out), 1, 4);
    assert_eq!(out, [7, 0, 4, 10, 2]);
    assert_eq!(rows, [[10, 0, 0], [0, 0, 10], [0, 0, 0]]);
}

/// Neighbours that grow, and their differences.
#[gpu_kernel]
pub fn filtered_parts(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        let rest = &x[i..];
        let rising = rest.windows(2).filter(|w| w[0] < w[1]).count() as i32;
        let sum: i32 = rest.chunks(3).filter(|c| c.len() == 3 && c[0] > 2).map(|c| c[1] - c[2]).sum();
        let mut last = 0;
        for (k, w) in rest.windows(3).enumerate().filter(|(k, w)| k % 2 == 0 && w[0] != w[2]) {
            last = (last * 5 + w[1] + k as i32) % 9973;
        }
        let some = rest.windows(2).skip(1).filter(|&w| w[1] == 4).any(|w| w[0] > 1);
        out[i] = rising * 10000 + sum * 100 + last % 97 + some as i32;
    }
}

fn parts_are_filtered(bench: &Bench) {
    let x: Vec<i32> = (0..40).map(|i| i * 7 % 11).collect();
    let mut out = vec![0; 40];
    launch!(bench, filtered_parts(&x, &mut out), 2, 32);
    let expected = (0..40).map(|i| {
        let rest = &x[i..];
        let rising = rest.windows(2).filter(|w| w[0] < w[1]).count() as i32;
        let sum: i32 = rest.chunks(3).filter(|c| c.len() == 3 && c[0] > 2).map(|c| c[1] - c[2]).sum();
        let mut last = 0i32;
        for (k, w) in rest.windows(3).enumerate().filter(|(k, w)| k % 2 == 0 && w[0] != w[2]) {
            last = (last * 5 + w[1] + k as i32) % 9973;
        }
        let some = rest.windows(2).skip(1).filter(|&w| w[1] == 4).any(|w| w[0] > 1);
        rising * 10000 + sum * 100 + last % 97 + i32::from(some)
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn nested(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() && i + 6 <= x.len() {
        let n = i as i32 % 6;
        let products: i32 = (0..n).flat_map(|a| (0..=a).map(move |b| a * b + 1)).sum();
        let found = (0..6usize).flat_map(|a| x[i..i + a].iter()).position(|v| *v == 4);
        let taken: i32 = (1..5usize).flat_map(|a| x[i..i + a].iter().rev()).skip(2).take(n as usize).fold(0, |sum, v| sum * 3 + v);
        let filtered = x.iter().filter(|v| **v > n).flat_map(|&v| [v, v * v]).enumerate().map(|(k, v)| v ^ k as i32).max();
        let mut sum = 0;
        'items: for v in (0..n).flat_map(|a| (0..4).flat_map(move |b| a..b)) {
            if v == 1 {
                continue;
            }
            if sum > 60 {
                break;
            }
            for k in 0..3 {
                if k > v {
                    continue 'items;
                }
                if v + k > 5 {
                    break 'items;
                }
                sum += v * k + 1;
            }
            sum += 7;
        }
        let mut running = 0;
        for v in x[i..].iter().scan(n, |state, &v| {
            *state += v;
            if *state < 25 { Some(*state) } else { None }
        }) {
            running = running * 3 + v;
        }
        let fibonacci: u32 = (0..n as u32 + 3)
            .scan((0u32, 1u32), |pair, k| {
                *pair = (pair.1, pair.0 + pair.1);
                Some(pair.0 * (k + 1))
            })
            .filter(|v| v % 2 == 0)
            .sum();
        let parts = [products, found.map_or(-1, |k| k as i32), taken, filtered.unwrap_or(-7), sum, running, fibonacci as i32];
        out[i] = parts.iter().fold(0, |all, part| all * 31 + part);
    }
}

fn loops_in_loops_and_states_are_those_of_std(bench: &Bench) {
    let x: Vec<i32> = (0..40).map(|i| i * 7 % 11 - 1).collect();
    let mut out = vec![0; 34];
    launch!(bench, nested(&x, &mut out), 2, 32);
    let mut expected = vec![0i32; 34];
    for i in 0..34 {
        let n = i as i32 % 6;
        let products: i32 = (0..n).flat_map(|a| (0..=a).map(move |b| a * b + 1)).sum();
        let found = (0..6usize).flat_map(|a| x[i..i + a].iter()).position(|v| *v == 4);
        let taken: i32 = (1..5usize).flat_map(|a| x[i..i + a].iter().rev()).skip(2).take(n as usize).fold(0, |sum, v| sum * 3 + v);
        let filtered = x.iter().filter(|v| **v > n).flat_map(|&v| [v, v * v]).enumerate().map(|(k, v)| v ^ k as i32).max();
        let mut sum = 0;
        'items: for v in (0..n).flat_map(|a| (0..4).flat_map(move |b| a..b)) {
            if v == 1 {
                continue;
            }
            if sum > 60 {
                break;
            }
            for k in 0..3 {
                if k > v {
                    continue 'items;
                }
                if v + k > 5 {
                    break 'items;
                }
                sum += v * k + 1;
            }
            sum += 7;
        }
        let mut running = 0;
        for v in x[i..].iter().scan(n, |state, &v| {
            *state += v;
            if *state < 25 { Some(*state) } else { None }
        }) {
            running = running * 3 + v;
        }
        let pairs = (0..n as u32 + 3).scan((0u32, 1u32), |pair, k| {
            *pair = (pair.1, pair.0 + pair.1);
            Some(pair.0 * (k + 1))
        });
        let fibonacci: u32 = pairs.filter(|v| v % 2 == 0).sum();
        let parts = [products, found.map_or(-1, |k| k as i32), taken, filtered.unwrap_or(-7), sum, running, fibonacci as i32];
        expected[i] = parts.iter().fold(0, |all: i32, part| all.wrapping_mul(31).wrapping_add(*part));
    }
    assert_eq!(out, expected);
}
