//! Dynamic shared arrays and arrays in constant memory.

// The kernels are read, not launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[gpu_device]
fn total(values: &[f32]) -> f32 {
    let mut sum = 0.0;
    for i in 0..values.len() {
        sum += values[i];
    }
    sum
}

#[gpu_kernel]
pub(crate) fn dynamic_arrays(x: &[f32], bins: &[AtomicU32], out: &mut [f32]) {
    let mut tile = dynamic_shared::<[f32; 33]>(block_dim().y);
    let own = dynamic_shared::<AtomicU32>(bins.len() + 1);
    let mut sums = dynamic_shared::<f32>(block_dim().x * 2);
    let t = thread_idx();
    tile[t.y][t.x % 33] = x[t.x];
    own[t.x].store(0, Relaxed);
    sums[t.x] = 0.5;
    sync_threads();
    if own.len() > 4 {
        out[t.x] = sums[t.x + 1] + tile[0][t.y] + total(&sums);
    }
    bins[t.x].fetch_add(own[t.x].load(Relaxed), Relaxed);
}

const WEIGHTS: [f32; 3] = [0.25, 0.5, 0.25];
const PAIRS: [[i8; 2]; 2] = [[1, -2], [3, 4]];

#[gpu_device]
fn weight(i: usize) -> f32 {
    WEIGHTS[i % WEIGHTS.len()]
}

#[gpu_kernel]
pub(crate) fn constant_arrays(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let mut sum = weight(i);
        for k in 0..WEIGHTS.len() {
            sum += x[i] * WEIGHTS[k];
        }
        let pair = PAIRS[i % 2];
        out[i] = sum * WEIGHTS[1] + (pair[0] + PAIRS[1][i % 2]) as f32;
    }
}
