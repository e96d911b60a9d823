//! Sorting, merging, searching, hashing.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same, below, bytes_below};
use crate::{cases, launch};

cases![networks_sort, runs_are_merged, digits_are_sorted, ranks_are_counted, patterns_are_found, keys_are_hashed wraps = true];

/// A step of a bitonic sort in global memory: the thread of the lower element exchanges both.
#[gpu_kernel]
pub fn bitonic_step(x: &mut [u32], stage: usize, distance: usize) {
    let t = grid_1d();
    let i = 2 * distance * (t / distance) + t % distance;
    if i + distance < x.len() {
        let (a, b) = (x[i], x[i + distance]);
        if (a > b) == (i & stage == 0) {
            x[i] = b;
            x[i + distance] = a;
        }
    }
}

/// The same as it is mostly written: the partner by exclusive or.
#[gpu_kernel]
pub fn bitonic_step_xor(x: &mut [u32], stage: usize, distance: usize) {
    let i = grid_1d();
    let partner = i ^ distance;
    if partner > i && partner < x.len() {
        let (a, b) = (x[i], x[partner]);
        if (a > b) == (i & stage == 0) {
            x[i] = b;
            x[partner] = a;
        }
    }
}

/// A whole block in shared memory.
#[gpu_kernel(block = 128)]
pub fn bitonic_block(x: &mut [u32]) {
    let mut tile = shared::<[u32; 256]>();
    let t = thread_idx().x;
    let base = block_idx().x * 256;
    tile[t] = x[base + t];
    tile[t + 128] = x[base + t + 128];
    let mut stage = 2;
    while stage <= 256 {
        let mut distance = stage / 2;
        while distance > 0 {
            sync_threads();
            let i = 2 * t - t % distance;
            let (a, b) = (tile[i], tile[i + distance]);
            if (a > b) == (i & stage == 0) {
                tile[i] = b;
                tile[i + distance] = a;
            }
            distance /= 2;
        }
        stage *= 2;
    }
    sync_threads();
    x[base + t] = tile[t];
    x[base + t + 128] = tile[t + 128];
}

#[gpu_kernel]
pub fn odd_even_step(x: &mut [i32], odd: u32) {
    let i = 2 * grid_1d() + odd as usize;
    if i + 1 < x.len() && x[i] > x[i + 1] {
        (x[i], x[i + 1]) = (x[i + 1], x[i]);
    }
}

/// Each element finds its place in the merged run by binary search in the other run.
#[gpu_kernel]
pub fn merge_by_rank(a: &[u32], b: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < a.len() {
        let (mut low, mut high) = (0, b.len());
        while low < high {
            let middle = (low + high) / 2;
            if b[middle] < a[i] { low = middle + 1 } else { high = middle }
        }
        out[i + low] = a[i];
    }
}

/// Merge path: a thread merges a stretch of the result.
#[gpu_kernel]
pub fn merge_path(a: &[u32], b: &[u32], per_thread: usize, out: &mut [u32]) {
    let first = grid_1d() * per_thread;
    let (mut low, mut high) = (first.saturating_sub(b.len()), first.min(a.len()));
    while low < high {
        let middle = (low + high) / 2;
        if a[middle] < b[first - middle - 1] { low = middle + 1 } else { high = middle }
    }
    let (mut i, mut j) = (low, first - low);
    for k in 0..per_thread {
        if first + k < out.len() {
            let from_a = j >= b.len() || i < a.len() && a[i] <= b[j];
            out[first + k] = if from_a { a[i] } else { b[j] };
            if from_a { i += 1 } else { j += 1 }
        }
    }
}

/// Radix sort: the counts of a digit per block, column by column.
#[gpu_kernel(block = 256)]
pub fn radix_count(keys: &[u32], shift: u32, counts: &mut [u32]) {
    let bins = shared::<[AtomicU32; 16]>();
    let (i, t) = (grid_1d(), thread_idx().x);
    if t < 16 {
        bins[t].store(0, Relaxed);
    }
    sync_threads();
    if i < keys.len() {
        bins[((keys[i] >> shift) & 15) as usize].fetch_add(1, Relaxed);
    }
    sync_threads();
    if t < 16 {
        counts[t * grid_dim().x + block_idx().x] = bins[t].load(Relaxed);
    }
}

/// Radix sort by one bit: zeros to the front, ones behind them, by scanned flags.
#[gpu_kernel]
pub fn radix_split(keys: &[u32], zeros_before: &[u32], zeros: usize, bit: u32, out: &mut [u32]) {
    let i = grid_1d();
    if i < keys.len() {
        let before = zeros_before[i] as usize;
        let place = if keys[i] >> bit & 1 == 0 { before } else { zeros + i - before };
        out[place] = keys[i];
    }
}

/// Sorts by the number of smaller elements: a thread per element.
#[gpu_kernel]
pub fn rank_sort_ranks(x: &[u32], ranks: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        let mut rank = 0;
        for j in 0..x.len() {
            if x[j] < x[i] || x[j] == x[i] && j < i {
                rank += 1;
            }
        }
        ranks[i] = rank;
    }
}

/// Every place where a pattern is found.
#[gpu_kernel]
pub fn string_search(text: &[u8], pattern: &[u8], found: &mut [u8]) {
    let i = grid_1d();
    if i + pattern.len() <= text.len() {
        let mut equal = true;
        for k in 0..pattern.len() {
            if text[i + k] != pattern[k] {
                equal = false;
                break;
            }
        }
        found[i] = if equal { 1 } else { 0 };
    }
}

