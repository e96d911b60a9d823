//! Atomic operations, orderings, scopes, spinning.

// The kernels are read, not launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;
use std::hint::spin_loop;
use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicU16, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst},
};

#[gpu_kernel]
pub(crate) fn relaxed_atomics(
    x: &[u32],
    counts: &[AtomicU32],
    sum: &[AtomicF32],
    total: &[AtomicF64],
    most: &[AtomicI64],
    out: &mut [u32],
) {
    let i = grid_1d();
    if i < x.len() {
        counts[x[i] as usize].fetch_add(1, Relaxed);
        sum[0].fetch_add(x[i] as f32, Relaxed);
        total[0].fetch_add(x[i] as f64, Relaxed);
        most[0].fetch_max(x[i] as i64, Relaxed);
        most[1].fetch_min(x[i] as i64, Relaxed);
        out[i] = counts[0].load(Relaxed) + counts[1].swap(x[i], Relaxed) * counts[2].fetch_inc_wrapping(9, Relaxed);
    }
}

/// Only 32-bit atomics, for their instructions.
#[gpu_kernel]
pub(crate) fn atomics_of_words(x: &[u32], counts: &[AtomicU32], sum: &[AtomicF32]) {
    let i = grid_1d();
    if i < x.len() {
        counts[i].fetch_add(x[i], Relaxed);
        counts[i].fetch_max(x[i], Relaxed);
        sum[i].fetch_add(1.5, Relaxed);
    }
}

#[gpu_kernel]
pub(crate) fn atomic_orderings(flag: &[AtomicU32], data: &[AtomicU64], small: &[AtomicU16], out: &mut [u64]) {
    let i = grid_1d();
    data[i].store(i as u64 * 2, Release);
    let seen = data[0].load(Acquire);
    flag[i].fetch_sub(1, AcqRel);
    flag[i].fetch_or(4, SeqCst);
    small[i].block_scope().fetch_xor(3, Release);
    data[i].system_scope().fetch_and(seen, AcqRel);
    // SAFETY: the kernel is printed and never launched.
    out[i] = data[i].fetch_compare_exchange(seen, 7, SeqCst) + unsafe { flag.get_unchecked(i).load(Relaxed) } as u64;
}

#[gpu_device]
fn claim(flags: &[AtomicBool], i: usize) -> bool {
    !flags[i].swap(true, Acquire)
}

#[gpu_kernel]
pub(crate) fn atomics_in_shared_memory(flags: &[AtomicBool], out: &mut [u32]) {
    let lock = shared::<[AtomicU32; 1]>();
    let rows = shared::<[[AtomicU32; 8]; 2]>();
    let t = thread_idx().x;
    lock[0].store(0, Relaxed);
    rows[t % 2][t % 8].store(0, Relaxed);
    sync_threads();
    while lock[0].compare_exchange(0, 1, Acquire, Relaxed).is_err() {
        spin_loop();
    }
    if claim(flags, t) && rows[0][0].compare_exchange_weak(0, 5, Relaxed, Relaxed).is_ok() {
        rows[1][t % 8].fetch_add(1, Relaxed);
    }
    lock[0].store(0, Release);
    out[grid_1d()] = rows[1][0].load(Relaxed);
}

#[gpu_kernel]
pub(crate) fn exchanges_in_patterns(x: &[u32], bins: View<AtomicU32, 2>, out: &mut [u32]) {
    let k = grid_1d();
    if k < out.len() {
        let mut expected = x[k];
        while let Err(now) = bins[[k, 1]].compare_exchange(expected, expected + 1, Relaxed, Relaxed) {
            expected = now;
        }
        out[k] = match bins[[0, k]].compare_exchange(0, 5, AcqRel, Acquire) {
            Ok(_) => 0,
            Err(there) => there,
        };
    }
}
