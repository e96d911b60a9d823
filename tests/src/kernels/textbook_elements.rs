//! Vectors, element by element, and random numbers.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_close, assert_same, below, positive, whole};
use crate::{cases, launch};

cases![vectors_are_combined, prices_are_close, fractals_escape, each_thread_has_random_numbers, hits_are_counted wraps = true, vectors_are_rearranged];

const STEPS: usize = 8;
const BLOCK: usize = 16;
const HALO: usize = 2;

#[gpu_kernel]
pub fn vector_add(a: &[f32], b: &[f32], c: &mut [f32]) {
    let i = grid_1d();
    if i < c.len() {
        c[i] = a[i] + b[i];
    }
}

#[gpu_kernel]
pub fn saxpy_grid_stride(n: usize, a: f32, x: &[f32], y: &mut [f32]) {
    for i in grid_stride(n) {
        y[i] = a * x[i] + y[i];
    }
}

#[gpu_kernel]
pub fn saxpy_while(n: usize, a: f32, x: &[f32], y: &mut [f32]) {
    let mut i = grid_1d();
    while i < n {
        y[i] = a * x[i] + y[i];
        i += block_dim().x * grid_dim().x;
    }
}

/// Four elements per thread, a block apart.
#[gpu_kernel]
pub fn four_a_block_apart(x: &[f32], out: &mut [f32]) {
    let base = block_idx().x * 4 * block_dim().x + thread_idx().x;
    for k in 0..4 {
        let i = base + k * block_dim().x;
        if i < out.len() {
            out[i] = 2.0 * x[i];
        }
    }
}

#[gpu_kernel]
pub fn black_scholes(s: &[f32], x: &[f32], t: &[f32], r: f32, v: f32, call: &mut [f32], put: &mut [f32]) {
    let i = grid_1d();
    if i < call.len() && i < put.len() {
        let root = t[i].sqrt();
        let d1 = ((s[i] / x[i]).ln() + (r + 0.5 * v * v) * t[i]) / (v * root);
        let d2 = d1 - v * root;
        let (n1, n2) = (1.0 / (1.0 + (-1.7 * d1).exp()), 1.0 / (1.0 + (-1.7 * d2).exp()));
        let discount = (-r * t[i]).exp();
        call[i] = s[i] * n1 - x[i] * discount * n2;
        put[i] = x[i] * discount * (1.0 - n2) - s[i] * (1.0 - n1);
    }
}

