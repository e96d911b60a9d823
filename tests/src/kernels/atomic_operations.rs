//! Every operation on every atomic type, one by one, and by many threads at once.

use std::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize,
    Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst},
};

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    integers_change_one_by_one,
    unsigned_integers_count_in_circles,
    integers_change_under_contention wraps = true,
    floats_change_one_by_one,
    floats_change_under_contention,
    a_nan_replaces_nothing_and_is_replaced,
    flags_change_one_by_one,
    flags_change_under_contention,
    every_ordering_and_scope_computes_the_same,
    small_atomics_leave_their_neighbours_alone,
];

/// The operations of `operations`, in its order.
const OPERATIONS: usize = 13;

macro_rules! integer_kernels {
    ($($module:ident: $T:ident, $Atomic:ident;)*) => {$(
        pub mod $module {
            use super::*;

            /// Thread `i` has an atomic of its own for every operation, which begins as `x[i]`.
            #[gpu_kernel]
            pub fn operations(x: &[$T], y: &[$T], a: &[$Atomic], old: &mut [$T]) {
                let i = grid_1d();
                let n = x.len();
                if i < n {
                    let (x, y) = (x[i], y[i]);
                    for operation in 0..13 {
                        a[operation * n + i].store(x, Relaxed);
                    }
                    old[i] = a[i].load(Relaxed);
                    old[n + i] = a[n + i].swap(y, Relaxed);
                    old[2 * n + i] = a[2 * n + i].fetch_add(y, Relaxed);
                    old[3 * n + i] = a[3 * n + i].fetch_sub(y, Relaxed);
                    old[4 * n + i] = a[4 * n + i].fetch_and(y, Relaxed);
                    old[5 * n + i] = a[5 * n + i].fetch_or(y, Relaxed);
                    old[6 * n + i] = a[6 * n + i].fetch_xor(y, Relaxed);
                    old[7 * n + i] = a[7 * n + i].fetch_nand(y, Relaxed);
                    old[8 * n + i] = a[8 * n + i].fetch_min(y, Relaxed);
                    old[9 * n + i] = a[9 * n + i].fetch_max(y, Relaxed);
                    old[10 * n + i] = a[10 * n + i].fetch_compare_exchange(x & y, y, Relaxed);
                    // `weak` may fail for no reason, but not for ever.
                    old[11 * n + i] = if a[11 * n + i].compare_exchange(x | y, y, Relaxed, Relaxed).is_ok() { 1 } else { 0 };
                    while a[12 * n + i].compare_exchange_weak(x, y, Relaxed, Relaxed).is_err() {}
                    old[12 * n + i] = if a[12 * n + i].compare_exchange(x, y, Relaxed, Relaxed).is_err() { 1 } else { 0 };
                }
            }

            pub fn check_operations(bench: &Bench) {
                let samples = [<$T>::MIN, <$T>::MIN + 1, 0, 1, 2, 3, 5, 85, 100, <$T>::MAX / 2, <$T>::MAX - 1, <$T>::MAX];
                let pairs: Vec<($T, $T)> = samples.iter().flat_map(|&x| samples.iter().map(move |&y| (x, y))).collect();
                let (x, y): (Vec<$T>, Vec<$T>) = pairs.iter().copied().unzip();
                let mut a = vec![77; OPERATIONS * x.len()];
                let mut old = vec![0; a.len()];
                launch!(bench, operations(&x, &y, &mut a, &mut old), x.len().div_ceil(64), 64);
                let per_pair = |of: &dyn Fn($T, $T) -> $T| pairs.iter().map(|&(x, y)| of(x, y)).collect::<Vec<_>>();
                let after = [
                    per_pair(&|x, _| x),
                    per_pair(&|_, y| y),
                    per_pair(&|x, y| x.wrapping_add(y)),
                    per_pair(&|x, y| x.wrapping_sub(y)),
                    per_pair(&|x, y| x & y),
                    per_pair(&|x, y| x | y),
                    per_pair(&|x, y| x ^ y),
                    per_pair(&|x, y| !(x & y)),
                    per_pair(&|x, y| x.min(y)),
                    per_pair(&|x, y| x.max(y)),
                    per_pair(&|x, y| if x == x & y { y } else { x }),
                    per_pair(&|x, y| if x == x | y { y } else { x }),
                    per_pair(&|_, y| y),
                ];
                assert_eq!(a, after.concat());
                let mut before = vec![x.clone(); OPERATIONS];
                before[11] = per_pair(&|x, y| ($T::from(x == x | y)));
                before[12] = per_pair(&|x, y| ($T::from(x != y)));
                assert_eq!(old, before.concat());
            }

            /// All threads change the same eight atomics, by operations whose order does not matter.
            #[gpu_kernel]
            pub fn contended(a: &[$Atomic]) {
                let value = grid_1d() as $T;
                a[0].fetch_add(value, Relaxed);
                a[1].fetch_sub(value, Relaxed);
                a[2].fetch_xor(value, Relaxed);
                a[3].fetch_or(value, Relaxed);
                a[4].fetch_and(!value, Relaxed);
                a[5].fetch_max(value, Relaxed);
                a[6].fetch_min(value, Relaxed);
                let mut seen = a[7].load(Relaxed);
                loop {
                    let found = a[7].fetch_compare_exchange(seen, seen * 2 + seen, Relaxed);
                    if found == seen {
                        break;
                    }
                    seen = found;
                }
            }

            pub fn check_contended(bench: &Bench) {
                let mut a: Vec<$T> = vec![3, 4, 5, 0, !0, 0, 100, 1];
                launch!(bench, contended(&mut a), 9, 64);
                let values: Vec<$T> = (0..9 * 64).map(|i| i as $T).collect();
                let expected = vec![
                    values.iter().fold(3, |sum: $T, v| sum.wrapping_add(*v)),
                    values.iter().fold(4, |sum: $T, v| sum.wrapping_sub(*v)),
                    values.iter().fold(5, |sum, v| sum ^ v),
                    values.iter().fold(0, |sum, v| sum | v),
                    values.iter().fold(!0, |sum, v| sum & !v),
                    values.iter().fold(0, |sum, v| v.max(&sum).to_owned()),
                    values.iter().fold(100, |sum, v| v.min(&sum).to_owned()),
                    values.iter().fold(1, |product: $T, _| product.wrapping_mul(3)),
                ];
                assert_eq!(a, expected);
            }
        }
    )*};
}

