//! Atomics along several axes, and exchanges that patterns take apart.

use gpu_runtime::FailureCause::AxisOutOfBounds;
use gpu_runtime::prelude::*;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU32, Ordering};

use crate::bench::{Bench, assert_same, view_mut};
use crate::{cases, launch, try_launch};

cases![
    a_histogram_of_two_axes_counts,
    parts_and_transposes_of_atomics_are_counted_in,
    every_axis_of_atomics_is_checked,
    device_functions_share_views_of_atomics,
    exchanges_are_matched,
    exchanges_are_conditions,
    exchanges_bind_their_value_either_way,
    floats_are_multiplied_by_exchanges,
];

/// How many points are in each cell of a grid over the unit square.
#[gpu_kernel]
pub fn histogram(points: &[[f32; 2]], bins: View<AtomicU32, 2>) {
    let [rows, columns] = bins.shape();
    for k in grid_stride(points.len()) {
        let [x, y] = points[k];
        let (i, j) = ((y * rows as f32) as usize, (x * columns as f32) as usize);
        if i < rows && j < columns {
            bins[[i, j]].fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn points() -> Vec<[f32; 2]> {
    (0..500u32).map(|k| [k.wrapping_mul(37) % 101, k.wrapping_mul(53) % 97].map(|part| part as f32 / 100.0)).collect()
}

/// The cells of `rows` by `columns` in plain Rust.
fn counted(points: &[[f32; 2]], rows: usize, columns: usize) -> Vec<u32> {
    let mut counts = vec![0; rows * columns];
    for [x, y] in points {
        let (i, j) = ((y * rows as f32) as usize, (x * columns as f32) as usize);
        if i < rows && j < columns {
            counts[i * columns + j] += 1;
        }
    }
    counts
}

fn a_histogram_of_two_axes_counts(bench: &Bench) {
    let (points, mut bins) = (points(), vec![0; 12]);
    launch!(bench, histogram(&points, view_mut(&mut bins, [3, 4])), 4, 32);
    assert_same(&bins, &counted(&points, 3, 4));
}

fn parts_and_transposes_of_atomics_are_counted_in(bench: &Bench) {
    // The three rows and two columns in the middle of an array of five by four, as two rows and three columns.
    let (points, mut bins) = (points(), vec![7; 20]);
    let part = view_mut(&mut bins, [5, 4]).part(|view| view.slice_axis(0, 1..4).slice_axis(1, 1..3).t());
    launch!(bench, histogram(&points, part), 4, 32);
    let counts = counted(&points, 2, 3);
    let expected: Vec<u32> = (0..20)
        .map(|k| {
            let (i, j) = (k / 4, k % 4);
            if (1..4).contains(&i) && (1..3).contains(&j) { 7 + counts[(j - 1) * 3 + (i - 1)] } else { 7 }
        })
        .collect();
    assert_same(&bins, &expected);
}

#[gpu_kernel]
pub fn count_at(i: usize, j: usize, k: usize, counts: View<AtomicU8, 3>) {
    counts[[i, j, k]].fetch_add(1, Ordering::Relaxed);
}

fn every_axis_of_atomics_is_checked(bench: &Bench) {
    let mut counts = vec![0; 24];
    launch!(bench, count_at(1, 2, 3, view_mut(&mut counts, [2, 3, 4])), 2, 32);
    assert_eq!(counts[23], 64);
    for (index, axis, extent) in [([2, 0, 0], 0, 2), ([0, 3, 0], 1, 3), ([0, 0, 4], 2, 4)] {
        let [i, j, k] = index;
        let outcome = try_launch!(bench, count_at(i, j, k, view_mut(&mut counts, [2, 3, 4])), 1, 1);
        let failure = outcome.expect_err("one index is past its axis");
        assert_eq!(failure.cause, AxisOutOfBounds { axis, index: index[usize::from(axis)] as u64, extent });
    }
    assert_eq!(counts.iter().map(|&count| u32::from(count)).sum::<u32>(), 64);
}

/// The largest of what is put into a cell, and how often that happened.
#[gpu_device]
pub fn put(largest: View<AtomicI64, 2>, i: usize, j: usize, value: i64) -> i64 {
    largest[[i, j]].fetch_max(value, Ordering::Relaxed)
}

#[gpu_kernel]
pub fn put_all(values: &[i64], largest: View<AtomicI64, 2>, puts: View<AtomicU32, 1>) {
    let k = grid_1d();
    if k < values.len() {
        let [rows, columns] = largest.shape();
        put(largest, k % rows, k % columns, values[k]);
        puts[k % puts.len()].fetch_add(1, Ordering::Relaxed);
    }
}

fn device_functions_share_views_of_atomics(bench: &Bench) {
    let values: Vec<i64> = (0..100).map(|k| k * 7919 % 1009 - 300).collect();
    let (mut largest, mut puts) = (vec![i64::MIN; 6], vec![0; 5]);
    launch!(bench, put_all(&values, view_mut(&mut largest, [2, 3]), view_mut(&mut puts, [5])), 4, 32);
    let mut expected = vec![i64::MIN; 6];
    for (k, &value) in values.iter().enumerate() {
        let cell = &mut expected[k % 2 * 3 + k % 3];
        *cell = value.max(*cell);
    }
    assert_same(&largest, &expected);
    assert_same(&puts, &[20; 5]);
}

/// Each thread takes the first free slot from its own place on: an open hash table.
#[gpu_kernel]
pub fn insert(keys: &[u32], slots: &[AtomicU32], steps: &mut [u32]) {
    let k = grid_1d();
    if k < keys.len() {
        let mut i = keys[k] as usize % slots.len();
        let mut passed = 0;
        loop {
            match slots[i].compare_exchange(0, keys[k], Ordering::AcqRel, Ordering::Acquire) {
                Ok(free) => {
                    steps[k] = passed + free;
                    break;
                }
                Err(there) if there == keys[k] => {
                    steps[k] = 1000;
                    break;
                }
                Err(_) => {
                    passed += 1;
                    i = (i + 1) % slots.len();
                }
            }
        }
    }
}

fn exchanges_are_matched(bench: &Bench) {
    // Every key twice: one thread finds what the other put there.
    let keys: Vec<u32> = (0..40).map(|k| k / 2 * 5 + 3).collect();
    let (mut slots, mut steps) = (vec![0; 64], vec![0; 40]);
    launch!(bench, insert(&keys, &mut slots, &mut steps), 2, 32);
    let mut found: Vec<u32> = slots.iter().copied().filter(|&slot| slot != 0).collect();
    found.sort_unstable();
    assert_same(&found, &(0..20).map(|k| k * 5 + 3).collect::<Vec<_>>());
    assert_eq!(steps.iter().filter(|&&steps| steps == 1000).count(), 20);
    assert!(steps.iter().all(|&steps| steps == 1000 || steps < 64), "{steps:?}");
}

/// Adds by exchanges: what is there now is what is expected next.
#[gpu_kernel]
pub fn add_by_exchange(values: &[u32], sums: View<AtomicU32, 2>, gates: &[AtomicU8], seen: &mut [u8]) {
    let k = grid_1d();
    if k < values.len() {
        let i = k % 2;
        let mut expected = 0;
        while let Err(now) = sums[[i, i]].compare_exchange_weak(expected, expected + values[k], Ordering::Relaxed, Ordering::Relaxed) {
            expected = now;
            spin_loop();
        }
        // Who comes first opens the gate; the others find it open.
        let Err(open) = gates[k % 3].compare_exchange(0, 9, Ordering::SeqCst, Ordering::Relaxed) else {
            seen[k] = 1;
            return;
        };
        seen[k] = if let Ok(2 | 9) = gates[k % 3].compare_exchange(9, 9, Ordering::Relaxed, Ordering::Relaxed) { open } else { 0 };
        if matches!(sums[[0, 1]].compare_exchange(5, 6, Ordering::Relaxed, Ordering::Relaxed), Ok(5)) {
            seen[k] = 100;
        }
    }
}

fn exchanges_are_conditions(bench: &Bench) {
    let values: Vec<u32> = (0..90).collect();
    let (mut sums, mut gates, mut seen) = (vec![0; 4], vec![0; 3], vec![0; 90]);
    launch!(bench, add_by_exchange(&values, view_mut(&mut sums, [2, 2]), &mut gates, &mut seen), 3, 32);
    assert_same(&sums, &[(0..45).map(|k| 2 * k).sum(), 0, 0, (0..45).map(|k| 2 * k + 1).sum()]);
    assert_same(&gates, &[9; 3]);
    assert_eq!(seen.iter().filter(|&&seen| seen == 1).count(), 3);
    assert!(seen.iter().all(|&seen| seen == 1 || seen == 9), "{seen:?}");
}

#[gpu_kernel]
pub fn either_way(cells: &[AtomicU32], before: &mut [u32]) {
    let k = grid_1d();
    if k < before.len() {
        let (Ok(value) | Err(value)) = cells[k].compare_exchange(3, 30, Ordering::Relaxed, Ordering::Relaxed);
        before[k] = value;
        let _ = cells[k].compare_exchange(4, 40, Ordering::Relaxed, Ordering::Relaxed);
    }
}

fn exchanges_bind_their_value_either_way(bench: &Bench) {
    let (mut cells, mut before) = (vec![2, 3, 4, 30], vec![0; 4]);
    launch!(bench, either_way(&mut cells, &mut before), 1, 4);
    assert_same(&before, &[2, 3, 4, 30]);
    assert_same(&cells, &[2, 30, 40, 30]);
}

/// A product: what no instruction does at once.
#[gpu_kernel]
pub fn multiply(factors: &[f32], product: &[AtomicF32]) {
    let k = grid_1d();
    if k < factors.len() {
        let mut expected = product[0].load(Ordering::Relaxed);
        loop {
            match product[0].compare_exchange(expected, expected * factors[k], Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => break,
                Err(now) => expected = now,
            }
        }
    }
}

fn floats_are_multiplied_by_exchanges(bench: &Bench) {
    let factors: Vec<f32> = (0..64).map(|k| if k % 2 == 0 { 2.0 } else { 0.5 }).chain([3.0, -0.25]).collect();
    let mut product = vec![1.0];
    launch!(bench, multiply(&factors, &mut product), 3, 32);
    assert_same(&product, &[-0.75]);
}
