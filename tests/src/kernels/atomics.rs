//! What threads do together through atomics.

use std::hint::spin_loop;
use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicU8, AtomicU32, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use gpu_runtime::prelude::*;

use crate::bench::{Bench, view_mut};
use crate::{cases, launch};

cases![
    a_histogram_counts_in_shared_memory_first,
    a_device_function_changes_what_it_is_lent,
    compaction_keeps_every_element_once,
    a_sum_of_samples_converges,
    a_lock_in_shared_memory_lets_one_thread_in,
    a_lock_in_device_memory_lets_one_thread_in,
    spinning_threads_do_not_pass_barriers,
    a_thread_waits_for_a_later_one_of_its_block,
    a_message_arrives_with_its_flag,
    the_last_block_sees_what_the_others_wrote,
    a_queue_gives_out_what_was_put_in,
    operands_are_evaluated_from_left_to_right,
    functions_take_single_atomics wraps = true,
    atomics_have_names,
    each_type_of_atomic_is_lent,
];

const BINS: usize = 16;

/// Each block counts for itself, then adds what it has.
#[gpu_kernel]
pub fn histogram(x: &[u8], counts: &[AtomicU32]) {
    let own = shared::<[AtomicU32; BINS]>();
    let t = thread_idx().x;
    if t < BINS {
        own[t].store(0, Relaxed);
    }
    sync_threads();
    for i in grid_stride(x.len()) {
        own[x[i] as usize % BINS].fetch_add(1, Relaxed);
    }
    sync_threads();
    if t < BINS {
        counts[t].fetch_add(own[t].load(Relaxed), Relaxed);
    }
}

fn a_histogram_counts_in_shared_memory_first(bench: &Bench) {
    let x: Vec<u8> = (0..5000u32).map(|i| (i * i % 251) as u8).collect();
    let mut counts = vec![5; BINS];
    launch!(bench, histogram(&x, &mut counts), 7, 64);
    let expected: Vec<u32> = (0..BINS).map(|bin| 5 + x.iter().filter(|&&x| x as usize % BINS == bin).count() as u32).collect();
    assert_eq!(counts, expected);
}

/// Adds to the element at `i` and says what it was.
#[gpu_device]
pub fn take_ticket(tickets: &[AtomicU32], i: usize) -> u32 {
    tickets[i].fetch_add(1, Relaxed)
}

/// Raises each of `most` to `value`.
#[gpu_device]
pub fn raise(most: &[AtomicU32], value: u32) {
    for i in 0..most.len() {
        most[i].fetch_max(value, Relaxed);
    }
}

#[gpu_kernel]
pub fn lend(tickets: &[AtomicU32], used: &[AtomicU32], most: &[AtomicU32]) {
    let rows = shared::<[[AtomicU32; 3]; 2]>();
    let t = thread_idx().x;
    if t < 6 {
        rows[t / 3][t % 3].store(0, Relaxed);
    }
    sync_threads();
    let ticket = take_ticket(tickets, 1);
    used[ticket as usize].fetch_add(1, Relaxed);
    raise(&rows[1], ticket);
    sync_threads();
    if t < 6 {
        most[t].fetch_max(rows[t / 3][t % 3].load(Relaxed), Relaxed);
    }
}

fn a_device_function_changes_what_it_is_lent(bench: &Bench) {
    let (mut tickets, mut used, mut most) = (vec![9, 0, 9], vec![0; 60], vec![0; 6]);
    launch!(bench, lend(&mut tickets, &mut used, &mut most), 3, 20);
    assert_eq!(tickets, [9, 60, 9]);
    assert_eq!(used, [1; 60]);
    assert_eq!(most, [0, 0, 0, 59, 59, 59]);
    let host = [AtomicU32::new(4)];
    assert_eq!((take_ticket(&host, 0), take_ticket(&host, 0)), (4, 5));
}

/// Keeps what is positive, in any order.
#[gpu_kernel]
pub fn compact(x: &[i32], length: &[AtomicUsize], kept: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() && x[i] > 0 {
        let place = length[0].fetch_add(1, Relaxed);
        kept[place] = x[i];
    }
}

