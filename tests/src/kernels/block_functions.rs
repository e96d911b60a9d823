//! Device functions in which threads wait for each other, and those that the runtime has.

use gpu_runtime::FailureCause;
use gpu_runtime::block::{block_max, block_min, block_scan, block_scan_exclusive, block_sum};
use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch, try_launch};

cases![
    a_barrier_is_in_a_device_function,
    shared_arrays_and_slices_are_handed_on,
    device_functions_have_shared_arrays,
    blocks_reduce wraps = true,
    blocks_of_several_axes_reduce,
    blocks_scan,
    a_scan_takes_three_phases,
    positive_elements_are_compacted,
    threads_that_have_returned_are_missed,
    threads_that_miss_each_other_are_reported,
    each_instance_has_shared_arrays_of_its_own,
    a_comparison_waits_at_the_start_of_a_value,
    barriers_depend_on_what_a_block_agrees_on,
    barriers_depend_on_results_and_on_shared_elements,
];

/// The neighbour's value, around the block.
#[gpu_device]
async fn rotated(tile: &mut [u32], value: u32) -> u32 {
    let t = thread_idx().x;
    tile[t] = value;
    sync_threads();
    let next = tile[(t + 1) % block_dim().x];
    sync_threads();
    next
}

#[gpu_kernel(block = 64)]
pub fn rotate_twice(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 64]>();
    let i = grid_1d();
    let once = rotated(&mut tile, x[i]).await;
    out[i] = once * 1000 + rotated(&mut tile, once).await;
}

fn a_barrier_is_in_a_device_function(bench: &Bench) {
    let x: Vec<u32> = (0..128).map(|i| i * 7 % 128).collect();
    let mut out = vec![0; 128];
    launch!(bench, rotate_twice(&x, &mut out), 2, 64);
    let at = |i: usize, by: usize| x[i / 64 * 64 + (i + by) % 64];
    assert_eq!(out, (0..128).map(|i| at(i, 1) * 1000 + at(i, 2)).collect::<Vec<_>>());
}

/// Fills `tile` with those elements of `x` that the block needs, one on each side more than it has threads.
#[gpu_device]
async fn load_with_halo(x: &[f64], tile: &mut [f64]) {
    let t = thread_idx().x;
    let i = grid_1d();
    let n = x.len();
    tile[t + 1] = at_or_zero(x, i);
    if t == 0 {
        tile[0] = if i == 0 { 0.0 } else { at_or_zero(x, i - 1) };
    }
    if t + 1 == block_dim().x {
        tile[t + 2] = if i + 1 < n { x[i + 1] } else { 0.0 };
    }
    sync_threads();
}

#[gpu_device]
fn at_or_zero(x: &[f64], i: usize) -> f64 {
    if i < x.len() { x[i] } else { 0.0 }
}

/// Reads what others wrote, after another barrier.
#[gpu_device]
async fn second_difference(tile: &[f64], t: usize) -> f64 {
    let left = tile[t];
    sync_threads();
    left - 2.0 * tile[t + 1] + at_or_zero(tile, t + 2)
}

#[gpu_kernel]
pub fn curvature(x: &[f64], out: &mut [f64]) {
    let mut tile = shared::<[f64; 34]>();
    load_with_halo(x, &mut tile).await;
    let bend = second_difference(&tile, thread_idx().x).await;
    let i = grid_1d();
    if i < out.len() {
        out[i] = bend;
    }
}

fn shared_arrays_and_slices_are_handed_on(bench: &Bench) {
    let x: Vec<f64> = (0..90).map(|i| f64::from(i * i % 17)).collect();
    let mut out = vec![0.0; 90];
    launch!(bench, curvature(&x, &mut out), 3, 32);
    let at = |i: i64| usize::try_from(i).ok().and_then(|i| x.get(i)).copied().unwrap_or(0.0);
    assert_same(&out, &(0..90).map(|i| at(i - 1) - 2.0 * at(i) + at(i + 1)).collect::<Vec<_>>());
}

