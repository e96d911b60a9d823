//! Barriers of the whole grid.

use std::f64::consts::PI;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering};

use gpu_runtime::FailureCause;
use gpu_runtime::block::{block_histogram, block_sum};
use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch, try_launch};

cases![
    a_rod_cools_across_blocks,
    a_sum_takes_one_launch,
    shares_of_a_total_are_computed,
    threads_and_blocks_that_have_returned_are_not_waited_for,
    the_last_thread_of_a_block_may_return_while_others_wait,
    threads_return_from_anywhere_while_others_wait,
    threads_fail_while_others_wait,
    a_barrier_is_in_a_device_function,
    blocks_keep_what_they_share,
    blocks_keep_their_dynamic_shared_arrays,
    blocks_of_several_axes_meet,
    blocks_wait_for_each_others_flags,
    loops_end_where_the_grid_agrees,
    recursive_functions_are_called_between_barriers,
    a_failure_ends_those_who_wait,
    a_failure_in_the_last_step_is_reported,
    blocks_that_miss_each_other_are_reported,
    threads_of_a_block_that_miss_each_other_are_reported,
    a_histogram_takes_one_launch,
    histograms_of_blocks_of_several_axes,
];

/// Points of the rod, both ends included: no multiple of a block.
const POINTS: usize = 1001;

/// All steps in one launch: two copies of the rod take turns, and no thread is ahead of its neighbours by more than a step.
#[gpu_kernel]
pub fn cool(even: &mut [f64], odd: &mut [f64], rate: f64, steps: usize) {
    let i = grid_1d();
    let is_inner = i > 0 && i + 1 < even.len();
    for step in 0..steps {
        if is_inner {
            if step % 2 == 0 {
                odd[i] = even[i] + rate * (even[i - 1] - 2.0 * even[i] + even[i + 1]);
            } else {
                even[i] = odd[i] + rate * (odd[i - 1] - 2.0 * odd[i] + odd[i + 1]);
            }
        }
        sync_grid();
    }
}

/// How many steps a bench does in a moment.
fn steps(bench: &Bench) -> usize {
    match bench {
        // The whole of the classic problem.
        Bench::Device(_) => 10_000,
        Bench::Recording(..) | Bench::Compiled(_) => 60,
    }
}

fn a_rod_cools_across_blocks(bench: &Bench) {
    let (rate, steps) = (0.25, steps(bench));
    // A half wave, which the discrete operator shrinks by the same factor in each step and leaves in shape.
    let half_wave: Vec<f64> = (0..POINTS).map(|i| (PI * i as f64 / (POINTS - 1) as f64).sin()).collect();
    let factor = 1.0 - 4.0 * rate * (PI / (2 * (POINTS - 1)) as f64).sin().powi(2);
    let (mut even, mut odd) = (half_wave.clone(), half_wave.clone());
    launch!(bench, cool(&mut even, &mut odd, rate, steps), 8, 128);
    for (i, (heat, start)) in even.iter().zip(&half_wave).enumerate() {
        let expected = start * factor.powi(steps as i32);
        assert!((heat - expected).abs() < 1e-10, "point {i} is {heat}, not {expected}");
    }
}

/// The sums of the blocks, and then the first block's of those.
#[gpu_kernel(block = 128)]
pub fn sum(x: &[f64], sums: &mut [f64], total: &mut [f64]) {
    let mut own = 0.0;
    for i in grid_stride(x.len()) {
        own += x[i];
    }
    let own = block_sum(own).await;
    let t = thread_idx().x;
    if t == 0 {
        sums[block_idx().x] = own;
    }
    sync_grid();
    if block_idx().x == 0 {
        let all = block_sum(if t < grid_dim().x { sums[t] } else { 0.0 }).await;
        if t == 0 {
            total[0] = all;
        }
    }
}

fn a_sum_takes_one_launch(bench: &Bench) {
    for blocks in [1, 2, 7, 40] {
        // Of integers, so that no order of adding them makes a difference.
        let x: Vec<f64> = (0..10_007).map(|i| f64::from(i * 7919 % 1013)).collect();
        let (mut sums, mut total) = (vec![0.0; blocks], vec![0.0]);
        launch!(bench, sum(&x, &mut sums, &mut total), blocks as u32, 128);
        assert_eq!(total[0], x.iter().sum::<f64>());
    }
}

/// Its launch is safe: what the threads have in common is atomic.
#[gpu_kernel]
pub fn shares(x: &[u32], total: &[AtomicU32], out: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() {
        total[0].fetch_add(x[i], Ordering::Relaxed);
    }
    sync_grid();
    if i < out.len() {
        out[i] = x[i] as f64 / total[0].load(Ordering::Relaxed) as f64;
    }
}

