//! Dynamic shared arrays: their length is the launch's, and they lie one after the other.

use std::sync::atomic::{AtomicU32, Ordering};

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch, try_launch};

cases![
    blocks_of_any_size_reduce_to_a_sum,
    arrays_of_different_types_are_apart,
    a_histogram_has_any_number_of_bins,
    structs_and_rows_are_elements,
    an_empty_array_takes_no_memory,
    device_functions_take_them_as_slices,
    lengths_follow_from_all_that_the_launch_knows,
    an_index_is_checked_against_the_length,
    every_block_has_arrays_of_its_own,
    elements_are_of_a_type_parameter,
];

/// A tree over as many threads as there are, of which none need be a power of two.
#[gpu_kernel]
pub fn sum_of_any_block(x: &[f64], out: &mut [f64]) {
    let mut sums = dynamic_shared::<f64>(block_dim().x);
    let t = thread_idx().x;
    let i = grid_1d();
    sums[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut count = sums.len();
    while count > 1 {
        let half = (count + 1) / 2;
        if t + half < count {
            sums[t] += sums[t + half];
        }
        sync_threads();
        count = half;
    }
    if t == 0 {
        out[block_idx().x] = sums[0];
    }
}

fn blocks_of_any_size_reduce_to_a_sum(bench: &Bench) {
    let x: Vec<f64> = (0..200).map(|i| f64::from(i) * 0.25 - 20.0).collect();
    for block in [1, 2, 7, 32, 33, 100, 200] {
        let blocks = x.len().div_ceil(block);
        let mut out = vec![0.0; blocks];
        launch!(bench, sum_of_any_block(&x, &mut out), blocks, block);
        // Quarters add up without rounding.
        assert_same(&out, &x.chunks(block).map(|chunk| chunk.iter().sum()).collect::<Vec<f64>>());
    }
}

/// Five arrays, whose sizes are no multiples of each other's alignment.
#[gpu_kernel]
pub fn five_types(n: usize, out: &mut [f64]) {
    let mut bytes = dynamic_shared::<u8>(n);
    let mut wide = dynamic_shared::<f64>(n + 1);
    let mut halves = dynamic_shared::<i16>(3);
    let counts = dynamic_shared::<AtomicU32>(n);
    let mut words = dynamic_shared::<u32>(2 * n);
    let t = thread_idx().x;
    bytes[t] = 200 + t as u8;
    wide[t] = t as f64 + 0.5;
    if t == 0 {
        wide[n] = -1.0;
    }
    if t < 3 {
        halves[t] = -7;
    }
    counts[t].store(10 * t as u32, Ordering::Relaxed);
    words[t] = 1000 + t as u32;
    words[n + t] = 2000 + t as u32;
    sync_threads();
    counts[(t + 1) % n].fetch_add(1, Ordering::Relaxed);
    sync_threads();
    let next = (t + 1) % n;
    out[t * 6] = bytes[next] as f64;
    out[t * 6 + 1] = wide[next] + wide[n];
    out[t * 6 + 2] = halves[t % 3] as f64;
    out[t * 6 + 3] = counts[next].load(Ordering::Relaxed) as f64;
    out[t * 6 + 4] = words[next] as f64;
    out[t * 6 + 5] = words[n + next] as f64;
}

fn arrays_of_different_types_are_apart(bench: &Bench) {
    for n in [3, 5, 17] {
        let mut out = vec![0.0; n * 6];
        launch!(bench, five_types(n, &mut out), 1, n);
        let expected = (0..n).flat_map(|t| {
            let next = ((t + 1) % n) as f64;
            [200.0 + next, next - 0.5, -7.0, 10.0 * next + 1.0, 1000.0 + next, 2000.0 + next]
        });
        assert_same(&out, &expected.collect::<Vec<_>>());
    }
}

/// Counts in shared memory first, with as many bins as the output has.
#[gpu_kernel]
pub fn histogram(x: &[u32], bins: &[AtomicU32]) {
    let own = dynamic_shared::<AtomicU32>(bins.len());
    let mut bin = thread_idx().x;
    while bin < own.len() {
        own[bin].store(0, Ordering::Relaxed);
        bin += block_dim().x;
    }
    sync_threads();
    for i in grid_stride(x.len()) {
        own[x[i] as usize % own.len()].fetch_add(1, Ordering::Relaxed);
    }
    sync_threads();
    let mut bin = thread_idx().x;
    while bin < own.len() {
        bins[bin].fetch_add(own[bin].load(Ordering::Relaxed), Ordering::Relaxed);
        bin += block_dim().x;
    }
}

fn a_histogram_has_any_number_of_bins(bench: &Bench) {
    let x: Vec<u32> = (0..1000).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 20).collect();
    for count in [1, 10, 300] {
        let mut bins = vec![0; count];
        launch!(bench, histogram(&x, &mut bins), 3, 64);
        let mut expected = vec![0; count];
        x.iter().for_each(|&value| expected[value as usize % count] += 1);
        assert_eq!(bins, expected);
    }
}