fn compaction_keeps_every_element_once(bench: &Bench) {
    let x: Vec<i32> = (0..1000).map(|i| i * 7919 % 2003 - 1000).collect();
    let (mut length, mut kept) = (vec![0], vec![0; 1000]);
    launch!(bench, compact(&x, &mut length, &mut kept), 8, 128);
    let mut expected: Vec<i32> = x.into_iter().filter(|&x| x > 0).collect();
    kept.truncate(length[0]);
    kept.sort_unstable();
    expected.sort_unstable();
    assert_eq!(kept, expected);
}

/// The mean of 4 / (1 + x²) over points of [0, 1) in a fixed irregular order: π.
#[gpu_kernel]
pub fn sample(samples: usize, sum: &[AtomicF64]) {
    let mut own = 0.0;
    for i in grid_stride(samples) {
        let x = (i as f64 * 0.6180339887498949) % 1.0;
        own += 4.0 / (1.0 + x * x);
    }
    sum[0].fetch_add(own, Relaxed);
}

fn a_sum_of_samples_converges(bench: &Bench) {
    let mut sum = vec![0.0];
    launch!(bench, sample(100_000, &mut sum), 8, 64);
    let estimate: f64 = sum[0] / 100_000.0;
    assert!((estimate - std::f64::consts::PI).abs() < 1e-3, "{estimate}");
}

/// A sum that is read and written by two operations, which only a lock makes one.
#[gpu_kernel]
pub fn block_lock(out: &mut [u32]) {
    let lock = shared::<[AtomicU32; 1]>();
    let sum = shared::<[AtomicU32; 1]>();
    if thread_idx().x == 0 {
        lock[0].store(0, Relaxed);
        sum[0].store(0, Relaxed);
    }
    sync_threads();
    while lock[0].compare_exchange(0, 1, Acquire, Relaxed).is_err() {
        spin_loop();
    }
    let seen = sum[0].load(Relaxed);
    sum[0].store(seen + thread_idx().x as u32, Relaxed);
    lock[0].store(0, Release);
    sync_threads();
    if thread_idx().x == 0 {
        out[block_idx().x] = sum[0].load(Relaxed);
    }
}

fn a_lock_in_shared_memory_lets_one_thread_in(bench: &Bench) {
    let mut out = vec![0; 5];
    launch!(bench, block_lock(&mut out), 5, 50);
    assert_eq!(out, [1225; 5]);
}

/// The lock's holder gives way with the lock in its hand.
#[gpu_kernel]
pub fn global_lock(lock: &[AtomicU32], sum: &[AtomicU32]) {
    while lock[0].compare_exchange_weak(0, 1, Acquire, Relaxed).is_err() {
        spin_loop();
    }
    let seen = sum[0].load(Relaxed);
    if seen % 3 == 0 {
        spin_loop();
    }
    sum[0].store(seen + 1, Relaxed);
    lock[0].store(0, Release);
}

fn a_lock_in_device_memory_lets_one_thread_in(bench: &Bench) {
    let (mut lock, mut sum) = (vec![0], vec![0]);
    launch!(bench, global_lock(&mut lock, &mut sum), 12, 40);
    assert_eq!((lock[0], sum[0]), (0, 480));
}

/// The last thread lets the others go, in a block that meets at a barrier before and after.
#[gpu_kernel]
pub fn spin_between_barriers(out: &mut [u32]) {
    let turn = shared::<[AtomicUsize; 1]>();
    let mut values = shared::<[u32; 8]>();
    let t = thread_idx().x;
    turn[0].store(7, Relaxed);
    values[t] = 0;
    sync_threads();
    // Downwards, so that each waits for one that comes later.
    while turn[0].load(Acquire) != t {
        spin_loop();
    }
    values[t] = t as u32 + 1;
    turn[0].fetch_sub(1, AcqRel);
    sync_threads();
    let mut sum = 0;
    for i in 0..8 {
        sum += values[i];
    }
    out[grid_1d()] = sum;
}

