//! What the threads of a warp do together, and votes at barriers.

use std::fmt::Debug;

use gpu_runtime::prelude::*;

use crate::bench::{Bench, Same, assert_same};
use crate::{cases, launch};

cases![
    lanes_and_warps_are_numbered,
    values_of_every_type_are_shuffled,
    values_of_every_type_are_matched,
    values_of_every_type_are_reduced,
    bits_of_every_integer_are_reduced,
    sums_of_floats_are_rounded_in_one_order,
    a_product_is_rounded_before_it_is_summed,
    threads_vote_in_their_warp,
    threads_vote_in_their_block,
    threads_that_have_returned_have_no_vote,
    a_warp_that_is_not_full_reduces_what_is_there,
    a_mask_picks_threads,
    halves_of_a_warp_meet_apart,
    warps_go_their_own_ways_between_barriers,
    a_vote_ends_a_loop_for_all,
    a_warp_shares_memory_without_a_barrier,
    rows_become_softmax,
];

const WARP: usize = 32;

#[gpu_kernel]
pub fn numbers(lane: &mut [usize], warp: &mut [usize], below: &mut [u32], active: &mut [bool]) {
    let (x, y) = grid_2d();
    let i = y * 12 + x;
    if x < 12 && i < lane.len() {
        lane[i] = lane_id();
        warp[i] = warp_id();
        below[i] = lane_mask_lt();
        active[i] = active_mask() & (1 << lane_id()) != 0;
    }
}

fn lanes_and_warps_are_numbered(bench: &Bench) {
    let n = 12 * 7;
    let (mut lane, mut warp, mut below, mut active) = (vec![0; n], vec![0; n], vec![0; n], vec![false; n]);
    launch!(bench, numbers(&mut lane, &mut warp, &mut below, &mut active), 1, (12, 7));
    assert_eq!(lane, (0..n).map(|i| i % WARP).collect::<Vec<_>>());
    assert_eq!(warp, (0..n).map(|i| i / WARP).collect::<Vec<_>>());
    assert_eq!(below, (0..n).map(|i| (1u32 << (i % WARP)) - 1).collect::<Vec<_>>());
    assert_eq!(active, vec![true; n]);
}

/// What thread `i` reads with each shuffle, where `x` are full warps.
fn shuffled<T: Copy>(x: &[T], amount: usize) -> [Vec<T>; 4] {
    let of = |lane: fn(usize, usize) -> usize| (0..x.len()).map(|i| x[i / WARP * WARP + lane(i % WARP, amount)]).collect();
    [
        of(|_, amount| amount % WARP),
        of(|lane, amount| if lane < amount { lane } else { lane - amount }),
        of(|lane, amount| if amount > 31 || lane + amount > 31 { lane } else { lane + amount }),
        of(|lane, amount| lane ^ (amount % WARP)),
    ]
}

fn assert_shuffles<T: Copy + Same + Debug>(x: &[T], run: impl Fn(&Vec<T>, usize) -> [Vec<T>; 4]) {
    for amount in [0, 1, 5, 16, 31, 32, 37, usize::MAX] {
        for (found, expected) in run(&x.to_vec(), amount).iter().zip(&shuffled(x, amount)) {
            assert_same(found, expected);
        }
    }
}

/// In each warp of `x`, who has the same bits as whom: for each thread, and for all.
fn assert_matches<T: Copy>(x: &[T], bits: fn(T) -> u64, any: &[u32], all: &[u32], same: &[bool]) {
    for (i, value) in x.iter().enumerate() {
        let warp = &x[i / WARP * WARP..][..WARP];
        let equal = (0..WARP).filter(|lane| bits(warp[*lane]) == bits(*value)).map(|lane| 1u32 << lane).sum::<u32>();
        assert_eq!(any[i], equal, "thread {i}");
        assert_eq!((all[i], same[i]), (if equal == u32::MAX { equal } else { 0 }, equal == u32::MAX), "thread {i}");
    }
}