/// Each instance has an array of its own, which all of its calls share.
#[gpu_device]
async fn reversed<T: Num>(value: T) -> T {
    let mut values = shared::<[T; 64]>();
    let t = thread_idx().x;
    values[t] = value;
    sync_threads();
    let other = values[block_dim().x - 1 - t];
    sync_threads();
    other
}

#[gpu_kernel]
pub fn reverse_both(x: &[f32], y: &[u8], out: &mut [f32], both: &mut [u8]) {
    let i = grid_1d();
    out[i] = reversed(x[i]).await + reversed(reversed(x[i]).await).await;
    both[i] = reversed(y[i]).await;
}

fn device_functions_have_shared_arrays(bench: &Bench) {
    let x: Vec<f32> = (0..128).map(|i| i as f32).collect();
    let y: Vec<u8> = (0..128).collect();
    let (mut out, mut both) = (vec![0.0; 128], vec![0; 128]);
    launch!(bench, reverse_both(&x, &y, &mut out, &mut both), 2, 64);
    let mirrored = |i: usize| i / 64 * 64 + 63 - i % 64;
    assert_same(&out, &(0..128).map(|i| x[mirrored(i)] + x[i]).collect::<Vec<_>>());
    assert_eq!(both, (0..128).map(|i| y[mirrored(i)]).collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn reduce(x: &[f64], counts: &[u16], sum: &mut [f64], total: &mut [u16], smallest: &mut [f64], largest: &mut [f64]) {
    let i = grid_1d();
    sum[i] = block_sum(x[i]).await;
    total[i] = block_sum(counts[i]).await;
    smallest[i] = block_min(x[i]).await;
    largest[i] = block_max(x[i]).await;
}

fn blocks_reduce(bench: &Bench) {
    for block in [1, 31, 32, 33, 200, 1024] {
        let n = 2 * block;
        // Of integers, so that no order of adding them makes a difference.
        let x: Vec<f64> = (0..n).map(|i| f64::from(i as u32 * 7919 % 1013) - 500.0).collect();
        let counts: Vec<u16> = (0..n).map(|i| (i * 40_503 % 65_536) as u16).collect();
        let (mut sum, mut total, mut smallest, mut largest) = (vec![0.0; n], vec![0; n], vec![0.0; n], vec![0.0; n]);
        launch!(bench, reduce(&x, &counts, &mut sum, &mut total, &mut smallest, &mut largest), 2, block as u32);
        for i in 0..n {
            let own = i / block * block..(i / block + 1) * block;
            assert_eq!(sum[i], x[own.clone()].iter().sum::<f64>(), "block {block}, thread {i}");
            assert_eq!(total[i], counts[own.clone()].iter().copied().fold(0, u16::wrapping_add));
            assert_eq!(smallest[i], x[own.clone()].iter().copied().fold(f64::INFINITY, f64::min));
            assert_eq!(largest[i], x[own].iter().copied().fold(f64::NEG_INFINITY, f64::max));
        }
    }
}

#[gpu_kernel]
pub fn sum_of_positions(out: &mut [usize]) {
    let (x, y, z) = grid_3d();
    let sum = block_sum(x + 10 * y + 100 * z).await;
    if x == 0 && y == 0 && z == 0 {
        out[0] = sum;
    }
}

fn blocks_of_several_axes_reduce(bench: &Bench) {
    let mut out = vec![0];
    launch!(bench, sum_of_positions(&mut out), 1, (5, 4, 3));
    let expected: usize = (0..60).map(|i| i % 5 + 10 * (i / 5 % 4) + 100 * (i / 20)).sum();
    assert_eq!(out, [expected]);
}

#[gpu_kernel]
pub fn scan(x: &[i64], inclusive: &mut [i64], exclusive: &mut [i64]) {
    let i = grid_1d();
    inclusive[i] = block_scan(x[i]).await;
    exclusive[i] = block_scan_exclusive(x[i]).await;
}

fn blocks_scan(bench: &Bench) {
    for block in [1, 32, 50, 512] {
        let n = 2 * block;
        let x: Vec<i64> = (0..n as i64).map(|i| i * 37 % 19 - 9).collect();
        let (mut inclusive, mut exclusive) = (vec![0; n], vec![0; n]);
        launch!(bench, scan(&x, &mut inclusive, &mut exclusive), 2, block as u32);
        for i in 0..n {
            let before = x[i / block * block..i].iter().sum::<i64>();
            assert_eq!((exclusive[i], inclusive[i]), (before, before + x[i]), "block {block}, thread {i}");
        }
    }
}

#[gpu_kernel(block = 128)]
pub fn scan_blocks(x: &[u32], out: &mut [u32], sums: &mut [u32]) {
    let i = grid_1d();
    let sum = block_scan(if i < x.len() { x[i] } else { 0 }).await;
    if i < out.len() {
        out[i] = sum;
    }
    if thread_idx().x == 127 {
        sums[block_idx().x] = sum;
    }
}

#[gpu_kernel(block = 128)]
pub fn add_offsets(offsets: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && block_idx().x > 0 {
        out[i] += offsets[block_idx().x - 1];
    }
}

fn a_scan_takes_three_phases(bench: &Bench) {
    let x: Vec<u32> = (0..5000).map(|i| i * i % 23).collect();
    let (mut out, mut sums, mut offsets, mut rest) = (vec![0; 5000], vec![0; 40], vec![0; 40], vec![0]);
    launch!(bench, scan_blocks(&x, &mut out, &mut sums), 40, 128);
    launch!(bench, scan_blocks(&sums, &mut offsets, &mut rest), 1, 128);
    launch!(bench, add_offsets(&offsets, &mut out), 40, 128);
    let mut sum = 0;
    let expected: Vec<u32> = x
        .iter()
        .map(|x| {
            sum += x;
            sum
        })
        .collect();
    assert_eq!(out, expected);
    assert_eq!(rest, [sum]);
}

/// Moves the positive elements of each block to its front, with one ballot and one sum of the warps before.
#[gpu_kernel(block = 128)]
pub fn compact(x: &[i32], out: &mut [i32], counts: &mut [usize]) {
    let mut kept_before = shared::<[usize; 4]>();
    let i = grid_1d();
    let kept = i < x.len() && x[i] > 0;
    let ballot = warp_ballot(kept);
    if lane_id() == 0 {
        kept_before[warp_id()] = ballot.count_ones() as usize;
    }
    let count = sync_threads_count(kept);
    let mut place = (ballot & lane_mask_lt()).count_ones() as usize;
    for warp in 0..warp_id() {
        place += kept_before[warp];
    }
    if kept {
        out[block_idx().x * 128 + place] = x[i];
    }
    if thread_idx().x == 0 {
        counts[block_idx().x] = count;
    }
}

fn positive_elements_are_compacted(bench: &Bench) {
    let x: Vec<i32> = (0..300).map(|i| i * 7919 % 1009 - 400).collect();
    let (mut out, mut counts) = (vec![0; 384], vec![0; 3]);
    launch!(bench, compact(&x, &mut out, &mut counts), 3, 128);
    for (block, x) in x.chunks(128).enumerate() {
        let kept: Vec<i32> = x.iter().copied().filter(|x| *x > 0).collect();
        assert_eq!(counts[block], kept.len());
        assert_eq!(out[block * 128..][..kept.len()], kept);
    }
}

#[gpu_kernel]
pub fn sum_of_some(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i >= x.len() {
        return;
    }
    out[i] = block_sum(x[i]).await;
}

fn threads_that_have_returned_are_missed(bench: &Bench) {
    let x = vec![1; 40];
    let mut out = vec![0; 40];
    let failure = try_launch!(bench, sum_of_some(&x, &mut out), 1, 64).unwrap_err();
    assert_eq!(failure.cause, FailureCause::Assertion { message: "all threads of the block must reach `block_sum`" });
}

#[gpu_kernel]
pub fn different_functions(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if lane_id() < 5 {
        out[i] = warp_sum(x[i]);
    } else {
        out[i] = warp_max(x[i]);
    }
}

#[gpu_kernel]
pub fn barrier_or_warp(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i == 40 {
        sync_threads();
    }
    out[i] = warp_sum(x[i]);
}

#[gpu_kernel]
pub fn disagreeing_masks(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    let lanes = if lane_id() == 3 { 0xff } else { 0xf0f };
    out[i] = warp_sum_in(x[i], lanes);
}

/// Only the CPU notices: on a GPU these are undefined.
fn threads_that_miss_each_other_are_reported(bench: &Bench) {
    let Bench::Device(device) = bench else { return };
    if device.is_gpu() {
        return;
    }
    let x = vec![1.0; 64];
    let mut out = vec![0.0; 64];
    let failure = try_launch!(bench, different_functions(&x, &mut out), 1, 64).unwrap_err();
    let FailureCause::DivergentWarp { other_file, other_line, .. } = failure.cause else { panic!("{:?}", failure.cause) };
    assert_eq!((other_file, other_line), (file!(), failure.line + 2));
    assert_eq!(failure.thread, [0; 3]);

    let failure = try_launch!(bench, barrier_or_warp(&x, &mut out), 1, 64).unwrap_err();
    let FailureCause::DivergentWarp { other_line, .. } = failure.cause else { panic!("{:?}", failure.cause) };
    assert_eq!((other_line, failure.thread), (failure.line - 2, [32, 0, 0]));

    let failure = try_launch!(bench, disagreeing_masks(&x, &mut out), 1, 64).unwrap_err();
    assert_eq!((failure.cause, failure.thread), (FailureCause::WarpMask { lanes: 0xf0f }, [0; 3]));
}

/// The value of the next thread, through an array that may be larger than the block.
#[gpu_device]
async fn next_of<const N: usize>(value: u32) -> u32 {
    let mut tile = shared::<[u32; N]>();
    let t = thread_idx().x;
    tile[t] = value;
    sync_threads();
    let next = tile[(t + 1) % block_dim().x];
    sync_threads();
    next
}

/// What was last kept under this number.
#[gpu_device]
async fn kept<const NUMBER: u32>(value: u32, keep: bool) -> u32 {
    let mut tile = shared::<[u32; 32]>();
    let t = thread_idx().x;
    if keep {
        tile[t] = value;
    }
    sync_threads();
    tile[t]
}

#[gpu_kernel(block = 32)]
pub fn instances(x: &[u32], out: &mut [u32], first: &mut [u32]) {
    let i = grid_1d();
    out[i] = next_of::<32>(x[i]).await * 1000 + next_of::<64>(x[i]).await;
    let one = kept::<1>(x[i], true).await;
    let two = kept::<2>(x[i] + 1, true).await;
    first[i] = kept::<1>(0, false).await * 1000 + one + two;
}

fn each_instance_has_shared_arrays_of_its_own(bench: &Bench) {
    let x: Vec<u32> = (0..32).map(|i| i * 11 % 32).collect();
    let (mut out, mut first) = (vec![0; 32], vec![0; 32]);
    launch!(bench, instances(&x, &mut out, &mut first), 1, 32);
    assert_eq!(out, (0..32).map(|i| x[(i + 1) % 32] * 1001).collect::<Vec<_>>());
    assert_eq!(first, x.iter().map(|x| x * 1000 + 2 * x + 1).collect::<Vec<_>>());
}

/// Whether the neighbour in the warp has the same value.
#[gpu_device]
async fn agrees(value: u32) -> bool {
    value == warp_shuffle_xor(value, 1)
}

#[gpu_kernel(block = 32)]
pub fn neighbours_agree(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    let agreed = agrees(x[i]).await;
    let is_next = match x.len() > 32 {
        true => x[i] < warp_shuffle_xor(x[i], 1),
        false => x[i] + 1 == warp_shuffle_xor(x[i], 1),
    };
    out[i] = agreed as u32 + 10 * is_next as u32;
}

fn a_comparison_waits_at_the_start_of_a_value(bench: &Bench) {
    let x: Vec<u32> = (0..32).map(|i| i / 4 + i % 3).collect();
    let mut out = vec![0; 32];
    launch!(bench, neighbours_agree(&x, &mut out), 1, 32);
    let expected = (0..32).map(|i: usize| u32::from(x[i] == x[i ^ 1]) + 10 * u32::from(x[i] + 1 == x[i ^ 1]));
    assert_eq!(out, expected.collect::<Vec<_>>());
}

/// The sum of `rounds` neighbours around the block, of twice the values if `doubled`.
#[gpu_device]
async fn sum_of_neighbours(value: i32, doubled: bool, mut rounds: usize) -> i32 {
    let mut tile = shared::<[i32; 32]>();
    let t = thread_idx().x;
    tile[t] = value;
    sync_threads();
    if doubled {
        tile[t] *= 2;
        sync_threads();
    }
    let mut sum = 0;
    while rounds > 0 {
        sum += tile[(t + rounds) % 32];
        rounds -= 1;
        sync_threads();
    }
    sum
}

#[gpu_device]
async fn scaled_sum(value: i32, scale: i32, steps: usize) -> i32 {
    if steps > 2 {
        return sum_of_neighbours(value * scale, steps % 2 == 0, steps - 2).await;
    }
    value * scale
}

#[gpu_kernel(block = 32)]
pub fn agreeing(x: &[i32], doubled: bool, steps: usize, out: &mut [i32]) {
    let i = grid_1d();
    let value = if i < x.len() { x[i] } else { 0 };
    let near = sum_of_neighbours(value, doubled, 2).await;
    let far = scaled_sum(value, i as i32, steps + block_idx().x).await;
    if i < out.len() {
        out[i] = near * 1000 + far;
    }
}

fn barriers_depend_on_what_a_block_agrees_on(bench: &Bench) {
    let x: Vec<i32> = (0..96).map(|i| i * i % 23 - 7).collect();
    for (doubled, steps) in [(false, 0), (true, 1), (false, 2), (true, 5)] {
        let mut out = vec![0; 96];
        launch!(bench, agreeing(&x, doubled, steps, &mut out), 3, 32);
        let around = |i: usize, by: usize| i / 32 * 32 + (i % 32 + by) % 32;
        let expected = (0..96).map(|i| {
            let near = (1..=2).map(|by| x[around(i, by)]).sum::<i32>() * if doubled { 2 } else { 1 };
            let steps = steps + i / 32;
            let scaled = |i: usize| x[i] * i as i32;
            let far = match steps {
                0..=2 => scaled(i),
                _ => (1..=steps - 2).map(|by| scaled(around(i, by))).sum::<i32>() * if steps % 2 == 0 { 2 } else { 1 },
            };
            near * 1000 + far
        });
        assert_eq!(out, expected.collect::<Vec<_>>());
    }
}

/// Halves the elements of each block until none is above `least`. Then adds the number of threads, as often as the block has halved, modulo 3.
#[gpu_kernel(block = 32)]
pub fn halved(x: &[f32], least: f32, out: &mut [f32]) {
    let mut additions = shared::<u32>();
    let i = grid_1d();
    let mut value = if i < x.len() { x[i] } else { 0.0 };
    let mut rounds = 0u32;
    let mut most: f32 = block_max(value).await;
    while most > least {
        value *= 0.5;
        most = block_max(value).await;
        rounds += 1;
    }
    if thread_idx().x == 0 {
        *additions = rounds % 3;
    }
    sync_threads();
    for _ in 0..*additions {
        value += block_sum(1.0).await;
    }
    if i < out.len() {
        out[i] = value;
    }
}

fn barriers_depend_on_results_and_on_shared_elements(bench: &Bench) {
    let x: Vec<f32> = (0..96).map(|i| (i % 7 + 1) as f32 * 5f32.powi(i / 32)).collect();
    let mut out = vec![0.0; 96];
    launch!(bench, halved(&x, 3.0, &mut out), 3, 32);
    let expected = x.chunks(32).flat_map(|block| {
        let most = block.iter().copied().fold(0.0, f32::max);
        let rounds = (0..).find(|rounds| most / 2f32.powi(*rounds) <= 3.0).expect("a number of rounds");
        block.iter().map(move |x| x / 2f32.powi(rounds) + 32.0 * (rounds % 3) as f32)
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}