fn spinning_threads_do_not_pass_barriers(bench: &Bench) {
    let mut out = vec![0; 24];
    launch!(bench, spin_between_barriers(&mut out), 3, 8);
    assert_eq!(out, [36; 24]);
}

#[gpu_kernel]
pub fn wait_for_later(ready: &[AtomicU32], out: &[AtomicU32]) {
    let (b, t) = (block_idx().x, thread_idx().x);
    if t == 0 {
        while ready[b].load(Acquire) == 0 {
            spin_loop();
        }
        out[b].store(ready[b].load(Relaxed) * 2, Relaxed);
    } else if t == 33 {
        ready[b].store(b as u32 + 21, Release);
    }
}

fn a_thread_waits_for_a_later_one_of_its_block(bench: &Bench) {
    let (mut ready, mut out) = (vec![0; 4], vec![0; 4]);
    launch!(bench, wait_for_later(&mut ready, &mut out), 4, 64);
    assert_eq!(out, [42, 44, 46, 48]);
}

/// Block 0 writes a message and then raises a flag; the others wait for the flag and read the message.
#[gpu_kernel]
pub fn pass_message(flag: &[AtomicU32], message: &[AtomicU32], out: &[AtomicU32]) {
    let b = block_idx().x;
    if b == 0 {
        for i in 0..message.len() {
            message[i].store(i as u32 * 3 + 1, Relaxed);
        }
        flag[0].store(1, Release);
    } else {
        while flag[0].load(Acquire) == 0 {
            spin_loop();
        }
        for i in 0..message.len() {
            out[b].fetch_add(message[i].load(Relaxed), Relaxed);
        }
    }
}

fn a_message_arrives_with_its_flag(bench: &Bench) {
    for _ in 0..20 {
        let (mut flag, mut message, mut out) = (vec![0], vec![0; 50], vec![0; 16]);
        launch!(bench, pass_message(&mut flag, &mut message, &mut out), 16, 1);
        let sum = (0..50).map(|i| i * 3 + 1).sum::<u32>();
        assert_eq!(out[1..], vec![sum; 15]);
    }
}

/// Each block writes its part; the last one to be done adds them up.
#[gpu_kernel(block = 32)]
pub fn last_block_sums(x: &[u32], done: &[AtomicUsize], parts: &[AtomicU32], sum: &mut [u32]) {
    let own = shared::<[AtomicU32; 2]>();
    let t = thread_idx().x;
    if t < 2 {
        own[t].store(0, Relaxed);
    }
    sync_threads();
    own[0].fetch_add(x[grid_1d()], Relaxed);
    sync_threads();
    if t == 0 {
        parts[block_idx().x].store(own[0].load(Relaxed), Relaxed);
        if done[0].fetch_add(1, AcqRel) == grid_dim().x - 1 {
            let mut total = 0;
            for block in 0..grid_dim().x {
                total += parts[block].load(Relaxed);
            }
            sum[0] = total;
        }
    }
}

fn the_last_block_sees_what_the_others_wrote(bench: &Bench) {
    let x: Vec<u32> = (0..640).map(|i| i * 17 % 101).collect();
    let (mut done, mut parts, mut sum) = (vec![0], vec![0; 20], vec![0]);
    launch!(bench, last_block_sums(&x, &mut done, &mut parts, &mut sum), 20, 32);
    assert_eq!(sum[0], x.iter().sum::<u32>());
}

/// A bounded queue after Vyukov: each place has a number that says whose turn it is. Even threads put in, odd ones take out.
#[gpu_kernel]
pub fn queue(turns: &[AtomicUsize], places: &[AtomicU32], head: &[AtomicUsize], tail: &[AtomicUsize], taken: &[AtomicU32]) {
    let i = grid_1d();
    let size = places.len();
    if i % 2 == 0 {
        let position = tail[0].fetch_add(1, Relaxed);
        while turns[position % size].load(Acquire) != position {
            spin_loop();
        }
        places[position % size].store(i as u32 / 2 + 1, Relaxed);
        turns[position % size].store(position + 1, Release);
    } else {
        let position = head[0].fetch_add(1, Relaxed);
        while turns[position % size].load(Acquire) != position + 1 {
            spin_loop();
        }
        let value = places[position % size].load(Relaxed);
        turns[position % size].store(position + size, Release);
        taken[value as usize - 1].fetch_add(1, Relaxed);
    }
}