/// A point with a name for each of its coordinates.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Point {
    x: f32,
    id: u8,
    y: f64,
}

/// Structs, and rows of 33 elements, so that a column touches every bank.
#[gpu_kernel]
pub fn structs_and_rows(rows: usize, out: &mut [f64]) {
    let mut points = dynamic_shared::<Point>(rows);
    let mut tile = dynamic_shared::<[f32; 33]>(rows);
    let t = thread_idx();
    tile[t.y][t.x] = (t.y * 100 + t.x) as f32;
    if t.x == 0 {
        points[t.y] = Point { x: t.y as f32, id: 7, y: -0.5 };
        points[t.y].y += t.y as f64;
    }
    sync_threads();
    let other = tile.len() - 1 - t.y;
    out[t.y * block_dim().x + t.x] = tile[other][t.x] as f64 + points[other].x as f64 * 1e3 + points[t.y].y + points[t.y].id as f64;
}

fn structs_and_rows_are_elements(bench: &Bench) {
    let mut out = vec![0.0; 6 * 8];
    launch!(bench, structs_and_rows(6, &mut out), 1, (8, 6));
    let expected = (0..48).map(|i| {
        let (x, y) = (f64::from(i % 8), f64::from(i / 8));
        let other = 5.0 - y;
        other * 100.0 + x + other * 1e3 + (y - 0.5) + 7.0
    });
    assert_same(&out, &expected.collect::<Vec<_>>());
}

/// One of the arrays may be empty.
#[gpu_kernel]
pub fn with_empty(n: usize, out: &mut [usize]) {
    let mut first = dynamic_shared::<u32>(n);
    let mut second = dynamic_shared::<u32>(2);
    if thread_idx().x == 0 {
        second[0] = 5;
        second[1] = 6;
        let mut i = 0;
        while i < first.len() {
            first[i] = 9;
            i += 1;
        }
        out[0] = first.len() + first.is_empty() as usize * 100;
        out[1] = (second[0] * 10 + second[1]) as usize;
    }
}

fn an_empty_array_takes_no_memory(bench: &Bench) {
    for (n, expected) in [(0, 100), (1, 1), (4, 4), (5, 5)] {
        let mut out = vec![0; 2];
        launch!(bench, with_empty(n, &mut out), 1, 2);
        assert_eq!(out, [expected, 56]);
    }
}

/// Fills what it is given.
#[gpu_device]
fn fill(values: &mut [i32], from: i32) {
    for i in 0..values.len() {
        values[i] = from + i as i32;
    }
}

/// Adds up what it is given.
#[gpu_device]
fn total(values: &[i32]) -> i32 {
    let mut sum = 0;
    for i in 0..values.len() {
        sum += values[i];
    }
    sum
}

/// Raises every count.
#[gpu_device]
fn raise(counts: &[AtomicU32]) {
    for i in 0..counts.len() {
        counts[i].fetch_add(1, Ordering::Relaxed);
    }
}

/// Adds the value of the thread before, after all have arrived.
#[gpu_device]
async fn add_left(values: &mut [i32], t: usize) {
    let left = if t == 0 { 0 } else { values[t - 1] };
    sync_threads();
    values[t] += left;
    sync_threads();
}

/// Handles go to device functions of every kind.
#[gpu_kernel]
pub fn passed_on(out: &mut [i32]) {
    let mut values = dynamic_shared::<i32>(block_dim().x);
    let counts = dynamic_shared::<AtomicU32>(2);
    let t = thread_idx().x;
    if t == 0 {
        fill(&mut values, 10);
        counts[0].store(0, Ordering::Relaxed);
        counts[1].store(100, Ordering::Relaxed);
    }
    sync_threads();
    add_left(&mut values, t).await;
    raise(&counts);
    sync_threads();
    out[t] = values[t] * 1000 + total(&values) + counts[1].load(Ordering::Relaxed) as i32;
}