/// Open addressing with linear probing.
#[gpu_kernel]
pub fn hash_build(keys: &[u32], slots: &[AtomicU32], places: &mut [u32]) {
    let i = grid_1d();
    if i < keys.len() {
        let mut slot = (keys[i] * 2654435761) as usize % slots.len();
        loop {
            let old = match slots[slot].compare_exchange(0, keys[i], Relaxed, Relaxed) {
                Ok(old) => old,
                Err(old) => old,
            };
            if old == 0 || old == keys[i] {
                break;
            }
            slot = (slot + 1) % slots.len();
        }
        places[i] = slot as u32;
    }
}

fn sorted<T: Ord + Clone>(x: &[T]) -> Vec<T> {
    let mut x = x.to_vec();
    x.sort();
    x
}

fn networks_sort(bench: &Bench) {
    let x = below(1000, 64);
    let (mut by_steps, mut by_xor) = (x.clone(), x.clone());
    for stage in (1..7).map(|log| 1 << log) {
        let mut distance = stage / 2;
        while distance > 0 {
            launch!(bench, bitonic_step(&mut by_steps, stage, distance), 2, 16);
            launch!(bench, bitonic_step_xor(&mut by_xor, stage, distance), 2, 32);
            distance /= 2;
        }
    }
    assert_same(&by_steps, &sorted(&x));
    assert_same(&by_xor, &sorted(&x));

    let x = below(1000, 512);
    let mut by_blocks = x.clone();
    launch!(bench, bitonic_block(&mut by_blocks), 2, 128);
    assert_same(&by_blocks, &x.chunks(256).flat_map(sorted).collect::<Vec<_>>());

    let x: Vec<i32> = below(100, 15).into_iter().map(|number| number as i32 - 50).collect();
    let mut by_turns = x.clone();
    for step in 0..15 {
        launch!(bench, odd_even_step(&mut by_turns, step % 2), 1, 8);
    }
    assert_same(&by_turns, &sorted(&x));
}

fn runs_are_merged(bench: &Bench) {
    // No number is in both.
    let a = sorted(&below(100, 20).iter().map(|number| 2 * number + 1).collect::<Vec<_>>());
    let b = (0..30).map(|number| 6 * number).collect::<Vec<_>>();
    let expected = sorted(&[&a[..], &b].concat());
    let a_distinct: Vec<u32> = (0..20).map(|number| 10 * number + 1).collect();
    let mut by_rank = vec![0; 50];
    launch!(bench, merge_by_rank(&a_distinct, &b, &mut by_rank), 1, 32);
    launch!(bench, merge_by_rank(&b, &a_distinct, &mut by_rank), 1, 32);
    assert_same(&by_rank, &sorted(&[&a_distinct[..], &b].concat()));
    let mut by_path = vec![0; 50];
    launch!(bench, merge_path(&a, &b, 4, &mut by_path), 2, 8);
    assert_same(&by_path, &expected);
}

fn digits_are_sorted(bench: &Bench) {
    let keys = below(1 << 16, 600);
    let mut counts = vec![0; 48];
    launch!(bench, radix_count(&keys, 4, &mut counts), 3, 256);
    let count = |i: usize| keys.chunks(256).nth(i % 3).unwrap().iter().filter(|key| (*key >> 4 & 15) as usize == i / 3).count() as u32;
    assert_same(&counts, &(0..48).map(count).collect::<Vec<_>>());

    let is_zero = |key: &u32| key >> 3 & 1 == 0;
    let before: Vec<u32> = (0..600).map(|i| keys[..i].iter().filter(|key| is_zero(key)).count() as u32).collect();
    let (zeros, ones): (Vec<u32>, Vec<u32>) = keys.iter().partition(|key| is_zero(key));
    let mut out = vec![0; 600];
    launch!(bench, radix_split(&keys, &before, zeros.len(), 3, &mut out), 5, 128);
    assert_same(&out, &[zeros, ones].concat());
}

fn ranks_are_counted(bench: &Bench) {
    let x = below(20, 50);
    let mut ranks = vec![0; 50];
    launch!(bench, rank_sort_ranks(&x, &mut ranks), 4, 16);
    let mut out = vec![u32::MAX; 50];
    for (x, rank) in x.iter().zip(ranks) {
        out[rank as usize] = *x;
    }
    assert_same(&out, &sorted(&x));
}

fn patterns_are_found(bench: &Bench) {
    let (text, pattern) = (bytes_below(2, 100), vec![1, 0, 1]);
    let mut found = vec![0; 98];
    launch!(bench, string_search(&text, &pattern, &mut found), 4, 32);
    assert_same(&found, &text.windows(3).map(|window| u8::from(window == pattern)).collect::<Vec<_>>());
}

fn keys_are_hashed(bench: &Bench) {
    let keys: Vec<u32> = below(1 << 20, 40).into_iter().map(|key| key + 1).collect();
    let (mut slots, mut places) = (vec![0; 64], vec![0; 40]);
    launch!(bench, hash_build(&keys, &mut slots, &mut places), 2, 32);
    assert_same(&places.iter().map(|place| slots[*place as usize]).collect::<Vec<_>>(), &keys);
    let (mut distinct, mut stored) = (sorted(&keys), sorted(&slots));
    distinct.dedup();
    stored.retain(|key| *key != 0);
    assert_same(&stored, &distinct);
}