fn shares_of_a_total_are_computed(bench: &Bench) {
    let x: Vec<u32> = (0..300).map(|i| i * i % 23 + 1).collect();
    let (mut total, mut out) = (vec![0], vec![0.0; 300]);
    launch!(bench, shares(&x, &mut total, &mut out), 5, 64);
    let sum: u32 = x.iter().sum();
    assert_eq!(total, [sum]);
    assert_same(&out, &x.iter().map(|x| f64::from(*x) / f64::from(sum)).collect::<Vec<_>>());
}

/// The neighbour's value, `rounds` times, for the first `n` threads: the others have returned.
#[gpu_kernel]
pub fn rotate(x: &mut [u32], next: &mut [u32], rounds: usize) {
    let i = grid_1d();
    let n = x.len();
    if i >= n {
        return;
    }
    for _ in 0..rounds {
        next[i] = x[(i + 1) % n];
        sync_grid();
        x[i] = next[i];
        sync_grid();
    }
}

fn threads_and_blocks_that_have_returned_are_not_waited_for(bench: &Bench) {
    // Part of a warp, a warp, a block, blocks.
    for n in [70, 64, 96, 33, 1, 160] {
        let (mut x, mut next): (Vec<u32>, _) = ((0..n).collect(), vec![0; n as usize]);
        launch!(bench, rotate(&mut x, &mut next, 5), 5, 32);
        assert_eq!(x, (0..n).map(|i| (i + 5) % n).collect::<Vec<_>>(), "{n} of 160 threads");
    }
}

/// Of thread i only the first i rounds.
#[gpu_kernel]
pub fn dwindle(counts: &[AtomicU32], seen: &mut [u32]) {
    let i = grid_1d();
    for round in 0..counts.len() {
        if round > i {
            return;
        }
        counts[round].fetch_add(1, Ordering::Relaxed);
        sync_grid();
        seen[i] = counts[round].load(Ordering::Relaxed);
    }
}

fn the_last_thread_of_a_block_may_return_while_others_wait(bench: &Bench) {
    let threads = 4 * 48;
    let (mut counts, mut seen) = (vec![0; threads], vec![0; threads]);
    launch!(bench, dwindle(&mut counts, &mut seen), 4, 48);
    let left: Vec<u32> = (0..threads as u32).map(|round| threads as u32 - round).collect();
    assert_eq!(counts, left);
    // What each saw in its last round.
    assert_eq!(seen, left);
}

/// Of thread i only the first i rounds, and then what is left to do, of three kinds.
#[gpu_kernel]
pub fn dwindle_with_work(counts: &[AtomicU32], seen: &mut [u32]) {
    let i = grid_1d();
    let mut round = 0;
    while round < counts.len() {
        for kind in 0..3 {
            if round > i && i % 3 == kind {
                if kind == 0 {
                    seen[i] += 1000;
                    return;
                }
                seen[i] *= 2;
                if kind == 1 {
                    return;
                }
                seen[i] += 1;
                return;
            }
        }
        counts[round].fetch_add(1, Ordering::Relaxed);
        sync_grid();
        seen[i] = counts[round].load(Ordering::Relaxed);
        round += 1;
    }
}

fn threads_return_from_anywhere_while_others_wait(bench: &Bench) {
    let threads = 4 * 48;
    let (mut counts, mut seen) = (vec![0; threads], vec![0; threads]);
    launch!(bench, dwindle_with_work(&mut counts, &mut seen), 4, 48);
    let left: Vec<u32> = (0..threads as u32).map(|round| threads as u32 - round).collect();
    assert_eq!(counts, left);
    // The last thread has all rounds, and nothing behind them.
    let finished = |(i, &n): (usize, &u32)| match i % 3 {
        _ if i + 1 == threads => n,
        0 => n + 1000,
        1 => 2 * n,
        _ => 2 * n + 1,
    };
    assert_eq!(seen, left.iter().enumerate().map(finished).collect::<Vec<_>>());
}

/// From round 5 on, an index is beyond the end: in each round that of one more thread.
#[gpu_kernel]
pub fn fail_one_by_one(x: &[u32], counts: &[AtomicU32], out: &mut [u32]) {
    let i = grid_1d();
    for round in 0..counts.len() {
        let at = if i >= 40 { round + x.len() - (i - 35) } else { 0 };
        out[i] = x[at];
        counts[round].fetch_add(1, Ordering::Relaxed);
        sync_grid();
    }
}