/// Kernels for one type, and 64 values of it that differ, with the bits of a value.
macro_rules! value_types {
    ($($module:ident: $T:ty, |$i:ident| $value:expr, $bits:expr;)*) => {
        $(pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn shuffles(x: &[$T], amount: usize, at: &mut [$T], up: &mut [$T], down: &mut [$T], crossed: &mut [$T]) {
                let i = grid_1d();
                at[i] = warp_shuffle(x[i], amount);
                up[i] = warp_shuffle_up(x[i], amount);
                down[i] = warp_shuffle_down(x[i], amount);
                crossed[i] = warp_shuffle_xor(x[i], amount);
            }

            #[gpu_kernel]
            pub fn matches(x: &[$T], any: &mut [u32], all: &mut [u32], same: &mut [bool]) {
                let i = grid_1d();
                any[i] = warp_match_any(x[i]);
                let (lanes, equal) = warp_match_all(x[i]);
                all[i] = lanes;
                same[i] = equal;
            }

            pub(super) fn values() -> Vec<$T> {
                (0..64).map(|$i: i32| $value).collect()
            }
        })*

        fn values_of_every_type_are_shuffled(bench: &Bench) {
            $(assert_shuffles(&$module::values(), |x, amount| {
                let [mut at, mut up, mut down, mut crossed] = [x.clone(), x.clone(), x.clone(), x.clone()];
                launch!(bench, $module::shuffles(x, amount, &mut at, &mut up, &mut down, &mut crossed), 1, 64);
                [at, up, down, crossed]
            });)*
        }

        fn values_of_every_type_are_matched(bench: &Bench) {
            $({
                let values = $module::values();
                // Few different values in the first warp, one in the second.
                let x: Vec<$T> = (0..64).map(|i| if i < WARP { values[i * i % 5] } else { values[3] }).collect();
                let (mut any, mut all, mut same) = (vec![0; 64], vec![0; 64], vec![false; 64]);
                launch!(bench, $module::matches(&x, &mut any, &mut all, &mut same), 1, 64);
                assert_matches(&x, $bits, &any, &all, &same);
            })*
        }
    };
}

value_types! {
    bools: bool, |i| i % 3 == 0, u64::from;
    bytes: i8, |i| (i * 3 - 90) as i8, |x| x as u64;
    unsigned_bytes: u8, |i| (i * 4) as u8, u64::from;
    halves: i16, |i| (i * 1021 - 32_000) as i16, |x| x as u64;
    unsigned_halves: u16, |i| (i * 1023) as u16, u64::from;
    words: i32, |i| i.wrapping_mul(0x0765_4321), |x| x as u64;
    unsigned_words: u32, |i| (i as u32).wrapping_mul(0x9876_5433), u64::from;
    longs: i64, |i| i64::from(i).wrapping_mul(-0x0123_4567_89ab_cdef), |x| x as u64;
    unsigned_longs: u64, |i| (i as u64).wrapping_mul(0x9876_5432_1098_7654), |x| x;
    sizes: usize, |i| (i as usize).wrapping_mul(0x1_0000_0003), |x| x as u64;
    signed_sizes: isize, |i| (i as isize - 7) * 0x1_0000_0001, |x| x as u64;
    floats: f32, |i| [0.0, -0.0, f32::NAN, 1.5, -1e30][i as usize % 5] + i as f32 / 64.0 * (i / 5 % 2) as f32, |x| x.to_bits().into();
    doubles: f64, |i| [-0.0, 0.0, f64::NAN, 0.1, -1e300][i as usize % 5] + f64::from(i) / 64.0 * f64::from(i / 5 % 2), f64::to_bits;
}

