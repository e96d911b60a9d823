//! Sorting and compaction: what moves elements to places that depend on all of them.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![a_block_sorts, records_are_sorted_by_key, prefix_sums_compact_a_stream];

const SORTED: usize = 128;

/// Batcher's bitonic sort of each block; what is missing in the last is taken for the greatest number.
#[gpu_kernel(block = SORTED)]
pub fn bitonic(x: &mut [i32]) {
    let mut keys = shared::<[i32; SORTED]>();
    let (t, i) = (thread_idx().x, grid_1d());
    keys[t] = if i < x.len() { x[i] } else { i32::MAX };
    let mut run = 2;
    while run <= SORTED {
        let mut distance = run / 2;
        while distance > 0 {
            sync_threads();
            let partner = t ^ distance;
            let ascending = t & run == 0;
            if partner > t && (keys[t] > keys[partner]) == ascending {
                (keys[t], keys[partner]) = (keys[partner], keys[t]);
            }
            distance >>= 1;
        }
        run <<= 1;
    }
    sync_threads();
    if i < x.len() {
        x[i] = keys[t];
    }
}

fn a_block_sorts(bench: &Bench) {
    let mut x: Vec<i32> = (0..600).map(|i: i32| i.wrapping_mul(0x9e37_79b9u32 as i32) >> (i % 29)).collect();
    x.extend([i32::MIN, i32::MAX, i32::MAX, 0, -1]);
    let mut expected = x.clone();
    expected.chunks_mut(SORTED).for_each(<[i32]>::sort_unstable);
    launch!(bench, bitonic(&mut x), 5, SORTED as u32);
    assert_eq!(x, expected);
}

/// A record that carries its place, which tells equal keys apart.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Record {
    key: f32,
    place: u16,
}

#[gpu_device]
impl Record {
    fn is_before(&self, other: Record) -> bool {
        self.key < other.key || self.key == other.key && self.place < other.place
    }
}

const RECORDS: usize = 100;

/// Odd-even transposition: any number of elements, and as many rounds.
#[gpu_kernel]
pub fn transposition(records: &mut [Record]) {
    let mut own = shared::<[Record; RECORDS]>();
    let t = thread_idx().x;
    let n = records.len();
    if t < n {
        own[t] = records[t];
    }
    for round in 0..n {
        sync_threads();
        if t % 2 == round % 2 && t + 1 < n {
            let (left, right): (Record, Record) = (own[t], own[t + 1]);
            if right.is_before(left) {
                own[t] = right;
                own[t + 1] = left;
            }
        }
    }
    sync_threads();
    if t < n {
        records[t] = own[t];
    }
}

fn records_are_sorted_by_key(bench: &Bench) {
    let record = |i: usize| Record { key: (i * 37 % 20) as f32 * 0.5 - 4.0, place: i as u16 };
    let mut records: Vec<Record> = (0..89).map(record).collect();
    let mut expected = records.clone();
    expected.sort_by(|a, b| a.key.total_cmp(&b.key));
    launch!(bench, transposition(&mut records), 1, 96);
    assert_eq!(records, expected);
}

/// Threads of a block; each has two elements.
const HALF: usize = 64;

/// Blelloch's scan: for each kept element how many of its block are kept before it, and how many the block has of them.
#[gpu_kernel(block = HALF)]
pub fn places(x: &[i16], places: &mut [u32], counts: &mut [u32]) {
    let mut sums = shared::<[u32; 2 * HALF]>();
    let (t, b) = (thread_idx().x, block_idx().x);
    for half in 0..2 {
        let at = t + half * HALF;
        let i = b * 2 * HALF + at;
        sums[at] = (i < x.len() && x[i] >= 0) as u32;
    }
    let mut stride = 1;
    while stride < 2 * HALF {
        sync_threads();
        let at = (t + 1) * 2 * stride - 1;
        if at < 2 * HALF {
            sums[at] += sums[at - stride];
        }
        stride *= 2;
    }
    if t == 0 {
        counts[b] = sums[2 * HALF - 1];
        sums[2 * HALF - 1] = 0;
    }
    while stride > 1 {
        stride /= 2;
        sync_threads();
        let at = (t + 1) * 2 * stride - 1;
        if at < 2 * HALF {
            let left = sums[at - stride];
            sums[at - stride] = sums[at];
            sums[at] += left;
        }
    }
    sync_threads();
    for half in 0..2 {
        let at = t + half * HALF;
        let i = b * 2 * HALF + at;
        if i < places.len() {
            places[i] = sums[at];
        }
    }
}

/// Moves each kept element to its place, after those of the blocks before.
#[gpu_kernel(block = HALF)]
pub fn gather_kept(x: &[i16], places: &[u32], offsets: &[u32], out: &mut [i16]) {
    for half in 0..2 {
        let i = (block_idx().x * 2 + half) * HALF + thread_idx().x;
        if i < x.len() && x[i] >= 0 {
            out[(offsets[block_idx().x] + places[i]) as usize] = x[i];
        }
    }
}

fn prefix_sums_compact_a_stream(bench: &Bench) {
    let x: Vec<i16> = (0..1500i32).map(|i| (i * 7919 % 4001 - 2000) as i16).collect();
    let blocks = x.len().div_ceil(2 * HALF);
    let (mut at, mut counts) = (vec![u32::MAX; x.len()], vec![u32::MAX; blocks]);
    launch!(bench, places(&x, &mut at, &mut counts), blocks as u32, HALF as u32);
    let expected: Vec<i16> = x.iter().copied().filter(|x| !x.is_negative()).collect();
    let offsets: Vec<u32> = (0..blocks).map(|block| counts[..block].iter().sum()).collect();
    assert_eq!(counts.iter().sum::<u32>() as usize, expected.len());
    let mut out = vec![-1; expected.len()];
    launch!(bench, gather_kept(&x, &at, &offsets, &mut out), blocks as u32, HALF as u32);
    assert_eq!(out, expected);
}
