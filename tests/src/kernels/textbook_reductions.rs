//! Reductions, scans, histograms, compaction.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_close, assert_same, below, bytes_below, positive, whole};
use crate::{cases, launch};

cases![vectors_are_summed, rows_are_summed, prefixes_are_summed, values_are_counted, elements_are_kept, rows_are_normalized];

const BLOCK: usize = 16;
const THREADS: usize = 8;

#[gpu_kernel(block = BLOCK)]
pub fn reduce_tree(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; BLOCK]>();
    let (i, t) = (grid_1d(), thread_idx().x);
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut s = BLOCK / 2;
    while s > 0 {
        if t < s {
            tile[t] += tile[t + s];
        }
        sync_threads();
        s /= 2;
    }
    if t == 0 {
        out[block_idx().x] = tile[0];
    }
}

/// Each warp by shuffles, then the warps' sums by the first warp.
#[gpu_kernel(block = 256)]
pub fn reduce_shuffles(x: &[f32], out: &mut [f32]) {
    let mut sums = shared::<[f32; 8]>();
    let mut sum = 0.0;
    for i in grid_stride(x.len()) {
        sum += x[i];
    }
    let sum = warp_sum(sum);
    if lane_id() == 0 {
        sums[warp_id()] = sum;
    }
    sync_threads();
    if warp_id() == 0 {
        let total = warp_sum(if lane_id() < 8 { sums[lane_id()] } else { 0.0 });
        if lane_id() == 0 {
            out[block_idx().x] = total;
        }
    }
}

/// As in CUDA by Example: two elements per thread at first.
#[gpu_kernel(block = 128)]
pub fn reduce_two_per_thread(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; 128]>();
    let t = thread_idx().x;
    let i = block_idx().x * 2 * block_dim().x + t;
    let at = |i: usize| if i < x.len() { x[i] } else { 0.0 };
    tile[t] = at(i) + at(i + block_dim().x);
    sync_threads();
    let mut s = 64;
    while s > 0 {
        if t < s {
            tile[t] += tile[t + s];
        }
        sync_threads();
        s >>= 1;
    }
    if t == 0 {
        out[block_idx().x] = tile[0];
    }
}

#[gpu_kernel(block = 256)]
pub fn dot_product(x: &[f32], y: &[f32], sum: &[AtomicF32]) {
    let mut own = 0.0;
    for i in grid_stride(x.len()) {
        own += x[i] * y[i];
    }
    let own = warp_sum(own);
    if lane_id() == 0 {
        sum[0].fetch_add(own, Relaxed);
    }
}

/// A warp per row.
#[gpu_kernel(block = 256)]
pub fn reduce_rows_by_warps(x: &[f32], rows: usize, columns: usize, out: &mut [f32]) {
    let row = grid_1d() / 32;
    let lane = lane_id();
    if row < rows {
        let mut sum = 0.0;
        for j in (lane..columns).step_by(32) {
            sum += x[row * columns + j];
        }
        let sum = warp_sum(sum);
        if lane == 0 {
            out[row] = sum;
        }
    }
}