macro_rules! reduced_types {
    ($($module:ident: $T:ty, |$i:ident| $value:expr;)*) => {
        $(pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn reduce(x: &[$T], sum: &mut [$T], smallest: &mut [$T], largest: &mut [$T]) {
                let i = grid_1d();
                sum[i] = warp_sum(x[i]);
                smallest[i] = warp_min(x[i]);
                largest[i] = warp_max(x[i]);
            }
        })*

        fn values_of_every_type_are_reduced(bench: &Bench) {
            $({
                let x: Vec<$T> = (0..96).map(|$i: i32| $value).collect();
                let [mut sum, mut smallest, mut largest] = [x.clone(), x.clone(), x.clone()];
                launch!(bench, $module::reduce(&x, &mut sum, &mut smallest, &mut largest), 1, 96);
                for (i, warp) in (0..96).map(|i| (i, &x[i / WARP * WARP..][..WARP])) {
                    // 32 small numbers: no float is rounded, and integers wrap.
                    let expected = warp.iter().fold(0i128, |sum, x| sum + *x as i128) as $T;
                    assert_eq!(sum[i], expected, "{} {i}", stringify!($T));
                    assert_eq!(smallest[i], warp.iter().copied().reduce(|a, b| if b < a { b } else { a }).unwrap());
                    assert_eq!(largest[i], warp.iter().copied().reduce(|a, b| if b > a { b } else { a }).unwrap());
                }
            })*
        }
    };
}

reduced_types! {
    reduced_bytes: i8, |i| (i * 7 % 256) as i8;
    reduced_unsigned_bytes: u8, |i| (i * 11 % 256) as u8;
    reduced_halves: i16, |i| (i * 7919 % 65_536) as i16;
    reduced_unsigned_halves: u16, |i| (i * 7919 % 65_536) as u16;
    reduced_words: i32, |i| i.wrapping_mul(0x4765_4321);
    reduced_unsigned_words: u32, |i| (i as u32).wrapping_mul(0x9876_5433);
    reduced_longs: i64, |i| i64::from(i).wrapping_mul(0x4765_4321_0000_0007);
    reduced_unsigned_longs: u64, |i| (i as u64).wrapping_mul(0x9876_5432_1098_7654);
    reduced_sizes: usize, |i| (i as usize).wrapping_mul(0x9876_5432_1098_7654);
    reduced_signed_sizes: isize, |i| (i as isize).wrapping_mul(0x4765_4321_0000_0007);
    reduced_floats: f32, |i| (i * 37 % 101 - 50) as f32;
    reduced_doubles: f64, |i| f64::from(i * 37 % 101 - 50);
}

macro_rules! bit_types {
    ($($module:ident: $T:ty;)*) => {
        $(pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn reduce(x: &[$T], all: &mut [$T], any: &mut [$T], odd: &mut [$T]) {
                let i = grid_1d();
                all[i] = warp_and(x[i]);
                any[i] = warp_or(x[i]);
                odd[i] = warp_xor(x[i]);
            }
        })*

        fn bits_of_every_integer_are_reduced(bench: &Bench) {
            $({
                let x: Vec<$T> = (0..64u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 0x4040_4040_4040_4041) as $T).collect();
                let [mut all, mut any, mut odd] = [x.clone(), x.clone(), x.clone()];
                launch!(bench, $module::reduce(&x, &mut all, &mut any, &mut odd), 1, 64);
                for (i, warp) in (0..64).map(|i| (i, &x[i / WARP * WARP..][..WARP])) {
                    assert_eq!(all[i], warp.iter().fold(!0, |bits, x| bits & x));
                    assert_eq!(any[i], warp.iter().fold(0, |bits, x| bits | x));
                    assert_eq!(odd[i], warp.iter().fold(0, |bits, x| bits ^ x));
                }
            })*
        }
    };
}

bit_types! {
    byte_bits: i8;
    unsigned_byte_bits: u8;
    half_bits: i16;
    unsigned_half_bits: u16;
    word_bits: i32;
    unsigned_word_bits: u32;
    long_bits: i64;
    unsigned_long_bits: u64;
    size_bits: usize;
    signed_size_bits: isize;
}

#[gpu_kernel]
pub fn float_sums(x: &[f32], y: &[f64], single: &mut [f32], double: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() {
        single[i] = warp_sum(x[i]);
        double[i] = warp_sum(y[i]);
    }
}