integer_kernels! {
    of_i8: i8, AtomicI8;
    of_i16: i16, AtomicI16;
    of_i32: i32, AtomicI32;
    of_i64: i64, AtomicI64;
    of_isize: isize, AtomicIsize;
    of_u8: u8, AtomicU8;
    of_u16: u16, AtomicU16;
    of_u32: u32, AtomicU32;
    of_u64: u64, AtomicU64;
    of_usize: usize, AtomicUsize;
}

macro_rules! for_every_integer {
    ($check:ident($bench:expr)) => {
        of_i8::$check($bench);
        of_i16::$check($bench);
        of_i32::$check($bench);
        of_i64::$check($bench);
        of_isize::$check($bench);
        of_u8::$check($bench);
        of_u16::$check($bench);
        of_u32::$check($bench);
        of_u64::$check($bench);
        of_usize::$check($bench);
    };
}

fn integers_change_one_by_one(bench: &Bench) {
    for_every_integer!(check_operations(bench));
}

fn integers_change_under_contention(bench: &Bench) {
    for_every_integer!(check_contended(bench));
}

macro_rules! counter_kernels {
    ($($module:ident: $T:ident, $Atomic:ident;)*) => {$(
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn count(x: &[$T], limit: &[$T], up: &[$Atomic], down: &[$Atomic], turns: &[$Atomic], old: &mut [$T]) {
                let i = grid_1d();
                let n = x.len();
                if i < n {
                    up[i].store(x[i], Relaxed);
                    down[i].store(x[i], Relaxed);
                    old[i] = up[i].fetch_inc_wrapping(limit[i], Relaxed);
                    old[n + i] = down[i].fetch_dec_wrapping(limit[i], Relaxed);
                }
                turns[0].fetch_inc_wrapping(6, Relaxed);
                turns[1].fetch_dec_wrapping(6, Relaxed);
            }

            pub fn check(bench: &Bench) {
                let samples = [0, 1, 2, 6, 7, 100, <$T>::MAX - 1, <$T>::MAX];
                let pairs = samples.iter().flat_map(|&x| samples.iter().map(move |&limit| (x, limit)));
                let (x, limit): (Vec<$T>, Vec<$T>) = pairs.unzip();
                let (mut up, mut down, mut turns) = (vec![0; x.len()], vec![0; x.len()], vec![0; 2]);
                let mut old = vec![0; 2 * x.len()];
                launch!(bench, count(&x, &limit, &mut up, &mut down, &mut turns, &mut old), 1, 100);
                let pairs = || x.iter().zip(&limit).map(|(&x, &limit)| (x, limit));
                assert_eq!(up, pairs().map(|(x, limit)| if x >= limit { 0 } else { x + 1 }).collect::<Vec<_>>());
                assert_eq!(down, pairs().map(|(x, limit)| if x == 0 || x > limit { limit } else { x - 1 }).collect::<Vec<_>>());
                assert_eq!(old, [x.clone(), x].concat());
                // 100 turns of 7 steps leave 2; downwards from 0, 5.
                assert_eq!(turns, [2, 5]);
            }
        }
    )*};
}

