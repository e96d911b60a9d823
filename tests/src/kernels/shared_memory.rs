//! Shared memory and barriers.

use std::sync::atomic::{AtomicU32, Ordering};

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    a_block_reduces_to_a_sum,
    doubling_strides_reduce_too,
    tiles_multiply_matrices_of_odd_sizes,
    a_matrix_is_transposed,
    a_block_scans,
    several_arrays_are_apart wraps = true,
    threads_that_have_returned_do_not_hold_up_a_barrier,
    barriers_work_in_loops_and_uniform_branches,
    every_block_has_memory_of_its_own,
    single_values_are_shared,
    arrays_are_exchanged,
    functions_take_arrays_without_a_proof wraps = true,
];

const THREADS: usize = 64;

/// The tree reduction: half of the threads add in each round.
#[gpu_kernel(block = THREADS)]
pub fn tree_sum(x: &[f64], out: &mut [f64]) {
    let mut sums = shared::<[f64; THREADS]>();
    let t = thread_idx().x;
    let i = grid_1d();
    sums[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut half = THREADS / 2;
    while half > 0 {
        if t < half {
            sums[t] += sums[t + half];
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 {
        out[block_idx().x] = sums[0];
    }
}

fn a_block_reduces_to_a_sum(bench: &Bench) {
    let x: Vec<f64> = (0..300).map(|i| f64::from(i) * 0.37 - 20.0).collect();
    let mut out = vec![0.0; 5];
    launch!(bench, tree_sum(&x, &mut out), 5, 64);
    let expected: Vec<f64> = (x.chunks(64))
        .map(|chunk| {
            let mut sums = chunk.to_vec();
            sums.resize(64, 0.0);
            while sums.len() > 1 {
                let (low, high) = sums.split_at(sums.len() / 2);
                sums = low.iter().zip(high).map(|(a, b)| a + b).collect();
            }
            sums[0]
        })
        .collect();
    assert_same(&out, &expected);
}

/// The reduction with a stride that doubles, in `f32`.
#[gpu_kernel]
pub fn doubling_sum(x: &[f32], out: &mut [f32]) {
    let mut sums = shared::<[f32; 16]>();
    let t = thread_idx().x;
    sums[t] = x[grid_1d()];
    sync_threads();
    let mut stride = 1;
    while stride < block_dim().x {
        if t % (2 * stride) == 0 {
            sums[t] += sums[t + stride];
        }
        sync_threads();
        stride *= 2;
    }
    if t == 0 {
        out[block_idx().x] = sums[0];
    }
}

fn doubling_strides_reduce_too(bench: &Bench) {
    let x: Vec<f32> = (0..48).map(|i| (i as f32).sqrt()).collect();
    let mut out = vec![0.0; 3];
    launch!(bench, doubling_sum(&x, &mut out), 3, 16);
    let sum = |chunk: &[f32]| {
        let mut sums = chunk.to_vec();
        while sums.len() > 1 {
            sums = sums.chunks(2).map(|pair| pair[0] + pair[1]).collect();
        }
        sums[0]
    };
    assert_same(&out, &x.chunks(16).map(sum).collect::<Vec<_>>());
}

const TILE: usize = 4;

/// C = A·B, tile by tile, with zeros beyond the edges.
#[gpu_kernel(block = (TILE, TILE), fmad = false)]
pub fn tiled_product(a: &[f32], b: &[f32], rows: usize, inner: usize, columns: usize, c: &mut [f32]) {
    let mut left = shared::<[[f32; TILE]; TILE]>();
    let mut right = shared::<[[f32; TILE]; TILE]>();
    let (column, row) = grid_2d();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let mut sum = 0.0;
    for tile in 0..(inner + TILE - 1) / TILE {
        let k = tile * TILE;
        left[ty][tx] = if row < rows && k + tx < inner { a[row * inner + k + tx] } else { 0.0 };
        right[ty][tx] = if column < columns && k + ty < inner { b[(k + ty) * columns + column] } else { 0.0 };
        sync_threads();
        for k in 0..TILE {
            sum += left[ty][k] * right[k][tx];
        }
        sync_threads();
    }
    if row < rows && column < columns {
        c[row * columns + column] = sum;
    }
}

fn tiles_multiply_matrices_of_odd_sizes(bench: &Bench) {
    let (rows, inner, columns) = (5, 23, 7);
    let a: Vec<f32> = (0..rows * inner).map(|i| (i % 13) as f32 - 6.5).collect();
    let b: Vec<f32> = (0..inner * columns).map(|i| (i % 11) as f32 * 0.3).collect();
    let mut c = vec![0.0; rows * columns];
    launch!(bench, tiled_product(&a, &b, rows, inner, columns, &mut c), (2, 2), (4, 4));
    let element = |i: usize| (0..inner).fold(0.0f32, |sum, k| sum + a[i / columns * inner + k] * b[k * columns + i % columns]);
    assert_same(&c, &(0..rows * columns).map(element).collect::<Vec<_>>());
}

/// Through a tile, so that reads and writes both go along rows.
#[gpu_kernel]
pub fn transpose(x: &[u16], rows: usize, columns: usize, out: &mut [u16]) {
    let mut tile = shared::<[[u16; 9]; 8]>();
    let t = thread_idx();
    let (column, row) = grid_2d();
    if row < rows && column < columns {
        tile[t.y][t.x] = x[row * columns + column];
    }
    sync_threads();
    let (column, row) = (block_idx().y * 8 + t.x, block_idx().x * 8 + t.y);
    if row < columns && column < rows {
        out[row * rows + column] = tile[t.x][t.y];
    }
}

fn a_matrix_is_transposed(bench: &Bench) {
    let (rows, columns) = (11, 21);
    let x: Vec<u16> = (0..(rows * columns) as u16).collect();
    let mut out = vec![0; rows * columns];
    launch!(bench, transpose(&x, rows, columns, &mut out), (3, 2), (8, 8));
    assert_eq!(out, (0..rows * columns).map(|i| x[i % rows * columns + i / rows]).collect::<Vec<_>>());
}

/// Inclusive prefix sums of each block, between two rows.
#[gpu_kernel]
pub fn scan(x: &[i32], out: &mut [i32]) {
    let mut sums = shared::<[[i32; 32]; 2]>();
    let t = thread_idx().x;
    let i = grid_1d();
    let mut from = 0;
    sums[from][t] = x[i];
    sync_threads();
    let mut distance = 1;
    while distance < 32 {
        let to = 1 - from;
        sums[to][t] = if t >= distance { sums[from][t - distance] + sums[from][t] } else { sums[from][t] };
        sync_threads();
        from = to;
        distance <<= 1;
    }
    out[i] = sums[from][t];
}

fn a_block_scans(bench: &Bench) {
    let x: Vec<i32> = (0..96).map(|i| i * i % 37 - 10).collect();
    let mut out = vec![0; 96];
    launch!(bench, scan(&x, &mut out), 3, 32);
    let expected: Vec<i32> = x
        .chunks(32)
        .flat_map(|chunk| {
            chunk.iter().scan(0, |sum, x| {
                *sum += x;
                Some(*sum)
            })
        })
        .collect();
    assert_eq!(out, expected);
}

/// Arrays of different types and shapes at once.
#[gpu_kernel]
pub fn several(x: &[u8], out: &mut [f64]) {
    let mut bytes = shared::<[u8; 10]>();
    let mut flags = shared::<[bool; 10]>();
    let mut wide = shared::<[[f64; 2]; 10]>();
    let mut rows = shared::<[[bool; 2]; 10]>();
    let t = thread_idx().x;
    bytes[t] = x[t];
    rows[t] = [x[t] % 2 == 0, x[t] > 9];
    flags[t] = x[t] % 3 == 0;
    wide[t][0] = x[t] as f64;
    wide[t][1] = -0.5;
    sync_threads();
    let next = (t + 1) % bytes.len();
    if flags[next] {
        wide[t][1] += bytes[next] as f64;
    }
    let row = rows[next];
    if row[0] != row[1] {
        wide[t][1] += 0.25;
    }
    sync_threads();
    bytes[t] += 1;
    sync_threads();
    out[t] = wide[next][0] * 100.0 + wide[next][1] + (bytes[9 - t] as f64) * 0.001;
}

fn several_arrays_are_apart(bench: &Bench) {
    let x: Vec<u8> = vec![9, 1, 12, 7, 255, 6, 2, 30, 4, 3];
    let mut out = vec![0.0; 10];
    launch!(bench, several(&x, &mut out), 1, 10);
    let expected: Vec<f64> = (0..10)
        .map(|t| {
            let (next, after) = ((t + 1) % 10, (t + 2) % 10);
            let added = if x[after].is_multiple_of(3) { f64::from(x[after]) } else { 0.0 };
            let quarter = if x[after].is_multiple_of(2) != (x[after] > 9) { 0.25 } else { 0.0 };
            f64::from(x[next]) * 100.0 + (-0.5 + added + quarter) + f64::from(x[9 - t].wrapping_add(1)) * 0.001
        })
        .collect();
    assert_same(&out, &expected);
}

/// Threads beyond the end leave before the barrier.
#[gpu_kernel]
pub fn leave_early(x: &[u32], out: &mut [u32]) {
    let mut values = shared::<[u32; 32]>();
    let (t, i) = (thread_idx().x, grid_1d());
    if i >= x.len() {
        return;
    }
    values[t] = x[i];
    sync_threads();
    let last = (x.len() - block_idx().x * block_dim().x).min(32) - 1;
    out[i] = values[last - t];
}

fn threads_that_have_returned_do_not_hold_up_a_barrier(bench: &Bench) {
    let x: Vec<u32> = (0..50).collect();
    let mut out = vec![0; 50];
    launch!(bench, leave_early(&x, &mut out), 2, 32);
    assert_eq!(out, (0..32).rev().chain((32..50).rev()).collect::<Vec<_>>());
}

/// Barriers where all threads of a block decide alike.
#[gpu_kernel]
pub fn uniform(rounds: &[u32], out: &mut [u32]) {
    let mut ring = shared::<[u32; 8]>();
    let t = thread_idx().x;
    let count = rounds[block_idx().x];
    ring[t] = t as u32;
    'all: for round in 0..10 {
        if round == count {
            break 'all;
        }
        sync_threads();
        let left = ring[(t + 7) % 8];
        if count > 3 {
            sync_threads();
            ring[t] = left * 2;
            continue 'all;
        }
        sync_threads();
        ring[t] = left;
    }
    sync_threads();
    out[grid_1d()] = ring[t];
}

fn barriers_work_in_loops_and_uniform_branches(bench: &Bench) {
    let rounds = vec![0, 1, 3, 5, 20];
    let mut out = vec![0; 40];
    launch!(bench, uniform(&rounds, &mut out), 5, 8);
    let expected: Vec<u32> = (rounds.iter())
        .flat_map(|&count| {
            let turns = count.min(10);
            let factor = if count > 3 { 1 << turns } else { 1 };
            (0..8).map(move |t| (t + 80 - turns) % 8 * factor)
        })
        .collect();
    assert_eq!(out, expected);
}

/// Each block counts its own threads.
#[gpu_kernel]
pub fn own_memory(out: &mut [u32]) {
    let mut marks = shared::<[u32; 4]>();
    let t = thread_idx().x;
    marks[t] = 0;
    sync_threads();
    marks[t] += block_idx().x as u32 + 1;
    sync_threads();
    if t == 0 {
        let mut sum = 0;
        for i in 0..marks.len() {
            sum += marks[i];
        }
        out[block_idx().x] = sum;
    }
}

fn every_block_has_memory_of_its_own(bench: &Bench) {
    let mut out = vec![0; 100];
    launch!(bench, own_memory(&mut out), 100, 4);
    assert_eq!(out, (1..=100).map(|b| 4 * b).collect::<Vec<_>>());
}

/// One number and one atomic for all threads of a block.
#[gpu_kernel]
pub fn single_values(x: &[u32], out: &mut [u32]) {
    let mut first = shared::<u32>();
    let total = shared::<AtomicU32>();
    let (i, t) = (grid_1d(), thread_idx().x);
    if t == 0 {
        *first = if i < x.len() { x[i] } else { 0 };
        *first += 1;
        total.store(0, Ordering::Relaxed);
    }
    sync_threads();
    if i < x.len() {
        total.fetch_add(x[i] + *first, Ordering::Relaxed);
    }
    sync_threads();
    if i < out.len() {
        out[i] = total.load(Ordering::Relaxed);
    }
}

fn single_values_are_shared(bench: &Bench) {
    let x: Vec<u32> = (0..10).map(|n| n * n).collect();
    let mut out = vec![0; 10];
    launch!(bench, single_values(&x, &mut out), 3, 4);
    let expected: Vec<u32> = x.chunks(4).flat_map(|block| vec![block.iter().map(|n| n + block[0] + 1).sum::<u32>(); block.len()]).collect();
    assert_eq!(out, expected);
}

/// Two buffers: each round reads one and writes the other.
#[gpu_kernel(block = THREADS)]
pub fn smoothed(x: &[i32], rounds: usize, out: &mut [i32]) {
    let (t, i) = (thread_idx().x, grid_1d());
    let mut now = shared::<[i32; THREADS]>();
    let mut next = shared::<[i32; THREADS]>();
    now[t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    for _ in 0..rounds {
        next[t] = now[t] + now[(t + 1) % now.len()];
        sync_threads();
        std::mem::swap(&mut now, &mut next);
    }
    if i < out.len() {
        out[i] = now[t];
    }
}

#[gpu_device]
fn product(row: &[i32; THREADS], weights: &[i32], t: usize) -> i32 {
    row[t] * weights[THREADS - 1 - t]
}

/// Three, of which the first takes its turn in each round, under a condition that all threads agree on.
#[gpu_kernel(block = THREADS)]
pub fn rotated(x: &[i32], rounds: usize, out: &mut [i32]) {
    let mut a = shared::<[i32; THREADS]>();
    let (t, i) = (thread_idx().x, grid_1d());
    a[t] = if i < x.len() { x[i] } else { 0 };
    let (mut b, mut c) = (1, 2);
    {
        let mut b = shared::<[i32; THREADS]>();
        let mut c = shared::<[i32; THREADS]>();
        (b[t], c[t]) = (t as i32, 3);
        sync_threads();
        for round in 0..rounds {
            b[t] = product(&a, &c[..], t) + a.iter().take(2).sum::<i32>();
            sync_threads();
            if round % 3 != 1 {
                (a, b, c) = (b, c, a);
            }
        }
        c[t] += b[THREADS - 1 - t];
        sync_threads();
        a[t] += c[(t + 7) % THREADS];
    }
    std::mem::swap(&mut b, &mut c);
    if i < out.len() {
        out[i] = a[t] * b + c;
    }
}

fn arrays_are_exchanged(bench: &Bench) {
    let x: Vec<i32> = (0..THREADS as i32 * 2).map(|i| i * i % 23 - 11).collect();
    for rounds in 0..6 {
        let (mut out, mut turned) = (vec![0; x.len()], vec![0; x.len()]);
        launch!(bench, smoothed(&x, rounds, &mut out), 2, THREADS);
        launch!(bench, rotated(&x, rounds, &mut turned), 2, THREADS);
        let expected = x
            .chunks(THREADS)
            .flat_map(|block| (0..rounds).fold(block.to_vec(), |now, _| (0..THREADS).map(|t| now[t] + now[(t + 1) % THREADS]).collect()));
        assert_eq!(out, expected.collect::<Vec<i32>>());
        let expected = x.chunks(THREADS).flat_map(|block| {
            let (mut a, mut b, mut c) = (block.to_vec(), (0..THREADS as i32).collect::<Vec<_>>(), vec![3; THREADS]);
            for round in 0..rounds {
                b = (0..THREADS).map(|t| a[t].wrapping_mul(c[THREADS - 1 - t]).wrapping_add(a[0].wrapping_add(a[1]))).collect();
                if round % 3 != 1 {
                    (a, b, c) = (b, c, a);
                }
            }
            c = (0..THREADS).map(|t| c[t].wrapping_add(b[THREADS - 1 - t])).collect();
            (0..THREADS).map(move |t| a[t].wrapping_add(c[(t + 7) % THREADS]).wrapping_mul(2).wrapping_add(1)).collect::<Vec<_>>()
        });
        assert_eq!(turned, expected.collect::<Vec<_>>());
    }
    let device = Device::cpu();
    let (array, mut out) = (device.to_device(&x).expect("copied"), device.to_device(&x).expect("copied"));
    smoothed(&array, 2, &mut out).launch(2, THREADS).expect("a safe launch");
}

/// An element that is checked, and then is an index.
#[gpu_device]
fn looked_up(keys: &[u32], table: &[u32], i: usize) -> u32 {
    let key = keys[i] as usize % 80;
    if key < table.len() { table[key] } else { 1000 }
}

#[gpu_device]
fn first_above(pairs: &[(u32, u32)], least: u32) -> (u32, u32) {
    for pair in pairs.iter() {
        if pair.0 > least {
            return *pair;
        }
    }
    (0, 0)
}

#[gpu_device]
fn largest<T: Num>(values: &[T]) -> T {
    let mut most = values[0];
    for &value in values {
        if value > most {
            most = value;
        }
    }
    most
}

#[gpu_device]
fn raised(value: &mut u32, pair: &mut (u32, u32)) {
    *value += 3;
    pair.1 += *value;
}

#[gpu_device]
fn change(values: &mut [u32], row: &mut [u32; 2], pairs: &mut [(u32, u32)], i: usize) {
    values[i] *= 2;
    pairs[i].0 += values[i];
    raised(&mut values[i], &mut pairs[i]);
    let pair = &mut pairs[i];
    *pair = (pair.0 + 1, pair.1 * 2);
    row.swap(0, 1);
    row[0] += pair.0;
}

#[gpu_device]
fn difference(row: &[u32; 2]) -> u32 {
    let copy = *row;
    copy[0].wrapping_sub(row[1])
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Step {
    by: u32,
}

#[gpu_device]
impl Step {
    fn of(&self, keys: &[u32], table: &[u32], i: usize) -> u32 {
        looked_up(&keys[1..], table, i).wrapping_add(self.by)
    }
}

/// `x` is a permutation, so the accesses are in order, but no proof says so.
#[gpu_kernel(block = THREADS)]
pub fn permuted(x: &[u32], table: &[u32], out: &mut [u32]) {
    let mut keys = shared::<[u32; THREADS]>();
    let mut pairs = shared::<[(u32, u32); THREADS]>();
    let mut rows = shared::<[[u32; 2]; THREADS]>();
    let (t, i) = (thread_idx().x, grid_1d());
    let place = x[i] as usize % THREADS;
    keys[place] = x[i];
    pairs[place] = (x[i], t as u32);
    rows[place] = [x[i], 5];
    sync_threads();
    change(&mut keys, &mut rows[place], &mut pairs[..THREADS], place);
    sync_threads();
    let (above, step) = (first_above(&pairs[8..], x[i]), Step { by: 7 });
    let found = looked_up(&keys, table, t) + looked_up(table, &keys, t % table.len());
    out[i] = found * above.1 + above.0 + largest::<u32>(&keys) * step.of(&keys, table, t / 2) + difference(&rows[t]);
}

fn functions_take_arrays_without_a_proof(bench: &Bench) {
    let x: Vec<u32> = (0..THREADS as u32).map(|i| i * 37 % 64).collect();
    let table: Vec<u32> = (0..70).map(|i| i * i % 41).collect();
    let mut out = vec![0; THREADS];
    launch!(bench, permuted(&x, &table, &mut out), 1, THREADS);
    let (mut keys, mut pairs, mut rows) = ([0; THREADS], [(0, 0); THREADS], [0; THREADS]);
    for (t, &x) in x.iter().enumerate() {
        let doubled = x * 2;
        keys[x as usize] = doubled + 3;
        pairs[x as usize] = (x + doubled + 1, (t as u32 + doubled + 3) * 2);
        rows[x as usize] = 5 + pairs[x as usize].0 - x;
    }
    let found = |keys: &[u32], table: &[u32], i: usize| table.get(keys[i] as usize % 80).copied().unwrap_or(1000);
    let expected = x.iter().enumerate().map(|(t, &x)| {
        let above = pairs[8..].iter().find(|pair| pair.0 > x).copied().unwrap_or((0, 0));
        let sum = found(&keys, &table, t) + found(&table, &keys, t % table.len());
        sum * above.1 + above.0 + keys.iter().max().unwrap() * (found(&keys[1..], &table, t / 2) + 7) + rows[t]
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}
