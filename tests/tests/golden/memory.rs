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

/// A range for each thread, the last of which is shorter, and a pair.
#[gpu_kernel]
pub(crate) fn own_parts(each: usize, out: &mut [f32], pairs: &mut [f32]) {
    let i = grid_1d();
    let (first, n) = (i * each, out.len());
    if first < n {
        for part in out[first..(first + each).min(n)].chunks_mut(3).skip(1) {
            for (k, v) in part.iter_mut().enumerate() {
                *v = k as f32;
            }
        }
    }
    for pair in pairs.chunks_exact_mut(2).skip(i).take(1) {
        pair[1] = pair[0];
        for v in pair {
            *v += 1.0;
        }
    }
}

/// A grid-stride loop by hand, and elements by a const parameter.
#[gpu_kernel]
pub(crate) fn own_elements<const EACH: usize>(x: &[f32], out: &mut [f32], sums: &mut [f32]) {
    let mut e = grid_1d() as u32;
    let stride = grid_dim().x as u32 * block_dim().x as u32;
    while e < out.len() as u32 {
        out[e as usize] = 2.0;
        e += stride;
    }
    let i = grid_1d();
    if i < x.len() / EACH {
        for k in 0..EACH {
            sums[i * EACH + k] = x[i * EACH + k];
        }
    }
}