fn a_queue_gives_out_what_was_put_in(bench: &Bench) {
    // Fewer places than there are messages, and more than a block puts in before it takes out.
    let (mut turns, mut places) = ((0..16).collect::<Vec<usize>>(), vec![0; 16]);
    let (mut head, mut tail, mut taken) = (vec![0], vec![0], vec![0; 96]);
    launch!(bench, queue(&mut turns, &mut places, &mut head, &mut tail, &mut taken), 6, 32);
    assert_eq!(taken, [1; 96]);
    assert_eq!((head[0], tail[0]), (96, 96));
}

/// Places, values and other operands that change what the next one reads.
#[gpu_kernel]
pub fn order(a: &[AtomicU32], out: &mut [u32]) {
    let i = grid_1d() * 4;
    let mut k = i;
    let first = a[k].fetch_add(
        {
            k += 1;
            a[k].fetch_add(5, Relaxed)
        },
        Relaxed,
    );
    out[i] = first * 1000 + a[i].load(Relaxed);
    out[i + 1] = a[k].load(Relaxed) * 100 + a[k].swap(1, AcqRel) * 10 + a[k].load(Relaxed);
    out[i + 2] = if a[k].load(Relaxed) == 1 && a[k].swap(2, Relaxed) == 1 || a[k].swap(3, Relaxed) > 7 { a[k].load(Relaxed) } else { 9 };
    out[i + 3] = a[i + a[i + 2].fetch_add(1, Relaxed) as usize].load(Relaxed) + a[i + 2].load(Relaxed);
}

fn operands_are_evaluated_from_left_to_right(bench: &Bench) {
    let mut a = [7, 2, 3, 90].repeat(5);
    let mut out = vec![0; 20];
    launch!(bench, order(&mut a, &mut out), 1, 5);
    assert_eq!(a, [9, 2, 4, 90].repeat(5));
    assert_eq!(out, [7009, 771, 2, 94].repeat(5));
}

#[gpu_device]
fn bump(counter: &AtomicU32) -> u32 {
    counter.fetch_add(1, Relaxed)
}