#[gpu_kernel]
pub fn mandelbrot(width: usize, height: usize, most: u32, out: &mut [u32]) {
    let (px, py) = grid_2d();
    if px >= width || py >= height {
        return;
    }
    let (cx, cy) = (px as f32 / width as f32 * 3.0 - 2.0, py as f32 / height as f32 * 2.0 - 1.0);
    let (mut x, mut y, mut k) = (0.0, 0.0, 0);
    while k < most && x * x + y * y < 4.0 {
        (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
        k += 1;
    }
    out[py * width + px] = k;
}

/// Each thread has a generator, and fills a stretch of the array.
#[gpu_kernel]
pub fn random_fill(states: &mut [u32], per_thread: usize, out: &mut [f32]) {
    let i = grid_1d();
    if i < states.len() {
        let mut state = states[i];
        for k in 0..per_thread {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            out[i * per_thread + k] = state as f32 / 4294967296.0;
        }
        states[i] = state;
    }
}

/// A thread per path, a sum per block.
#[gpu_kernel(block = 256)]
pub fn monte_carlo(seed: u32, steps: u32, sums: &mut [f32]) {
    let mut tile = shared::<[f32; 256]>();
    let t = thread_idx().x;
    let mut state = seed ^ (grid_1d() as u32 * 747796405 + 1);
    let mut inside = 0.0;
    for _ in 0..steps {
        state = state * 1664525 + 1013904223;
        let x = state as f32 / 4294967296.0;
        state = state * 1664525 + 1013904223;
        let y = state as f32 / 4294967296.0;
        if x * x + y * y < 1.0 {
            inside += 1.0;
        }
    }
    tile[t] = inside;
    sync_threads();
    let mut s = 128;
    while s > 0 {
        if t < s {
            tile[t] += tile[t + s];
        }
        sync_threads();
        s /= 2;
    }
    if t == 0 {
        sums[block_idx().x] = tile[0];
    }
}

/// An option per block, its prices in shared memory.
#[gpu_kernel(block = STEPS)]
pub fn binomial_options(price: &[f32], strike: &[f32], u: f32, p: f32, out: &mut [f32]) {
    let mut values = shared::<[f32; STEPS]>();
    let (option, t) = (block_idx().x, thread_idx().x);
    let spot = price[option] * u.powi(2 * t as i32 - STEPS as i32);
    values[t] = (spot - strike[option]).max(0.0);
    sync_threads();
    for step in 1..STEPS {
        let next = if t + step < STEPS { p * values[t + 1] + (1.0 - p) * values[t] } else { 0.0 };
        sync_threads();
        values[t] = next;
        sync_threads();
    }
    if t == 0 {
        out[option] = values[0];
    }
}

/// In place: the thread of the left half exchanges its element with the mirrored one.
#[gpu_kernel]
pub fn reverse_in_place(x: &mut [f32]) {
    let (i, n) = (grid_1d(), x.len());
    if i < n / 2 {
        let left = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = left;
    }
}

#[gpu_kernel]
pub fn rotate_left(x: &[f32], by: usize, out: &mut [f32]) {
    let (i, n) = (grid_1d(), x.len());
    if i < n {
        out[i] = x[(i + by) % n];
    }
}

/// The middle of each block is stored; its edges are halo.
#[gpu_kernel(block = BLOCK)]
pub fn moving_average_of_blocks(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; BLOCK]>();
    let t = thread_idx().x;
    let first = block_idx().x * (BLOCK - 2 * HALO);
    tile[t] = if first + t < x.len() { x[first + t] } else { 0.0 };
    sync_threads();
    if t >= HALO && t < BLOCK - HALO {
        let mut sum = 0.0;
        for k in 0..2 * HALO + 1 {
            sum += tile[t + k - HALO];
        }
        let i = first + t - HALO;
        if i < out.len() {
            out[i] = sum;
        }
    }
}

fn vectors_are_combined(bench: &Bench) {
    let (n, x, y) = (100, whole(100), positive(100));
    let mut sums = vec![0.0; n];
    launch!(bench, vector_add(&x, &y, &mut sums), 4, 32);
    assert_same(&sums, &x.iter().zip(&y).map(|(a, b)| a + b).collect::<Vec<_>>());
    let combined: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 2.0 * x + y).collect();
    let (mut by_stride, mut by_while) = (y.clone(), y);
    launch!(bench, saxpy_grid_stride(n, 2.0, &x, &mut by_stride), 2, 16);
    launch!(bench, saxpy_while(n, 2.0, &x, &mut by_while), 2, 16);
    assert_same(&by_stride, &combined);
    assert_same(&by_while, &combined);
    let mut doubled = vec![0.0; n];
    launch!(bench, four_a_block_apart(&x, &mut doubled), 2, 16);
    assert_same(&doubled, &x.iter().map(|x| 2.0 * x).collect::<Vec<_>>());
}