counter_kernels! {
    counter_u8: u8, AtomicU8;
    counter_u16: u16, AtomicU16;
    counter_u32: u32, AtomicU32;
    counter_u64: u64, AtomicU64;
    counter_usize: usize, AtomicUsize;
}

fn unsigned_integers_count_in_circles(bench: &Bench) {
    counter_u8::check(bench);
    counter_u16::check(bench);
    counter_u32::check(bench);
    counter_u64::check(bench);
    counter_usize::check(bench);
}

macro_rules! float_kernels {
    ($($module:ident: $F:ident, $Atomic:ident;)*) => {$(
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn operations(x: &[$F], y: &[$F], a: &[$Atomic], old: &mut [$F]) {
                let i = grid_1d();
                let n = x.len();
                if i < n {
                    let (x, y) = (x[i], y[i]);
                    for operation in 0..8 {
                        a[operation * n + i].store(x, Relaxed);
                    }
                    old[i] = a[i].load(Relaxed);
                    old[n + i] = a[n + i].swap(y, Relaxed);
                    old[2 * n + i] = a[2 * n + i].fetch_add(y, Relaxed);
                    old[3 * n + i] = a[3 * n + i].fetch_sub(y, Relaxed);
                    old[4 * n + i] = a[4 * n + i].fetch_min(y, Relaxed);
                    old[5 * n + i] = a[5 * n + i].fetch_max(y, Relaxed);
                    old[6 * n + i] = a[6 * n + i].fetch_compare_exchange(y, 3.5, Relaxed);
                    old[7 * n + i] = if a[7 * n + i].compare_exchange(y, 3.5, Relaxed, Relaxed).is_ok() { 1.0 } else { 0.0 };
                }
            }

            pub fn check_operations(bench: &Bench) {
                // No two zeros: which of them is the smaller is left open. No denormals: CUDA's addition in device memory may drop them.
                let samples = [0.0, 1.0, -1.0, 2.5, 1e-3, -7.25e6, <$F>::MAX, <$F>::MIN, <$F>::INFINITY, <$F>::NEG_INFINITY, <$F>::NAN];
                let pairs: Vec<($F, $F)> = samples.iter().flat_map(|&x| samples.iter().map(move |&y| (x, y))).collect();
                let (x, y): (Vec<$F>, Vec<$F>) = pairs.iter().copied().unzip();
                let mut a = vec![0.0; 8 * x.len()];
                let mut old = vec![0.0; a.len()];
                launch!(bench, operations(&x, &y, &mut a, &mut old), 1, 128);
                let per_pair = |of: &dyn Fn($F, $F) -> $F| pairs.iter().map(|&(x, y)| of(x, y)).collect::<Vec<_>>();
                let exchanged = |x: $F, y: $F| if x.to_bits() == y.to_bits() { 3.5 } else { x };
                let after = [
                    per_pair(&|x, _| x),
                    per_pair(&|_, y| y),
                    per_pair(&|x, y| x + y),
                    per_pair(&|x, y| x - y),
                    per_pair(&|x, y| x.min(y)),
                    per_pair(&|x, y| x.max(y)),
                    per_pair(&exchanged),
                    per_pair(&exchanged),
                ];
                assert_same(&a, &after.concat());
                let mut before = vec![x.clone(); 8];
                before[7] = per_pair(&|x, y| if x.to_bits() == y.to_bits() { 1.0 } else { 0.0 });
                assert_same(&old, &before.concat());
            }

            /// Whole numbers, whose sums are exact in any order.
            #[gpu_kernel]
            pub fn contended(a: &[$Atomic]) {
                let value = grid_1d() as $F;
                a[0].fetch_add(value, Relaxed);
                a[1].fetch_sub(value, Relaxed);
                a[2].fetch_max(value, Relaxed);
                a[3].fetch_min(-value, Relaxed);
            }

            pub fn check_contended(bench: &Bench) {
                let mut a = vec![0.5, 0.25, -3.0, 3.0];
                launch!(bench, contended(&mut a), 8, 128);
                assert_same(&a, &[523_776.5, -523_775.75, 1023.0, -1023.0]);
            }

            /// Every third thread has a `NaN`, and the first two places hold one.
            #[gpu_kernel]
            pub fn with_nans(x: &[$F], largest: &[$Atomic], smallest: &[$Atomic]) {
                let i = grid_1d();
                if i < x.len() {
                    largest[i % 4].fetch_max(x[i], Relaxed);
                    smallest[i % 4].fetch_min(x[i], Relaxed);
                }
            }

            pub fn check_nans(bench: &Bench) {
                let x: Vec<$F> = (0..100).map(|i| if i % 3 == 0 || i % 4 == 3 { <$F>::NAN } else { (i * 37 % 101) as $F - 50.0 }).collect();
                let begin = [<$F>::NAN, 7.0, <$F>::NEG_INFINITY, <$F>::NAN];
                let (mut largest, mut smallest) = (begin.to_vec(), begin.to_vec());
                launch!(bench, with_nans(&x, &mut largest, &mut smallest), 2, 64);
                let numbers = |place: usize| {
                    let own = begin[place];
                    let all = x.iter().skip(place).step_by(4).copied().chain([own]);
                    all.filter(|value| !value.is_nan()).collect::<Vec<$F>>()
                };
                for place in 0..3 {
                    let mut numbers = numbers(place);
                    numbers.sort_by(<$F>::total_cmp);
                    assert_same(&[smallest[place], largest[place]], &[numbers[0], numbers[numbers.len() - 1]]);
                }
                // Nothing but NaN was there.
                assert!(smallest[3].is_nan() && largest[3].is_nan());
            }
        }
    )*};
}