/// Passes it on, and leaves early.
#[gpu_device]
fn bump_below(counter: &AtomicU32, limit: u32) -> Option<u32> {
    if counter.load(Relaxed) >= limit {
        return None;
    }
    let before = bump(counter);
    (before < limit).then_some(before)
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Step(u32);

#[gpu_device]
impl Step {
    fn take(&self, counter: &AtomicU32, other: &AtomicU32) -> u32 {
        let before = counter.fetch_add(self.0, AcqRel);
        (*other).fetch_max(before, Relaxed);
        before
    }
}

#[gpu_kernel]
pub fn lending(counters: &[AtomicU32], grid: View<AtomicU32, 2>, out: &mut [u32]) {
    let own = shared::<[AtomicU32; 4]>();
    let total = shared::<AtomicU32>();
    let (i, t) = (grid_1d(), thread_idx().x);
    if t < 4 {
        own[t].store(10, Relaxed);
        total.store(100, Relaxed);
    }
    sync_threads();
    bump(&own[t % 4]);
    bump(&*total);
    sync_threads();
    let drawn = bump_below(&counters[t % 3], 5);
    let before = Step(7).take(&counters[3 + i], &grid[[i % 2, 1]]);
    out[i] = own[t % 4].load(Relaxed) * 1000 + total.load(Relaxed) + before + if drawn.is_some() { 100_000 } else { 0 };
}

fn functions_take_single_atomics(bench: &Bench) {
    let mut counters: Vec<u32> = (0..67).map(|i| if i < 3 { 0 } else { i * 3 }).collect();
    let mut grid = vec![0; 4];
    let mut out = vec![0; 64];
    launch!(bench, lending(&mut counters, view_mut(&mut grid, [2, 2]), &mut out), 2, 32);
    let drawn = out.iter().filter(|&&value| value >= 100_000).count();
    assert_eq!(drawn, 15);
    for (i, &value) in out.iter().enumerate() {
        let before = (i as u32 + 3) * 3;
        assert_eq!(value % 100_000, (10 + 8) * 1000 + 132 + before, "{i}");
        assert_eq!(counters[3 + i], before + 7);
    }
    assert!(counters[..3].iter().all(|&counter| counter >= 5));
}

#[gpu_kernel]
pub fn naming(x: &[u32], counts: &[AtomicU32], grid: View<AtomicU32, 2>, out: &mut [u32]) {
    let own = shared::<[AtomicU32; 8]>();
    let (i, t) = (grid_1d(), thread_idx().x);
    let slot = &own[t % 8];
    if t < 8 {
        slot.store(0, Relaxed);
    }
    sync_threads();
    slot.fetch_add(x[i], Relaxed);
    sync_threads();
    let count = &counts[i % counts.len()];
    let mut seen = count.load(Relaxed);
    while let Err(now) = count.compare_exchange_weak(seen, seen * 2 % 1009, AcqRel, Acquire) {
        seen = now;
    }
    let cell = &grid[[i % 2, t % 2]];
    let bump_twice = |by: u32| cell.fetch_add(by, Relaxed) + cell.fetch_add(by, Relaxed);
    out[i] = slot.load(Relaxed) + if bump_twice(1) > 1_000_000 { 1 } else { 0 };
}

fn atomics_have_names(bench: &Bench) {
    let x: Vec<u32> = (0..64).map(|i| i * i).collect();
    let (mut counts, mut out) = (vec![1; 5], vec![0; 64]);
    let mut grid = vec![0; 4];
    launch!(bench, naming(&x, &mut counts, view_mut(&mut grid, [2, 2]), &mut out), 2, 32);
    let power = |n: u32| (0..n).fold(1, |power, _| power * 2 % 1009);
    assert_eq!(counts, [13, 13, 13, 13, 12].map(power));
    for (i, &value) in out.iter().enumerate() {
        assert_eq!(value, x[i / 32 * 32..][..32].iter().skip(i % 8).step_by(8).sum::<u32>());
    }
}

#[gpu_device]
fn change(flag: &AtomicBool, byte: &AtomicU8, wide: &AtomicI64, float: &AtomicF32, k: usize) {
    flag.store(!flag.load(Relaxed), Relaxed);
    byte.fetch_add(k as u8, Relaxed);
    wide.fetch_min(-(k as i64), Relaxed);
    float.fetch_add(k as f32 * 0.5, Relaxed);
}

#[gpu_kernel]
pub fn changing(flags: &[AtomicBool], bytes: &[AtomicU8], wides: &[AtomicI64], floats: &[AtomicF32]) {
    let i = grid_1d();
    if i < flags.len() {
        let (byte, float) = (i, i / 4);
        change(&flags[i], &bytes[byte], &wides[i % 2], &floats[float], i);
        let swapped = &flags[i];
        swapped.swap(!swapped.load(Relaxed), Relaxed);
        let byte = &bytes[i];
        byte.fetch_xor(1, Relaxed);
    }
}

fn each_type_of_atomic_is_lent(bench: &Bench) {
    let mut flags: Vec<bool> = (0..32).map(|i| i % 3 == 0).collect();
    let expected = flags.clone();
    let (mut bytes, mut wides, mut floats) = (vec![3u8; 32], vec![0i64; 2], vec![0.25f32; 8]);
    launch!(bench, changing(&mut flags, &mut bytes, &mut wides, &mut floats), 1, 32);
    assert_eq!(flags, expected);
    assert!(bytes.iter().zip(0u8..).all(|(&byte, i)| byte == (3 + i) ^ 1));
    assert_eq!(wides, [-30, -31]);
    assert!(floats.iter().zip(0u8..).all(|(&sum, i)| sum == 0.25 + f32::from(i) * 8.0 + 3.0));
}