fn threads_fail_while_others_wait(bench: &Bench) {
    let (x, mut counts, mut out) = (vec![2; 200], vec![0; 20], vec![0; 96]);
    let failure = try_launch!(bench, fail_one_by_one(&x, &mut counts, &mut out), 2, 48).unwrap_err();
    assert_eq!(failure.cause, FailureCause::IndexOutOfBounds { index: 200, len: 200 });
    assert_eq!((failure.block, failure.thread), ([0, 0, 0], [40, 0, 0]));
    // Nobody waits once more.
    assert_eq!(counts[..5], [96; 5]);
    assert_eq!(counts[6..], [0; 14]);
}

/// The value that the thread with the opposite number passes.
#[gpu_device]
async fn mirrored<T: Num>(exchange: &mut [T], value: T) -> T {
    let i = grid_1d();
    exchange[i] = value;
    sync_grid();
    let other = exchange[exchange.len() - 1 - i];
    sync_grid();
    other
}

/// The kernel calls what calls what waits.
#[gpu_device]
async fn mirrored_twice(exchange: &mut [i64], value: i64) -> i64 {
    let once = mirrored(exchange, value).await;
    once * 1000 + mirrored(exchange, once).await
}

#[gpu_kernel]
pub fn mirror(x: &[i64], y: &[f32], exchange: &mut [i64], other: &mut [f32], out: &mut [i64], out_y: &mut [f32]) {
    let i = grid_1d();
    out[i] = mirrored_twice(exchange, x[i]).await;
    out_y[i] = mirrored(other, y[i]).await;
}

fn a_barrier_is_in_a_device_function(bench: &Bench) {
    let n = 3 * 40;
    let x: Vec<i64> = (0..n as i64).map(|i| i * 37 % 101).collect();
    let y: Vec<f32> = (0..n).map(|i| i as f32 / 8.0).collect();
    let (mut exchange, mut other, mut out, mut out_y) = (vec![0; n], vec![0.0; n], vec![0; n], vec![0.0; n]);
    launch!(bench, mirror(&x, &y, &mut exchange, &mut other, &mut out, &mut out_y), 3, 40);
    assert_eq!(out, (0..n).map(|i| x[n - 1 - i] * 1000 + x[i]).collect::<Vec<_>>());
    assert_same(&out_y, &y.iter().rev().copied().collect::<Vec<_>>());
}

#[gpu_kernel(block = 32)]
pub fn keep(x: &[u32], sums: &[AtomicU32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 32]>();
    let (t, i) = (thread_idx().x, grid_1d());
    tile[t] = x[i];
    for round in 0..sums.len() {
        sync_threads();
        let next = tile[(t + 1) % 32];
        sync_threads();
        tile[t] = next;
        sums[round].fetch_add(next, Ordering::Relaxed);
        sync_grid();
        tile[t] += sums[round].load(Ordering::Relaxed);
    }
    sync_threads();
    out[i] = tile[t] + warp_sum(tile[31 - t]);
}