float_kernels! {
    of_f32: f32, AtomicF32;
    of_f64: f64, AtomicF64;
}

fn floats_change_one_by_one(bench: &Bench) {
    of_f32::check_operations(bench);
    of_f64::check_operations(bench);
}

fn floats_change_under_contention(bench: &Bench) {
    of_f32::check_contended(bench);
    of_f64::check_contended(bench);
}

fn a_nan_replaces_nothing_and_is_replaced(bench: &Bench) {
    of_f32::check_nans(bench);
    of_f64::check_nans(bench);
}

#[gpu_kernel]
pub fn flag_operations(x: &[bool], y: &[bool], a: &[AtomicBool], old: &mut [bool]) {
    let i = grid_1d();
    let n = x.len();
    if i < n {
        let (x, y) = (x[i], y[i]);
        for operation in 0..7 {
            a[operation * n + i].store(x, Relaxed);
        }
        old[i] = a[i].load(Relaxed);
        old[n + i] = a[n + i].swap(y, Relaxed);
        old[2 * n + i] = a[2 * n + i].fetch_and(y, Relaxed);
        old[3 * n + i] = a[3 * n + i].fetch_or(y, Relaxed);
        old[4 * n + i] = a[4 * n + i].fetch_xor(y, Relaxed);
        old[5 * n + i] = a[5 * n + i].fetch_nand(y, Relaxed);
        old[6 * n + i] = a[6 * n + i].compare_exchange(y, !x, Relaxed, Relaxed).is_ok();
    }
}