fn sums_of_floats_are_rounded_in_one_order(bench: &Bench) {
    // A full warp, and one of 20 threads.
    let x: Vec<f32> = (0..52).map(|i| (i as f32 * 0.7).sin() * 1000.0).collect();
    let y: Vec<f64> = (0..52).map(|i| (f64::from(i) * 0.3).cos() * 1e6).collect();
    let (mut single, mut double) = (vec![0.0; 52], vec![0.0; 52]);
    launch!(bench, float_sums(&x, &y, &mut single, &mut double), 1, 64);
    fn sum<T: Copy + std::ops::Add<Output = T>>(values: &[T]) -> T {
        match values.len() {
            1 => values[0],
            32 | 16 | 8 | 4 | 2 => {
                let (low, high) = values.split_at(values.len() / 2);
                sum(&low.iter().zip(high).map(|(a, b)| *a + *b).collect::<Vec<_>>())
            }
            _ => values.iter().copied().reduce(|a, b| a + b).unwrap(),
        }
    }
    assert_same(&single, &x.chunks(WARP).flat_map(|warp| vec![sum(warp); warp.len()]).collect::<Vec<_>>());
    assert_same(&double, &y.chunks(WARP).flat_map(|warp| vec![sum(warp); warp.len()]).collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn dot(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    out[i] = warp_sum(x[i] * y[i]);
}

fn a_product_is_rounded_before_it_is_summed(bench: &Bench) {
    let x: Vec<f32> = (0..32).map(|i| 1.0 + i as f32 * 1.3e-4).collect();
    let y: Vec<f32> = (0..32).map(|i| 1.0 - i as f32 * 1.7e-4).collect();
    let mut out = vec![0.0; 32];
    launch!(bench, dot(&x, &y, &mut out), 1, 32);
    // One sum for all, or threads that decide by it would part.
    let mut sums: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x * y).collect();
    while sums.len() > 1 {
        let (low, high) = sums.split_at(sums.len() / 2);
        sums = low.iter().zip(high).map(|(a, b)| a + b).collect();
    }
    assert_same(&out, &[sums[0]; 32]);
}

#[gpu_kernel]
pub fn votes(x: &[i32], all: &mut [bool], any: &mut [bool], equal: &mut [bool], ballot: &mut [u32]) {
    let i = grid_1d();
    all[i] = warp_all(x[i] > 0);
    any[i] = warp_any(x[i] > 0);
    equal[i] = warp_equal(x[i] > 0);
    ballot[i] = warp_ballot(x[i] > 0);
}

fn threads_vote_in_their_warp(bench: &Bench) {
    // All, none, one, all but one, some.
    let x: Vec<i32> = (0..160)
        .map(|i| {
            i32::from(match i / 32 {
                0 => true,
                1 => false,
                2 => i == 70,
                3 => i != 99,
                _ => i % 3 == 0,
            })
        })
        .collect();
    let (mut all, mut any, mut equal, mut ballot) = (vec![false; 160], vec![false; 160], vec![false; 160], vec![0; 160]);
    launch!(bench, votes(&x, &mut all, &mut any, &mut equal, &mut ballot), 1, 160);
    for i in 0..160 {
        let warp = &x[i / WARP * WARP..][..WARP];
        let count = warp.iter().filter(|x| **x > 0).count();
        assert_eq!((all[i], any[i], equal[i]), (count == 32, count > 0, count == 32 || count == 0), "thread {i}");
        assert_eq!(ballot[i], warp.iter().rev().fold(0, |lanes, x| lanes << 1 | u32::from(*x > 0)), "thread {i}");
    }
}

#[gpu_kernel]
pub fn block_votes(x: &[i32], limit: i32, count: &mut [usize], all: &mut [bool], any: &mut [bool]) {
    let i = grid_1d();
    if i >= x.len() {
        return;
    }
    count[i] = sync_threads_count(x[i] > limit);
    all[i] = sync_threads_and(x[i] > limit);
    any[i] = sync_threads_or(x[i] > limit);
}

fn assert_block_votes(bench: &Bench, n: usize) {
    let x: Vec<i32> = (0..n as i32).map(|i| i * 7 % 31 + i / 80).collect();
    for limit in [-1, 0, 5, 30, 31, 100] {
        let (mut count, mut all, mut any) = (vec![0; n], vec![false; n], vec![false; n]);
        launch!(bench, block_votes(&x, limit, &mut count, &mut all, &mut any), 3, 80);
        for i in 0..n {
            let block = &x[i / 80 * 80..n.min(i / 80 * 80 + 80)];
            let held = block.iter().filter(|x| **x > limit).count();
            assert_eq!((count[i], all[i], any[i]), (held, held == block.len(), held > 0), "thread {i}, limit {limit}");
        }
    }
}

fn threads_vote_in_their_block(bench: &Bench) {
    assert_block_votes(bench, 240);
}

fn threads_that_have_returned_have_no_vote(bench: &Bench) {
    assert_block_votes(bench, 201);
}

#[gpu_kernel]
pub fn partial_warps(x: &[u64], sum: &mut [u64], largest: &mut [u64], ballot: &mut [u32]) {
    let i = grid_1d();
    // Every seventh thread leaves, and the block ends in the middle of a warp.
    if i % 7 == 3 {
        return;
    }
    sum[i] = warp_sum(x[i]);
    largest[i] = warp_max(x[i]);
    ballot[i] = warp_ballot(true);
}

fn a_warp_that_is_not_full_reduces_what_is_there(bench: &Bench) {
    let x: Vec<u64> = (0..50).map(|i| i * i + 1).collect();
    let (mut sum, mut largest, mut ballot) = (vec![0; 50], vec![0; 50], vec![0; 50]);
    launch!(bench, partial_warps(&x, &mut sum, &mut largest, &mut ballot), 1, 50);
    for i in (0..50).filter(|i| i % 7 != 3) {
        let warp: Vec<usize> = (i / 32 * 32..50.min(i / 32 * 32 + 32)).filter(|j| j % 7 != 3).collect();
        assert_eq!(sum[i], warp.iter().map(|j| x[*j]).sum::<u64>());
        assert_eq!(largest[i], warp.iter().map(|j| x[*j]).max().unwrap());
        assert_eq!(ballot[i], warp.iter().map(|j| 1 << (j % 32)).sum::<u32>());
    }
}

#[gpu_kernel]
pub fn masked(x: &[i32], lanes: u32, shuffled: &mut [i32], sum: &mut [i32], votes: &mut [u32], same: &mut [bool]) {
    let i = grid_1d();
    if lanes & (1 << lane_id()) != 0 {
        let first = lanes.trailing_zeros() as usize;
        sync_warp_in(lanes);
        shuffled[i] = warp_shuffle_in(x[i], first, lanes) + warp_shuffle_xor_in(x[i], 0, lanes);
        shuffled[i] += warp_shuffle_up_in(x[i], 0, lanes) - warp_shuffle_down_in(x[i], 0, lanes);
        sum[i] = warp_sum_in(x[i], lanes) ^ warp_min_in(x[i], lanes) ^ warp_max_in(x[i], lanes);
        sum[i] ^= warp_and_in(x[i], lanes) ^ warp_or_in(x[i], lanes) ^ warp_xor_in(x[i], lanes);
        votes[i] = warp_ballot_in(x[i] % 2 == 0, lanes) ^ warp_match_any_in(x[i] % 3, lanes);
        let (all, equal) = warp_match_all_in(lanes, lanes);
        same[i] = equal && all == lanes && warp_all_in(true, lanes) && !warp_any_in(false, lanes) && warp_equal_in(false, lanes);
    }
}

fn a_mask_picks_threads(bench: &Bench) {
    for lanes in [u32::MAX, 0xffff, 0x8000_0001, 0x1234_5678, 0x10] {
        let x: Vec<i32> = (0..32).map(|i| i * 37 % 64 + 1).collect();
        let (mut shuffled, mut sum, mut votes, mut same) = (vec![0; 32], vec![0; 32], vec![0; 32], vec![false; 32]);
        launch!(bench, masked(&x, lanes, &mut shuffled, &mut sum, &mut votes, &mut same), 1, 32);
        let party: Vec<usize> = (0..32).filter(|lane| lanes >> lane & 1 == 1).collect();
        let of = |f: fn(i32, i32) -> i32| party.iter().map(|lane| x[*lane]).reduce(f).unwrap();
        let expected_sum = of(|a, b| a + b) ^ of(i32::min) ^ of(i32::max) ^ of(|a, b| a & b) ^ of(|a, b| a | b) ^ of(|a, b| a ^ b);
        for i in 0..32 {
            if !party.contains(&i) {
                assert_eq!((shuffled[i], sum[i], votes[i], same[i]), (0, 0, 0, false));
                continue;
            }
            let which = |f: &dyn Fn(i32) -> bool| party.iter().filter(|lane| f(x[**lane])).map(|lane| 1u32 << lane).sum::<u32>();
            assert_eq!(shuffled[i], x[party[0]] + x[i]);
            assert_eq!(sum[i], expected_sum);
            assert_eq!(votes[i], which(&|x| x % 2 == 0) ^ which(&|other| other % 3 == x[i] % 3));
            assert!(same[i]);
        }
    }
}

#[gpu_kernel]
pub fn halves_apart(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if lane_id() < 16 {
        out[i] = warp_sum_in(x[i], 0xffff);
    } else {
        let mut sum = 0.0;
        for _ in 0..3 {
            sum += warp_max_in(x[i], 0xffff_0000);
        }
        out[i] = sum;
    }
}

fn halves_of_a_warp_meet_apart(bench: &Bench) {
    let x: Vec<f32> = (0..64).map(|i| (i * 13 % 64) as f32).collect();
    let mut out = vec![0.0; 64];
    launch!(bench, halves_apart(&x, &mut out), 1, 64);
    for i in 0..64 {
        let half = &x[i / 16 * 16..][..16];
        let expected = if i % 32 < 16 { half.iter().sum() } else { 3.0 * half.iter().copied().fold(0.0, f32::max) };
        assert_eq!(out[i], expected, "thread {i}");
    }
}

/// Each warp meets as often as its number says, on its way from barrier to barrier.
#[gpu_kernel]
pub fn own_ways(x: &[u32], out: &mut [u32]) {
    let mut sums = shared::<[u32; 4]>();
    let i = grid_1d();
    let warp = warp_id();
    let mut value = x[i];
    for round in 0..warp {
        value += warp_sum(value % 16) + round as u32;
    }
    if warp == 2 {
        value = warp_min(value);
    }
    sync_threads();
    let most = warp_max(value);
    if lane_id() == 0 {
        sums[warp] = most;
    }
    sync_threads();
    out[i] = value ^ sums[(warp + 1) % 4];
}

fn warps_go_their_own_ways_between_barriers(bench: &Bench) {
    let x: Vec<u32> = (0..128).map(|i| i * 29 % 97).collect();
    let mut out = vec![0; 128];
    launch!(bench, own_ways(&x, &mut out), 1, 128);
    let mut values = x;
    for (warp, values) in values.chunks_mut(WARP).enumerate() {
        for round in 0..warp as u32 {
            let sum: u32 = values.iter().map(|value| value % 16).sum();
            values.iter_mut().for_each(|value| *value += sum + round);
        }
        if warp == 2 {
            let smallest = *values.iter().min().unwrap();
            values.fill(smallest);
        }
    }
    let most: Vec<u32> = values.chunks(WARP).map(|values| *values.iter().max().unwrap()).collect();
    assert_eq!(out, (0..128).map(|i| values[i] ^ most[(i / 32 + 1) % 4]).collect::<Vec<_>>());
}

/// Bubble sort in shared memory, until no thread has exchanged anything.
#[gpu_kernel(block = 32)]
pub fn sort(x: &mut [u32], rounds: &mut [u32]) {
    let mut tile = shared::<[u32; 64]>();
    let t = thread_idx().x;
    let first = block_idx().x * 64;
    tile[2 * t] = x[first + 2 * t];
    tile[2 * t + 1] = x[first + 2 * t + 1];
    sync_threads();
    let mut moved = true;
    let mut count = 0;
    while sync_threads_or(moved) {
        moved = false;
        for odd in 0..2 {
            let i = 2 * t + odd;
            if i + 1 < 64 && tile[i] > tile[i + 1] {
                (tile[i], tile[i + 1]) = (tile[i + 1], tile[i]);
                moved = true;
            }
            sync_threads();
        }
        count += 1;
    }
    x[first + 2 * t] = tile[2 * t];
    x[first + 2 * t + 1] = tile[2 * t + 1];
    if t == 0 {
        rounds[block_idx().x] = count;
    }
}

fn a_vote_ends_a_loop_for_all(bench: &Bench) {
    let mut x: Vec<u32> = (0..128).map(|i| if i < 64 { i * 37 % 64 } else { i }).collect();
    let mut rounds = vec![0; 2];
    launch!(bench, sort(&mut x, &mut rounds), 2, 32);
    assert_eq!(x, (0..128).collect::<Vec<_>>());
    assert_eq!(rounds[1], 1);
    assert!(rounds[0] > 1);
}

#[gpu_kernel(block = 32)]
pub fn reverse_in_a_warp(x: &[f64], out: &mut [f64]) {
    let mut tile = shared::<[f64; WARP]>();
    let i = grid_1d();
    tile[lane_id()] = x[i];
    sync_warp();
    out[i] = tile[31 - lane_id()];
}

fn a_warp_shares_memory_without_a_barrier(bench: &Bench) {
    let x: Vec<f64> = (0..64).map(f64::from).collect();
    let mut out = vec![0.0; 64];
    launch!(bench, reverse_in_a_warp(&x, &mut out), 2, 32);
    assert_same(&out, &x.chunks(WARP).flat_map(|warp| warp.iter().rev().copied()).collect::<Vec<_>>());
}

/// A row a warp.
#[gpu_kernel(block = 64)]
pub fn softmax(x: &[f32], columns: usize, out: &mut [f32]) {
    let row = block_idx().x * 2 + warp_id();
    let start = row * columns;
    let mut largest = f32::NEG_INFINITY;
    let mut column = lane_id();
    while column < columns && start + column < x.len() {
        largest = largest.max(x[start + column]);
        column += WARP;
    }
    let largest = warp_max(largest);
    let mut sum = 0.0;
    column = lane_id();
    while column < columns && start + column < x.len() {
        sum += (x[start + column] - largest).exp();
        column += WARP;
    }
    let sum = warp_sum(sum);
    column = lane_id();
    while column < columns && start + column < x.len() {
        out[start + column] = (x[start + column] - largest).exp() / sum;
        column += WARP;
    }
}

fn rows_become_softmax(bench: &Bench) {
    let (rows, columns) = (5, 77);
    let x: Vec<f32> = (0..rows * columns).map(|i| (i as f32 * 0.61).sin() * 20.0).collect();
    let mut out = vec![0.0; rows * columns];
    launch!(bench, softmax(&x, columns, &mut out), 3, 64);
    for (x, out) in x.chunks(columns).zip(out.chunks(columns)) {
        let exps: Vec<f64> = x.iter().map(|x| f64::from(*x).exp()).collect();
        let sum: f64 = exps.iter().sum();
        for (found, exp) in out.iter().zip(&exps) {
            assert!((f64::from(*found) - exp / sum).abs() < 1e-6, "{found} for {}", exp / sum);
        }
    }
}