#[gpu_kernel(block = 32)]
pub fn scan_hillis_steele(x: &[i32], out: &mut [i32]) {
    let mut sums = shared::<[[i32; 32]; 2]>();
    let (i, t) = (grid_1d(), thread_idx().x);
    let mut from = 0;
    sums[from][t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let mut distance = 1;
    while distance < 32 {
        let to = 1 - from;
        sums[to][t] = if t >= distance { sums[from][t - distance] + sums[from][t] } else { sums[from][t] };
        sync_threads();
        from = to;
        distance <<= 1;
    }
    if i < out.len() {
        out[i] = sums[from][t];
    }
}

/// Two elements per thread: up and down the tree.
#[gpu_kernel(block = THREADS)]
pub fn scan_blelloch(x: &[i32], sums: &mut [i32], out: &mut [i32]) {
    let mut tile = shared::<[i32; 2 * THREADS]>();
    let t = thread_idx().x;
    let base = block_idx().x * 2 * THREADS;
    tile[t] = x[base + t];
    tile[t + THREADS] = x[base + THREADS + t];
    let (mut d, mut offset) = (THREADS, 1);
    while d > 0 {
        sync_threads();
        if t < d {
            tile[offset * (2 * t + 2) - 1] += tile[offset * (2 * t + 1) - 1];
        }
        offset *= 2;
        d /= 2;
    }
    sync_threads();
    if t == 0 {
        sums[block_idx().x] = tile[2 * THREADS - 1];
        tile[2 * THREADS - 1] = 0;
    }
    d = 1;
    while d < 2 * THREADS {
        offset /= 2;
        sync_threads();
        if t < d {
            let (a, b) = (offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1);
            (tile[a], tile[b]) = (tile[b], tile[a] + tile[b]);
        }
        d *= 2;
    }
    sync_threads();
    out[base + t] = tile[t];
    out[base + THREADS + t] = tile[t + THREADS];
}

/// Decoupled look-back: a block waits for the sum of its predecessor.
#[gpu_kernel(block = 256)]
pub fn scan_decoupled(x: &[u32], tickets: &[AtomicU32], sums: &[AtomicU32], ready: &[AtomicU32], out: &mut [u32]) {
    let mut block = shared::<[u32; 2]>();
    let t = thread_idx().x;
    if t == 0 {
        block[0] = tickets[0].fetch_add(1, Relaxed);
    }
    sync_threads();
    let tile = block[0] as usize;
    let i = tile * 256 + t;
    let own = if i < x.len() { x[i] } else { 0 };
    let total = sync_threads_count(own > 0);
    if t == 0 {
        let before = if tile > 0 {
            while ready[tile - 1].load(Acquire) == 0 {}
            sums[tile - 1].load(Relaxed)
        } else {
            0
        };
        sums[tile].store(before + total as u32, Relaxed);
        ready[tile].store(1, Release);
        block[1] = before;
    }
    sync_threads();
    if i < out.len() {
        out[i] = block[1] + own;
    }
}

/// The prefix of each warp, by shuffles.
#[gpu_kernel(block = 256)]
pub fn scan_warps(x: &[i32], out: &mut [i32], warps: &mut [i32]) {
    let i = grid_1d();
    let mut sum = if i < x.len() { x[i] } else { 0 };
    for k in 0..5 {
        let left = warp_shuffle_up(sum, 1 << k);
        if lane_id() >= 1 << k {
            sum += left;
        }
    }
    if i < out.len() {
        out[i] = sum;
    }
    if lane_id() == 31 {
        warps[block_idx().x * 8 + warp_id()] = sum;
    }
}

/// Adds the sums of the blocks before to each block.
#[gpu_kernel]
pub fn scan_add_sums(sums: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if block_idx().x > 0 && i < out.len() {
        out[i] += sums[block_idx().x - 1];
    }
}

#[gpu_kernel]
pub fn histogram_global(x: &[u8], counts: &[AtomicU32]) {
    for i in grid_stride(x.len()) {
        counts[x[i] as usize].fetch_add(1, Relaxed);
    }
}

#[gpu_kernel(block = 256)]
pub fn histogram_shared(x: &[u8], counts: &[AtomicU32]) {
    let own = shared::<[AtomicU32; 256]>();
    let t = thread_idx().x;
    own[t].store(0, Relaxed);
    sync_threads();
    for i in grid_stride(x.len()) {
        own[x[i] as usize].fetch_add(1, Relaxed);
    }
    sync_threads();
    counts[t].fetch_add(own[t].load(Relaxed), Relaxed);
}

/// A histogram for each thread, in global memory: bins of one thread are `threads` apart.
#[gpu_kernel]
pub fn histogram_privatized(x: &[u8], threads: usize, counts: &mut [u32]) {
    let t = grid_1d();
    if t < threads {
        for i in (t..x.len()).step_by(threads) {
            counts[(x[i] as usize) * threads + t] += 1;
        }
    }
}

/// The sum over the threads of a privatized histogram.
#[gpu_kernel]
pub fn histogram_merge(counts: &[u32], threads: usize, bins: usize, out: &mut [u32]) {
    let bin = grid_1d();
    if bin < bins {
        let mut sum = 0;
        for t in 0..threads {
            sum += counts[bin * threads + t];
        }
        out[bin] = sum;
    }
}

/// Stream compaction: each kept element draws a ticket.
#[gpu_kernel]
pub fn compact_by_tickets(x: &[f32], kept: &[AtomicU32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && x[i] > 0.0 {
        let place = kept[0].fetch_add(1, Relaxed) as usize;
        if place < out.len() {
            out[place] = x[i];
        }
    }
}

/// Compaction with one atomic per warp.
#[gpu_kernel]
pub fn compact_by_warps(x: &[f32], kept: &[AtomicU32], out: &mut [f32]) {
    let i = grid_1d();
    let keep = i < x.len() && x[i] > 0.0;
    let votes = warp_ballot(keep);
    let mut first = 0;
    if lane_id() == 0 {
        first = kept[0].fetch_add(votes.count_ones(), Relaxed);
    }
    let first = warp_shuffle(first, 0);
    if keep {
        out[(first + (votes & lane_mask_lt()).count_ones()) as usize] = x[i];
    }
}

/// Softmax of short rows, a warp per row.
#[gpu_kernel(block = 128)]
pub fn softmax_by_warps(x: &[f32], rows: usize, columns: usize, out: &mut [f32]) {
    let row = block_idx().x * 4 + warp_id();
    if row < rows {
        let mut most = f32::NEG_INFINITY;
        for j in (lane_id()..columns).step_by(32) {
            most = most.max(x[row * columns + j]);
        }
        let most = warp_max(most);
        let mut sum = 0.0;
        for j in (lane_id()..columns).step_by(32) {
            sum += (x[row * columns + j] - most).exp();
        }
        let sum = warp_sum(sum);
        for j in (lane_id()..columns).step_by(32) {
            out[row * columns + j] = (x[row * columns + j] - most).exp() / sum;
        }
    }
}

/// Softmax of long rows, a block per row.
#[gpu_kernel]
pub fn softmax_by_blocks(x: &[f32], columns: usize, out: &mut [f32]) {
    let (row, t, threads) = (block_idx().x, thread_idx().x, block_dim().x);
    let mut tile = dynamic_shared::<f32>(block_dim().x);
    let mut sum = 0.0;
    for j in (t..columns).step_by(threads) {
        sum += x[row * columns + j].exp();
    }
    tile[t] = sum;
    sync_threads();
    let mut total = 0.0;
    for k in 0..threads {
        total += tile[k];
    }
    for j in (t..columns).step_by(threads) {
        out[row * columns + j] = x[row * columns + j].exp() / total;
    }
}

/// Layer normalization in place, a block per row.
#[gpu_kernel(block = BLOCK)]
pub fn layer_norm(x: &mut [f32], columns: usize, gain: &[f32]) {
    let mut sums = shared::<[f32; BLOCK]>();
    let (row, t) = (block_idx().x, thread_idx().x);
    let mut sum = 0.0;
    let mut j = t;
    while j < columns {
        sum += x[row * columns + j];
        j += BLOCK;
    }
    sums[t] = sum;
    sync_threads();
    let mut mean = 0.0;
    for k in 0..BLOCK {
        mean += sums[k];
    }
    mean /= columns as f32;
    let mut j = t;
    while j < columns {
        x[row * columns + j] = (x[row * columns + j] - mean) * gain[j];
        j += BLOCK;
    }
}

fn sums_of_chunks(x: &[f32], length: usize) -> Vec<f32> {
    x.chunks(length).map(|chunk| chunk.iter().sum()).collect()
}

fn vectors_are_summed(bench: &Bench) {
    let x = whole(1000);
    let mut sums = vec![0.0; 63];
    launch!(bench, reduce_tree(&x, &mut sums), 63, BLOCK as u32);
    assert_same(&sums, &sums_of_chunks(&x, BLOCK));
    let mut sums = vec![0.0; 4];
    launch!(bench, reduce_two_per_thread(&x, &mut sums), 4, 128);
    assert_same(&sums, &sums_of_chunks(&x, 256));
    let mut sums = vec![0.0; 2];
    launch!(bench, reduce_shuffles(&x, &mut sums), 2, 256);
    let chunks = sums_of_chunks(&x, 256);
    assert_same(&sums, &[chunks[0] + chunks[2], chunks[1] + chunks[3]]);
    let (y, mut sum) = (x.iter().rev().copied().collect(), vec![0.0]);
    launch!(bench, dot_product(&x, &y, &mut sum), 2, 256);
    assert_same(&sum, &[x.iter().zip(&y).map(|(x, y)| x * y).sum()]);
}

fn rows_are_summed(bench: &Bench) {
    let (rows, columns, x) = (10, 40, whole(400));
    let mut sums = vec![0.0; rows];
    launch!(bench, reduce_rows_by_warps(&x, rows, columns, &mut sums), 2, 256);
    assert_same(&sums, &sums_of_chunks(&x, columns));
}

fn prefixes_are_summed(bench: &Bench) {
    let x: Vec<i32> = below(100, 600).into_iter().map(|number| number as i32 - 50).collect();
    let prefixes = |x: &[i32], length: usize| {
        let of_chunk = |chunk: &[i32]| chunk.iter().scan(0, |sum, x| Some(std::mem::replace(sum, *sum + x) + x)).collect::<Vec<_>>();
        x.chunks(length).flat_map(of_chunk).collect::<Vec<_>>()
    };
    let mut out = vec![0; 600];
    launch!(bench, scan_hillis_steele(&x, &mut out), 19, 32);
    assert_same(&out, &prefixes(&x, 32));
    let mut warps = vec![0; 24];
    let mut by_warps = vec![0; 600];
    launch!(bench, scan_warps(&x, &mut by_warps, &mut warps), 3, 256);
    assert_same(&by_warps, &out);
    assert_same(&warps[..19], &x.chunks(32).map(|chunk| chunk.iter().sum()).collect::<Vec<_>>());

    let (x, length) = (x[..96].to_vec(), 2 * THREADS);
    let (mut sums, mut out) = (vec![0; 6], vec![0; 96]);
    launch!(bench, scan_blelloch(&x, &mut sums, &mut out), 6, THREADS as u32);
    assert_same(&sums, &x.chunks(length).map(|chunk| chunk.iter().sum()).collect::<Vec<_>>());
    assert_same(&out, &prefixes(&x, length).iter().zip(&x).map(|(sum, x)| sum - x).collect::<Vec<_>>());
    let before = out.clone();
    launch!(bench, scan_add_sums(&sums, &mut out), 6, length as u32);
    assert_same(&out, &(0..96).map(|i| before[i] + if i < length { 0 } else { sums[i / length - 1] }).collect::<Vec<_>>());

    let x = below(4, 700);
    let (mut tickets, mut sums, mut ready, mut out) = (vec![0], vec![0; 3], vec![0; 3], vec![0; 700]);
    launch!(bench, scan_decoupled(&x, &mut tickets, &mut sums, &mut ready, &mut out), 3, 256);
    let positive = |i: usize| x[..i].iter().filter(|x| **x > 0).count() as u32;
    assert_same(&out, &(0..700).map(|i| positive(i / 256 * 256) + x[i]).collect::<Vec<_>>());
}

fn values_are_counted(bench: &Bench) {
    let x = bytes_below(20, 500);
    let mut expected = vec![0; 256];
    for x in &x {
        expected[usize::from(*x)] += 1;
    }
    let (mut global, mut shared, mut private, mut merged) = (vec![0; 256], vec![0; 256], vec![0; 256 * 10], vec![0; 256]);
    launch!(bench, histogram_global(&x, &mut global), 4, 32);
    launch!(bench, histogram_shared(&x, &mut shared), 1, 256);
    launch!(bench, histogram_privatized(&x, 10, &mut private), 1, 16);
    launch!(bench, histogram_merge(&private, 10, 256, &mut merged), 8, 32);
    assert_same(&global, &expected);
    assert_same(&shared, &expected);
    assert_same(&merged, &expected);
}

fn elements_are_kept(bench: &Bench) {
    let x = whole(100);
    let sorted = |mut x: Vec<f32>| {
        x.sort_by(f32::total_cmp);
        x
    };
    let expected = sorted(x.iter().copied().filter(|x| *x > 0.0).collect());
    let (mut kept, mut by_tickets) = (vec![0], vec![0.0; expected.len()]);
    launch!(bench, compact_by_tickets(&x, &mut kept, &mut by_tickets), 4, 32);
    assert_same(&kept, &[expected.len() as u32]);
    assert_same(&sorted(by_tickets), &expected);
    let (mut kept, mut by_warps) = (vec![0], vec![0.0; expected.len()]);
    launch!(bench, compact_by_warps(&x, &mut kept, &mut by_warps), 2, 64);
    assert_same(&kept, &[expected.len() as u32]);
    assert_same(&sorted(by_warps), &expected);
}

fn rows_are_normalized(bench: &Bench) {
    let (rows, columns, x) = (6, 40, positive(240));
    let shares = x.chunks(columns).flat_map(|row| {
        let sum: f32 = row.iter().map(|x| x.exp()).sum();
        row.iter().map(move |x| x.exp() / sum)
    });
    let shares: Vec<f32> = shares.collect();
    let (mut by_warps, mut by_blocks) = (vec![0.0; 240], vec![0.0; 240]);
    launch!(bench, softmax_by_warps(&x, rows, columns, &mut by_warps), 2, 128);
    launch!(bench, softmax_by_blocks(&x, columns, &mut by_blocks), rows as u32, 16);
    assert_close(&by_warps, &shares);
    assert_close(&by_blocks, &shares);

    let (columns, gain, mut x) = (2 * BLOCK, whole(2 * BLOCK), whole(96));
    let expected = x.chunks(columns).flat_map(|row| {
        let mean = row.iter().sum::<f32>() / columns as f32;
        row.iter().zip(&gain).map(move |(x, gain)| (x - mean) * gain)
    });
    let expected: Vec<f32> = expected.collect();
    launch!(bench, layer_norm(&mut x, columns, &gain), 3, BLOCK as u32);
    assert_same(&x, &expected);
}