fn prices_are_close(bench: &Bench) {
    let (n, r, v) = (50, 0.03f32, 0.25f32);
    let (s, x, t) = (positive(n), vec![1.0; n], positive(n));
    let (mut call, mut put) = (vec![0.0; n], vec![0.0; n]);
    launch!(bench, black_scholes(&s, &x, &t, r, v, &mut call, &mut put), 2, 32);
    let normal = |d: f32| 1.0 / (1.0 + (-1.7 * d).exp());
    for i in 0..n {
        let d1 = ((s[i] / x[i]).ln() + (r + 0.5 * v * v) * t[i]) / (v * t[i].sqrt());
        let (n1, n2, paid) = (normal(d1), normal(d1 - v * t[i].sqrt()), x[i] * (-r * t[i]).exp());
        assert_close(&[call[i], put[i]], &[s[i] * n1 - paid * n2, paid * (1.0 - n2) - s[i] * (1.0 - n1)]);
    }
    let (price, strike) = (vec![3.0, 5.0], vec![2.0, 7.0]);
    let mut out = vec![0.0; 2];
    launch!(bench, binomial_options(&price, &strike, 2.0, 0.5, &mut out), 2, STEPS as u32);
    let expected = price.iter().zip(&strike).map(|(price, strike)| {
        let mut values: Vec<f32> = (0..STEPS).map(|t| (price * 2f32.powi(2 * t as i32 - STEPS as i32) - strike).max(0.0)).collect();
        while values.len() > 1 {
            values = values.windows(2).map(|pair| 0.5 * pair[1] + 0.5 * pair[0]).collect();
        }
        values[0]
    });
    assert_same(&out, &expected.collect::<Vec<_>>());
}

fn fractals_escape(bench: &Bench) {
    let (width, height, most) = (13, 9, 6);
    let mut out = vec![0; width * height];
    launch!(bench, mandelbrot(width, height, most, &mut out), (2, 2), (8, 8));
    let steps = |i: usize| {
        let (cx, cy) = ((i % width) as f32 / width as f32 * 3.0 - 2.0, (i / width) as f32 / height as f32 * 2.0 - 1.0);
        let orbit = std::iter::successors(Some((0.0, 0.0)), |(x, y): &(f32, f32)| Some((x * x - y * y + cx, 2.0 * x * y + cy)));
        orbit.take(most as usize).take_while(|(x, y)| x * x + y * y < 4.0).count() as u32
    };
    assert_same(&out, &(0..width * height).map(steps).collect::<Vec<_>>());
}

fn each_thread_has_random_numbers(bench: &Bench) {
    let mut states: Vec<u32> = below(1 << 20, 20).iter().map(|state| state + 1).collect();
    let mut expected = Vec::new();
    let mut last = states.clone();
    for state in &mut last {
        for _ in 0..3 {
            *state ^= *state << 13;
            *state ^= *state >> 17;
            *state ^= *state << 5;
            expected.push(*state as f32 / 4_294_967_296.0);
        }
    }
    let mut out = vec![0.0; 60];
    launch!(bench, random_fill(&mut states, 3, &mut out), 2, 16);
    assert_same(&out, &expected);
    assert_same(&states, &last);
}

fn hits_are_counted(bench: &Bench) {
    let mut sums = vec![0.0; 2];
    launch!(bench, monte_carlo(7, 5, &mut sums), 2, 256);
    let hits = |thread: u32| {
        let mut state = 7 ^ thread.wrapping_mul(747_796_405).wrapping_add(1);
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state as f32 / 4_294_967_296.0
        };
        (0..5).filter(|_| next().powi(2) + next().powi(2) < 1.0).count() as f32
    };
    assert_same(&sums, &[(0..256).map(hits).sum(), (256..512).map(hits).sum()]);
}

fn vectors_are_rearranged(bench: &Bench) {
    let (n, x) = (37, whole(37));
    let mut reversed = x.clone();
    launch!(bench, reverse_in_place(&mut reversed), 2, 16);
    assert_same(&reversed, &x.iter().rev().copied().collect::<Vec<_>>());
    let mut rotated = vec![0.0; n];
    launch!(bench, rotate_left(&x, 5, &mut rotated), 2, 32);
    assert_same(&rotated, &[&x[5..], &x[..5]].concat());
    let mut sums = vec![0.0; n];
    launch!(bench, moving_average_of_blocks(&x, &mut sums), 4, BLOCK as u32);
    assert_same(&sums, &(0..n).map(|i| x[i..n.min(i + 2 * HALO + 1)].iter().sum()).collect::<Vec<_>>());
}