fn flags_change_one_by_one(bench: &Bench) {
    let (x, y) = (vec![false, false, true, true], vec![false, true, false, true]);
    let mut a = vec![false; 28];
    let mut old = vec![false; 28];
    launch!(bench, flag_operations(&x, &y, &mut a, &mut old), 1, 4);
    let per_pair = |of: &dyn Fn(bool, bool) -> bool| x.iter().zip(&y).map(|(&x, &y)| of(x, y)).collect::<Vec<_>>();
    let after = [
        x.clone(),
        y.clone(),
        per_pair(&|x, y| x && y),
        per_pair(&|x, y| x || y),
        per_pair(&|x, y| x != y),
        per_pair(&|x, y| !(x && y)),
        per_pair(&|x, y| if x == y { !x } else { x }),
    ];
    assert_eq!(a, after.concat());
    let mut before = vec![x.clone(); 7];
    before[6] = per_pair(&|x, y| x == y);
    assert_eq!(old, before.concat());
}

/// One of all threads gets each flag.
#[gpu_kernel]
pub fn claim(flags: &[AtomicBool], winners: &[AtomicU32]) {
    for i in 0..flags.len() {
        if !flags[i].swap(true, AcqRel) {
            winners[i].fetch_add(1, Relaxed);
        }
    }
}

fn flags_change_under_contention(bench: &Bench) {
    let mut flags = vec![false; 7];
    let mut winners = vec![0; 7];
    launch!(bench, claim(&mut flags, &mut winners), 6, 32);
    assert_eq!(flags, [true; 7]);
    assert_eq!(winners, [1; 7]);
}

#[gpu_kernel]
pub fn orderings(a: &[AtomicU32], b: &[AtomicI64]) {
    let i = grid_1d();
    a[i].store(1, Release);
    a[i].store(a[i].load(Acquire) + 1, SeqCst);
    a[i].fetch_add(a[i].load(SeqCst), Acquire);
    a[i].fetch_add(1, Release);
    a[i].fetch_add(1, AcqRel);
    a[i].fetch_add(1, Ordering::SeqCst);
    let block = a[i].block_scope().fetch_add(1, AcqRel);
    let system = a[i].system_scope().fetch_add(1, SeqCst);
    b[i].system_scope().store(block as i64, Release);
    b[i].block_scope().swap(b[i].block_scope().load(Acquire) * 100 + system as i64, SeqCst);
    if b[i].compare_exchange(708, -5, Release, Acquire).is_err() || b[i].compare_exchange(-5, 12, AcqRel, SeqCst).is_err() {
        a[i].store(0, Relaxed);
    }
    b[i].fetch_compare_exchange(12, 13, SeqCst);
}

fn every_ordering_and_scope_computes_the_same(bench: &Bench) {
    let (mut a, mut b) = (vec![0; 40], vec![0; 40]);
    launch!(bench, orderings(&mut a, &mut b), 2, 20);
    assert_eq!(a, [9; 40]);
    assert_eq!(b, [13; 40]);
}

/// Neighbours in one word, each changed by threads of its own.
#[gpu_kernel]
pub fn neighbours(bytes: &[AtomicU8], shorts: &[AtomicI16], out: &mut [u8]) {
    let shared_bytes = shared::<[AtomicU8; 10]>();
    let t = thread_idx().x;
    if t < 10 {
        shared_bytes[t].store(t as u8, Relaxed);
    }
    sync_threads();
    bytes[t % bytes.len()].fetch_add(1, Relaxed);
    shorts[t % shorts.len()].fetch_sub(3, Relaxed);
    shared_bytes[t % 10].fetch_add(2, Relaxed);
    sync_threads();
    if t < 10 {
        out[block_idx().x * 10 + t] = shared_bytes[t].load(Relaxed);
    }
}

fn small_atomics_leave_their_neighbours_alone(bench: &Bench) {
    let (mut bytes, mut shorts, mut out) = (vec![250u8, 0, 1, 2, 3], vec![0i16, 1, 2], vec![0u8; 40]);
    launch!(bench, neighbours(&mut bytes, &mut shorts, &mut out), 4, 60);
    assert_eq!(bytes, [250u8, 0, 1, 2, 3].map(|byte| byte.wrapping_add(48)));
    assert_eq!(shorts, [-240, -239, -238]);
    let of_block: Vec<u8> = (0..10).map(|t| t + 12).collect();
    assert_eq!(out, of_block.repeat(4));
}