fn blocks_keep_what_they_share(bench: &Bench) {
    let (blocks, rounds) = (6, 3);
    let x: Vec<u32> = (0..32 * blocks).map(|i| i * 7 % 64).collect();
    let (mut sums, mut out) = (vec![0; rounds], vec![0; x.len()]);
    launch!(bench, keep(&x, &mut sums, &mut out), blocks, 32);
    let mut tiles = x;
    for sum in sums {
        tiles.chunks_mut(32).for_each(|tile| tile.rotate_left(1));
        assert_eq!(sum, tiles.iter().sum());
        tiles.iter_mut().for_each(|value| *value += sum);
    }
    let expected =
        tiles.iter().enumerate().map(|(i, value)| tiles[i / 32 * 32..][..32].iter().fold(*value, |sum, one| sum.wrapping_add(*one)));
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn keep_dynamic(total: &[AtomicU32], out: &mut [u32]) {
    let mut tile = dynamic_shared::<u32>(block_dim().x);
    let (t, i) = (thread_idx().x, grid_1d());
    tile[t] = i as u32;
    total[0].fetch_add(tile[t], Ordering::Relaxed);
    sync_grid();
    out[i] = tile[block_dim().x - 1 - t] + total[0].load(Ordering::Relaxed);
}

fn blocks_keep_their_dynamic_shared_arrays(bench: &Bench) {
    let (mut total, mut out) = (vec![0], vec![0; 120]);
    launch!(bench, keep_dynamic(&mut total, &mut out), 3, 40);
    assert_eq!(out, (0..120).map(|i| i / 40 * 40 + 39 - i % 40 + 119 * 60).collect::<Vec<u32>>());
}

#[gpu_kernel]
pub fn transpose_in_place(a: &mut [u32], width: usize) {
    let (x, y, z) = grid_3d();
    let own = (z * width + y) * width + x;
    let value = a[own];
    sync_grid();
    a[(z * width + x) * width + y] = value;
}

fn blocks_of_several_axes_meet(bench: &Bench) {
    let width = 12;
    let start: Vec<u32> = (0..2 * width as u32 * width as u32).collect();
    let mut a = start.clone();
    launch!(bench, transpose_in_place(&mut a, width), (3, 4, 2), (4, 3, 1));
    let expected = (0..start.len()).map(|i| start[(i / (width * width) * width + i % width) * width + i / width % width]);
    assert_eq!(a, expected.collect::<Vec<_>>());
}

/// Blocks pass a token on, each after the one behind it: while all are there, one may wait for another without a barrier.
#[gpu_kernel]
pub fn relay(token: &[AtomicU32], order: &mut [u32]) {
    let (b, t) = (block_idx().x, thread_idx().x);
    sync_grid();
    if t == 5 {
        let before = grid_dim().x - 1 - b;
        while token[0].load(Ordering::Acquire) != before as u32 {
            spin_loop();
        }
        order[b] = token[0].fetch_add(1, Ordering::AcqRel);
    }
    sync_grid();
    if t == 0 {
        order[b] += 100 * token[0].load(Ordering::Relaxed);
    }
}

fn blocks_wait_for_each_others_flags(bench: &Bench) {
    let (mut token, mut order) = (vec![0], vec![0; 9]);
    launch!(bench, relay(&mut token, &mut order), 9, 32);
    assert_eq!(order, (0..9).map(|b| 900 + 8 - b).collect::<Vec<u32>>());
}

#[gpu_kernel]
pub fn halve(x: &mut [u32], rounds: usize) {
    let i = grid_1d();
    let mut left = rounds;
    while left > 0 {
        let other = x[x.len() - 1 - i];
        sync_grid();
        x[i] = (x[i] + other) / 2;
        left -= 1;
        sync_grid();
    }
}

fn loops_end_where_the_grid_agrees(bench: &Bench) {
    let mut x: Vec<u32> = (0..96).map(|i| i * 64).collect();
    launch!(bench, halve(&mut x, 4), 3, 32);
    assert_eq!(x, vec![95 * 32; 96]);
}

#[gpu_device]
fn digits(n: u32) -> u32 {
    if n < 10 { 1 } else { 1 + digits(n / 10) }
}

#[gpu_kernel]
pub fn count_digits(x: &[u32], total: &[AtomicU32], out: &mut [u32]) {
    let i = grid_1d();
    total[0].fetch_add(digits(x[i]), Ordering::Relaxed);
    sync_grid();
    out[i] = total[0].load(Ordering::Relaxed) - digits(x[i]);
}

fn recursive_functions_are_called_between_barriers(bench: &Bench) {
    let x: Vec<u32> = (0..64).map(|i| 1 << (i % 32)).collect();
    let (mut total, mut out) = (vec![0], vec![0; 64]);
    launch!(bench, count_digits(&x, &mut total, &mut out), 2, 32);
    let digits: Vec<u32> = x.iter().map(|x| x.to_string().len() as u32).collect();
    assert_eq!(out, digits.iter().map(|own| digits.iter().sum::<u32>() - own).collect::<Vec<_>>());
}

/// Everyone waits for the thread that fails before it could say so.
#[gpu_kernel]
pub fn wait_for_one(x: &[u32], done: &[AtomicU32], at: usize) {
    let i = grid_1d();
    sync_grid();
    if i == 70 {
        let value = x[at];
        done[0].store(value, Ordering::Relaxed);
    }
    sync_grid();
    while done[0].load(Ordering::Relaxed) == 0 {
        sync_grid();
    }
}

fn a_failure_ends_those_who_wait(bench: &Bench) {
    let (x, mut done) = (vec![1; 10], vec![0]);
    launch!(bench, wait_for_one(&x, &mut done, 9), 4, 32);
    assert_eq!(done, [1]);
    let mut done = vec![0];
    let failure = try_launch!(bench, wait_for_one(&x, &mut done, 10), 4, 32).unwrap_err();
    assert_eq!(failure.cause, FailureCause::IndexOutOfBounds { index: 10, len: 10 });
    assert_eq!((failure.block, failure.thread), ([2, 0, 0], [6, 0, 0]));
    assert_eq!(done, [0]);
    // The next launch finds everything as it should be.
    launch!(bench, wait_for_one(&x, &mut done, 3), 4, 32);
    assert_eq!(done, [1]);
}

#[gpu_kernel]
pub fn fail_at_the_end(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    sync_grid();
    assert!(i != 33, "the second block has one");
    out[i] = x[i];
}

fn a_failure_in_the_last_step_is_reported(bench: &Bench) {
    let (x, mut out) = (vec![3; 64], vec![0; 64]);
    let failure = try_launch!(bench, fail_at_the_end(&x, &mut out), 2, 32).unwrap_err();
    assert_eq!(failure.cause, FailureCause::Assertion { message: "the second block has one" });
    assert_eq!((failure.block, failure.thread), ([1, 0, 0], [1, 0, 0]));
}

#[gpu_kernel]
pub fn one_barrier_or_another(out: &mut [u32]) {
    if block_idx().x == 1 {
        sync_grid();
    } else {
        sync_grid();
    }
    out[grid_1d()] = 1;
}

/// Unlike barriers of a block, those of the grid are compared on every device.
fn blocks_that_miss_each_other_are_reported(bench: &Bench) {
    let mut out = vec![0; 96];
    let failure = try_launch!(bench, one_barrier_or_another(&mut out), 3, 32).unwrap_err();
    let FailureCause::DivergentGridBarrier { other_file, other_line, .. } = failure.cause else { panic!("{:?}", failure.cause) };
    assert_eq!((other_file, other_line.abs_diff(failure.line)), (file!(), 2));
    // Who comes last is anyone's.
    let in_second_block = failure.line < other_line;
    assert_eq!(failure.block[0] == 1, in_second_block);
}

#[gpu_kernel]
pub fn block_or_grid(out: &mut [u32]) {
    let t = thread_idx().x;
    if t < 7 {
        sync_grid();
    } else {
        sync_threads();
    }
    out[grid_1d()] = 1;
}

/// Only the CPU notices: on a GPU this is undefined.
fn threads_of_a_block_that_miss_each_other_are_reported(bench: &Bench) {
    let Bench::Device(device) = bench else { return };
    if device.is_gpu() {
        return;
    }
    let mut out = vec![0; 64];
    let failure = try_launch!(bench, block_or_grid(&mut out), 2, 32).unwrap_err();
    let FailureCause::DivergentBarrier { other_line, .. } = failure.cause else { panic!("{:?}", failure.cause) };
    assert_eq!((other_line, failure.thread), (failure.line - 2, [7, 0, 0]));
}

/// The histogram of each block, and then of all: the bins are dealt to the threads of the grid.
#[gpu_kernel(block = 64)]
pub fn histogram(x: &[u8], of_blocks: &mut [u32], counts: &mut [u32]) {
    let mut bins = shared::<[AtomicU32; 16]>();
    let (t, i) = (thread_idx().x, grid_1d());
    // The last threads have no element, and no bin.
    block_histogram(if i < x.len() { x[i] as usize / 16 } else { 16 }, &bins).await;
    if t < 16 {
        of_blocks[block_idx().x * 16 + t] = bins[t].load(Ordering::Relaxed);
    }
    sync_grid();
    for bin in grid_stride(16) {
        let mut count = 0;
        for block in 0..grid_dim().x {
            count += of_blocks[block * 16 + bin];
        }
        counts[bin] = count;
    }
}

fn a_histogram_takes_one_launch(bench: &Bench) {
    let x: Vec<u8> = (0..300_u32).map(|i| (i * i % 251) as u8).collect();
    let (mut of_blocks, mut counts) = (vec![9; 5 * 16], vec![9; 16]);
    launch!(bench, histogram(&x, &mut of_blocks, &mut counts), 5, 64);
    let expected = |x: &[u8]| (0..16).map(|bin| x.iter().filter(|x| usize::from(**x) / 16 == bin).count() as u32).collect::<Vec<_>>();
    assert_eq!(counts, expected(&x));
    assert_eq!(of_blocks, x.chunks(64).flat_map(expected).collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn histogram_of_places(out: &mut [u32]) {
    let bins = shared::<[AtomicU32; 5]>();
    let (x, y, z) = grid_3d();
    block_histogram(x + y, &bins).await;
    block_histogram(z, &bins).await;
    if x + y + z == 0 {
        for bin in 0..5 {
            out[bin] = bins[bin].load(Ordering::Relaxed);
        }
    }
}

/// A second call counts anew.
fn histograms_of_blocks_of_several_axes(bench: &Bench) {
    let mut out = vec![0; 5];
    launch!(bench, histogram_of_places(&mut out), 1, (3, 4, 2));
    assert_eq!(out, [12, 12, 0, 0, 0]);
}