fn device_functions_take_them_as_slices(bench: &Bench) {
    let mut out = vec![0; 4];
    launch!(bench, passed_on(&mut out), 1, 4);
    let sum = 10 + 21 + 23 + 25 + 104;
    assert_eq!(out, [10_000 + sum, 21_000 + sum, 23_000 + sum, 25_000 + sum]);
}

const PADDING: usize = 1;

/// Every part that a length can have.
#[gpu_kernel]
pub fn lengths(x: &[u8], n: u32, m: View<f32, 2>, out: &mut [usize]) {
    const EXTRA: u32 = 3;
    let width = block_dim().x + PADDING;
    let count = (n + EXTRA) as usize;
    let a = dynamic_shared::<f32>(width * block_dim().y);
    let b = dynamic_shared::<f32>(count.min(x.len()));
    let c = dynamic_shared::<u16>(x.len().div_ceil(4) % 7 + grid_dim().x);
    let d = dynamic_shared::<u8>(m.shape()[1].max(2) - 1);
    let (i, j) = grid_2d();
    if i == 0 && j == 0 {
        out[0] = a.len();
        out[1] = b.len();
        out[2] = c.len();
        out[3] = d.len();
    }
}

fn lengths_follow_from_all_that_the_launch_knows(bench: &Bench) {
    let x = vec![0u8; 30];
    let m = vec![0.0f32; 12];
    let mut out = vec![0; 4];
    launch!(bench, lengths(&x, 8, crate::bench::view(&m, [2, 6]), &mut out), 5, (4, 3));
    assert_eq!(out, [15, 11, 8 % 7 + 5, 5]);
}

/// Reads where it is told.
#[gpu_kernel]
pub fn read_at(index: usize, n: usize, out: &mut [u32]) {
    let mut values = dynamic_shared::<u32>(n * 2);
    let mut i = 0;
    while i < values.len() {
        values[i] = 7;
        i += 1;
    }
    out[0] = values[index];
}

fn an_index_is_checked_against_the_length(bench: &Bench) {
    let mut out = vec![0];
    launch!(bench, read_at(5, 3, &mut out), 1, 1);
    assert_eq!(out, [7]);
    let failure = try_launch!(bench, read_at(6, 3, &mut out), 1, 1).expect_err("the index is the length");
    assert_eq!(failure.cause, gpu_runtime::FailureCause::IndexOutOfBounds { index: 6, len: 6 });
}

/// Each block writes its number everywhere and sees no other.
#[gpu_kernel]
pub fn own_arrays(out: &mut [u32]) {
    let mut marks = dynamic_shared::<u32>(block_dim().x * 3);
    let t = thread_idx().x;
    for k in 0..3 {
        marks[t * 3 + k] = block_idx().x as u32;
    }
    sync_threads();
    let mut sum = 0;
    for k in 0..marks.len() {
        sum += marks[k];
    }
    out[grid_1d()] = sum;
}

fn every_block_has_arrays_of_its_own(bench: &Bench) {
    let mut out = vec![0; 40];
    launch!(bench, own_arrays(&mut out), 10, 4);
    assert_eq!(out, (0..40).map(|i| i / 4 * 12).collect::<Vec<u32>>());
}

#[gpu_kernel]
pub fn reversed_blocks<T: Num>(x: &[T], out: &mut [T]) {
    let mut tile = dynamic_shared::<T>(block_dim().x);
    let (t, i) = (thread_idx().x, grid_1d());
    tile[t] = if i < x.len() { x[i] } else { T::from_i32(-1) };
    sync_threads();
    if i < out.len() {
        out[i] = tile[tile.len() - 1 - t];
    }
}

fn elements_are_of_a_type_parameter(bench: &Bench) {
    let (small, large): (Vec<i16>, Vec<f64>) = ((0..50).map(|i| i * 3).collect(), (0..50).map(|i| f64::from(i) * 0.5).collect());
    let (mut small_out, mut large_out) = (vec![0; 64], vec![0.0; 64]);
    bench.launch::<reversed_blocks::Kernel<i16>>((&small, &mut small_out), 4, 16);
    bench.launch::<reversed_blocks::Kernel<f64>>((&large, &mut large_out), 4, 16);
    let at = |i: usize| i / 16 * 16 + 15 - i % 16;
    assert_eq!(small_out, (0..64).map(|i| small.get(at(i)).copied().unwrap_or(-1)).collect::<Vec<_>>());
    assert_eq!(large_out, (0..64).map(|i| large.get(at(i)).copied().unwrap_or(-1.0)).collect::<Vec<_>>());
}
