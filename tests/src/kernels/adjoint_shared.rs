//! Gradients of kernels with shared memory and barriers.

use gpu_runtime::block::block_sum;
use gpu_runtime::prelude::*;

use super::adjoints::{BEFORE, check, numbers};
use crate::bench::Bench;
use crate::{cases, launch};

cases![
    trees_of_sums,
    trees_of_any_block,
    products_of_tiles,
    bodies_in_tiles,
    tiles_of_any_size,
    stencils_with_a_halo,
    what_is_overwritten_between_barriers,
    rows_that_are_reduced_one_after_the_other,
    scans_between_two_rows,
    integers_and_single_values_in_shared_memory,
    arrays_that_are_exchanged,
    values_of_earlier_iterations,
    arrays_in_variables,
];

const THREADS: usize = 16;

#[gpu_kernel(grad, block = THREADS, fmad = false)]
pub fn tree(x: &[f64], out: &mut [f64]) {
    let mut sums = shared::<[f64; THREADS]>();
    let t = thread_idx().x;
    let i = grid_1d();
    sums[t] = if i < x.len() { x[i] * x[i] } else { 0.0 };
    sync_threads();
    let mut half = THREADS / 2;
    while half > 0 {
        if t < half {
            sums[t] += sums[t + half];
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 {
        out[block_idx().x] = sums[0] * sums[0];
    }
}

fn trees_of_sums(bench: &Bench) {
    let (x, weights) = (numbers(41, 1), numbers(3, 2));
    let mut dx = vec![BEFORE; 41];
    launch!(bench, tree::grad(&x, &weights, &mut dx), 3, THREADS);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 3];
        launch!(bench, tree(&x[0], &mut out), 3, THREADS);
        out
    };
    check(&[x], &weights, &forward, &[&dx]);
}

/// With a stride that need not be a power of two, and a difference.
#[gpu_kernel(grad, fmad = false)]
pub fn any_tree(x: &[f64], out: &mut [f64]) {
    let mut sums = dynamic_shared::<f64>(block_dim().x);
    let t = thread_idx().x;
    let i = grid_1d();
    sums[t] = if i < x.len() { x[i] * x[i] } else { 0.0 };
    sync_threads();
    let mut count = sums.len();
    while count > 1 {
        let half = count.div_ceil(2);
        if t + half < count {
            sums[t] -= sums[t + half];
        }
        sync_threads();
        count = half;
    }
    if t == 0 {
        out[block_idx().x] = sums[0] * sums[0];
    }
}

fn trees_of_any_block(bench: &Bench) {
    for block in [1, 7, 12] {
        let blocks = 20usize.div_ceil(block);
        let (x, weights) = (numbers(20, 1), numbers(blocks, 2));
        let mut dx = vec![BEFORE; 20];
        launch!(bench, any_tree::grad(&x, &weights, &mut dx), blocks, block);
        let forward = |x: &[Vec<f64>]| {
            let mut out = vec![0.0; blocks];
            launch!(bench, any_tree(&x[0], &mut out), blocks, block);
            out
        };
        check(&[x], &weights, &forward, &[&dx]);
    }
}

const TILE: usize = 4;

#[gpu_kernel(grad, block = (TILE, TILE), fmad = false)]
pub fn tiled_product(a: &[f64], b: &[f64], rows: usize, inner: usize, columns: usize, c: &mut [f64]) {
    let mut left = shared::<[[f64; TILE]; TILE]>();
    let mut right = shared::<[[f64; TILE]; TILE]>();
    let (column, row) = grid_2d();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let mut sum = 0.0;
    for tile in 0..(inner + TILE - 1) / TILE {
        let k = tile * TILE;
        left[ty][tx] = if row < rows && k + tx < inner { a[row * inner + k + tx] } else { 0.0 };
        right[ty][tx] = if column < columns && k + ty < inner { b[(k + ty) * columns + column] } else { 0.0 };
        sync_threads();
        for k in 0..TILE {
            sum += left[ty][k] * right[k][tx];
        }
        sync_threads();
    }
    if row < rows && column < columns {
        c[row * columns + column] = sum * sum;
    }
}

fn products_of_tiles(bench: &Bench) {
    let (rows, inner, columns) = (5, 9, 7);
    let (a, b, weights) = (numbers(rows * inner, 1), numbers(inner * columns, 2), numbers(rows * columns, 3));
    let (mut da, mut db) = (vec![BEFORE; a.len()], vec![BEFORE; b.len()]);
    launch!(bench, tiled_product::grad(&a, &b, rows, inner, columns, &weights, &mut da, &mut db), (2, 2), (TILE, TILE));
    let forward = |x: &[Vec<f64>]| {
        let mut c = vec![0.0; rows * columns];
        launch!(bench, tiled_product(&x[0], &x[1], rows, inner, columns, &mut c), (2, 2), (TILE, TILE));
        c
    };
    check(&[a, b], &weights, &forward, &[&da, &db]);
}

/// A loop that counts by hand, and what it carries in a variable beside the tiles.
#[gpu_kernel(grad, block = THREADS, fmad = false)]
pub fn tiled_bodies(x: &[f64], mass: &[f64], force: &mut [f64]) {
    let mut near = shared::<[f64; THREADS]>();
    let mut heavy = shared::<[f64; THREADS]>();
    let (t, i) = (thread_idx().x, grid_1d());
    let own = if i < x.len() { x[i] } else { 0.0 };
    let (mut sum, mut scale) = (0.0, 1.0);
    let mut first = 0;
    while first < x.len() {
        near[t] = if first + t < x.len() { x[first + t] } else { 0.0 };
        heavy[t] = if first + t < x.len() { mass[first + t] } else { 0.0 };
        sync_threads();
        for j in 0..THREADS {
            let d = near[j] - own;
            sum += heavy[j] * d / (d * d + 0.01) * scale;
        }
        scale = scale * 0.5 + sum * 0.01;
        sync_threads();
        first += THREADS;
    }
    if i < force.len() {
        force[i] = sum * own;
    }
}

fn bodies_in_tiles(bench: &Bench) {
    let (x, mass, weights) = (numbers(37, 1), numbers(37, 2), numbers(37, 3));
    let [mut dx, mut dmass] = [(); 2].map(|()| vec![BEFORE; 37]);
    launch!(bench, tiled_bodies::grad(&x, &mass, &weights, &mut dx, &mut dmass), 3, THREADS);
    let forward = |x: &[Vec<f64>]| {
        let mut force = vec![0.0; 37];
        launch!(bench, tiled_bodies(&x[0], &x[1], &mut force), 3, THREADS);
        force
    };
    check(&[x, mass], &weights, &forward, &[&dx, &dmass]);
}

/// The size of the tiles is that of the block, which the attribute does not have.
#[gpu_kernel(grad, fmad = false)]
pub fn convolved(x: &[f64], w: &[f64], out: &mut [f64]) {
    let (t, i) = (thread_idx().x, grid_1d());
    let mut near = dynamic_shared::<f64>(block_dim().x);
    let mut sum = 0.0;
    for tile in 0..x.len() / block_dim().x {
        near[t] = x[tile * block_dim().x + t];
        sync_threads();
        for j in 0..near.len() {
            sum += near[j] * near[j] * w[i];
        }
        sync_threads();
    }
    out[i] = sum;
}

fn tiles_of_any_size(bench: &Bench) {
    for block in [3, 8] {
        let (x, w, weights) = (numbers(24, 1), numbers(2 * block, 2), numbers(2 * block, 3));
        let (mut dx, mut dw) = (vec![BEFORE; 24], vec![BEFORE; 2 * block]);
        launch!(bench, convolved::grad(&x, &w, &weights, &mut dx, &mut dw), 2, block);
        let forward = |x: &[Vec<f64>]| {
            let mut out = vec![0.0; 2 * block];
            launch!(bench, convolved(&x[0], &x[1], &mut out), 2, block);
            out
        };
        check(&[x, w], &weights, &forward, &[&dx, &dw]);
    }
}

#[gpu_kernel(grad, block = THREADS, fmad = false)]
pub fn halo(x: &[f64], w: &[f64], out: &mut [f64]) {
    let mut tile = shared::<[f64; THREADS + 4]>();
    let (t, i) = (thread_idx().x, grid_1d());
    tile[t + 2] = if i < x.len() { x[i] } else { 0.0 };
    if t < 2 {
        tile[t] = if i >= 2 { x[i - 2] } else { 0.0 };
        tile[t + THREADS + 2] = if i + THREADS < x.len() { x[i + THREADS] } else { 0.0 };
    }
    sync_threads();
    if i < out.len() {
        let mut sum = 0.0;
        for k in 0..5 {
            sum += tile[t + k] * w[k];
        }
        let mut middle = tile[t + 2];
        if middle > 1.0 {
            middle = tile[t + 1] * tile[t + 3];
        }
        out[i] = sum * middle;
    }
}

fn stencils_with_a_halo(bench: &Bench) {
    let (x, w, weights) = (numbers(40, 1), numbers(5, 2), numbers(40, 3));
    let (mut dx, mut dw) = (vec![BEFORE; 40], vec![BEFORE; 5]);
    launch!(bench, halo::grad(&x, &w, &weights, &mut dx, &mut dw), 3, THREADS);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 40];
        launch!(bench, halo(&x[0], &x[1], &mut out), 3, THREADS);
        out
    };
    check(&[x, w], &weights, &forward, &[&dx, &dw]);
}

/// Each value is read by another thread, in a branch or not, before it is overwritten.
#[gpu_kernel(grad, block = THREADS, fmad = false)]
pub fn phases(x: &[f64], out: &mut [f64]) {
    let mut s = shared::<[f64; THREADS]>();
    let (t, i) = (thread_idx().x, grid_1d());
    s[t] = x[i];
    s[t] *= x[i];
    sync_threads();
    let left = s[(t + 1) % THREADS];
    let mut sum = 0.0;
    if left > 1.0 {
        let right = s[(t + 5) % THREADS];
        if t % 3 != 0 {
            sum = left * right * s[t];
        } else {
            sum -= right;
        }
    }
    sync_threads();
    s[t] = left * x[i];
    if t % 4 == 1 {
        s[t] = sum;
        s[t] /= x[i];
        s[t] -= 2.0 * x[i];
    }
    sync_threads();
    let turned = s[(t + 3) % THREADS];
    sync_threads();
    s[t] = 1.0;
    sync_threads();
    if t == 2 {
        for k in 0..THREADS / 2 {
            s[2 * k] = x[k] * turned;
        }
    }
    sync_threads();
    out[i] = sum * turned + s[THREADS - 1 - t] * left;
}

fn what_is_overwritten_between_barriers(bench: &Bench) {
    let (x, weights) = (numbers(32, 1), numbers(32, 2));
    let mut dx = vec![BEFORE; 32];
    launch!(bench, phases::grad(&x, &weights, &mut dx), 2, THREADS);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 32];
        launch!(bench, phases(&x[0], &mut out), 2, THREADS);
        out
    };
    check(&[x], &weights, &forward, &[&dx]);
}

/// Rows divided by their lengths, each by a tree, and sums of threads beside it.
#[gpu_kernel(grad, block = THREADS, fmad = false)]
pub fn normalized(x: &[f64], rows: usize, out: &mut [f64]) {
    let mut sums = shared::<[f64; THREADS]>();
    let t = thread_idx().x;
    let mut before = 1.0;
    for row in 0..rows {
        let own = x[row * THREADS + t];
        sums[t] = own * own;
        sync_threads();
        let mut half = THREADS / 2;
        while half > 0 {
            if t < half {
                sums[t] += sums[t + half];
            }
            sync_threads();
            half /= 2;
        }
        let total = sums[0];
        sync_threads();
        let mean = block_sum(own).await / 16.0;
        before = before * (own - mean) / total.sqrt() + own;
        if block_idx().x == 0 {
            out[row * THREADS + t] = before;
        }
    }
}

fn rows_that_are_reduced_one_after_the_other(bench: &Bench) {
    let (x, weights) = (numbers(5 * THREADS, 1), numbers(5 * THREADS, 2));
    let (mut dx, mut dout) = (vec![BEFORE; x.len()], weights.clone());
    launch!(bench, normalized::grad(&x, 5, &mut dout, &mut dx), 1, THREADS);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 5 * THREADS];
        launch!(bench, normalized(&x[0], 5, &mut out), 1, THREADS);
        out
    };
    check(&[x], &weights, &forward, &[&dx]);
}

#[gpu_kernel(grad, block = THREADS, fmad = false)]
pub fn scanned(x: &[f64], out: &mut [f64]) {
    let mut sums = shared::<[[f64; THREADS]; 2]>();
    let (t, i) = (thread_idx().x, grid_1d());
    let mut from = 0;
    sums[from][t] = x[i] * x[i];
    sync_threads();
    let mut distance = 1;
    while distance < THREADS {
        let to = 1 - from;
        sums[to][t] = if t >= distance { sums[from][t - distance] + sums[from][t] } else { sums[from][t] };
        sync_threads();
        from = to;
        distance <<= 1;
    }
    out[i] = sums[from][t] * x[i];
}

fn scans_between_two_rows(bench: &Bench) {
    let (x, weights) = (numbers(32, 1), numbers(32, 2));
    let mut dx = vec![BEFORE; 32];
    launch!(bench, scanned::grad(&x, &weights, &mut dx), 2, THREADS);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 32];
        launch!(bench, scanned(&x[0], &mut out), 2, THREADS);
        out
    };
    check(&[x], &weights, &forward, &[&dx]);
}

#[gpu_kernel(grad, block = THREADS, fmad = false)]
pub fn looked_up(x: &[f64], places: &[u32], out: &mut [f64]) {
    let mut place = shared::<[u32; THREADS]>();
    let mut values = shared::<[f64; THREADS]>();
    let mut largest = shared::<f64>();
    let (t, i) = (thread_idx().x, grid_1d());
    place[t] = places[i] % THREADS as u32;
    values[t] = x[i].exp();
    if t == 3 {
        *largest = x[i] * 0.5;
    }
    sync_threads();
    let mut sum = 0.0;
    for k in 0..place.len() {
        if place[k] as usize > t {
            continue;
        }
        sum += values[place[(t + k) % THREADS] as usize] * *largest;
    }
    if place[t] != 3 && values[place[t] as usize] > 2.0 {
        sum *= values[place[t] as usize];
    }
    out[i] = sum;
}

fn integers_and_single_values_in_shared_memory(bench: &Bench) {
    let (x, weights) = (numbers(32, 1), numbers(32, 2));
    let places: Vec<u32> = (0..32).map(|i| i * i % 23).collect();
    let mut dx = vec![BEFORE; 32];
    launch!(bench, looked_up::grad(&x, &places, &weights, &mut dx), 2, THREADS);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 32];
        launch!(bench, looked_up(&x[0], &places, &mut out), 2, THREADS);
        out
    };
    check(&[x], &weights, &forward, &[&dx]);
}

/// Two buffers: each round reads one and writes the other.
#[gpu_kernel(grad, block = THREADS, fmad = false)]
pub fn smoothed(x: &[f64], rounds: usize, out: &mut [f64]) {
    let (t, i) = (thread_idx().x, grid_1d());
    let mut now = shared::<[f64; THREADS]>();
    let mut next = shared::<[f64; THREADS]>();
    // Read as a whole for the first snapshot of the gradient: the checker would say that nothing wrote it.
    next[t] = 0.0;
    now[t] = x[i] * x[i];
    sync_threads();
    for _ in 0..rounds {
        next[t] = 0.5 * now[t] + x[i] * now[(t + 1) % THREADS];
        sync_threads();
        std::mem::swap(&mut now, &mut next);
    }
    out[i] = now[t];
}

fn arrays_that_are_exchanged(bench: &Bench) {
    let (x, weights) = (numbers(32, 1), numbers(32, 2));
    let mut dx = vec![BEFORE; 32];
    launch!(bench, smoothed::grad(&x, 3, &weights, &mut dx), 2, THREADS);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 32];
        launch!(bench, smoothed(&x[0], 3, &mut out), 2, THREADS);
        out
    };
    check(&[x], &weights, &forward, &[&dx]);
}

/// The largest elements, by a tree whose rounds overwrite what the slopes of the round before need, and a product beside it.
#[gpu_kernel(grad, block = (4, 2), fmad = false)]
pub fn largest(x: &[f64], rounds: usize, out: &mut [f64]) {
    let mut most = shared::<[f64; 8]>();
    let mut products = shared::<[[f64; 3]; 5]>();
    let t = thread_idx().y * 4 + thread_idx().x;
    let i = block_idx().x * 8 + t;
    for k in (t..15).step_by(8) {
        products[k / 3][k % 3] = x[k % 8] + 0.1 * k as f64;
    }
    most[t] = x[i];
    sync_threads();
    for _ in 0..rounds {
        let mut half = 4;
        while half > 0 {
            if t < half {
                most[t] = (most[t].max(most[t + half]) * most[t]).sin();
            }
            sync_threads();
            half /= 2;
        }
        let own = most[0] * x[i];
        if t < 5 {
            products[t][1] *= own;
            products[t][2] += products[t][0] * own;
        }
        sync_threads();
        most[t] += own * products[t % 5][t % 3];
        sync_threads();
    }
    out[i] = most[7 - t] * products[t % 5][1];
}

fn values_of_earlier_iterations(bench: &Bench) {
    for rounds in [0, 1, 2] {
        let (x, weights) = (numbers(16, 1), numbers(16, 2));
        let mut dx = vec![BEFORE; 16];
        launch!(bench, largest::grad(&x, rounds, &weights, &mut dx), 2, (4, 2));
        let forward = |x: &[Vec<f64>]| {
            let mut out = vec![0.0; 16];
            launch!(bench, largest(&x[0], rounds, &mut out), 2, (4, 2));
            out
        };
        check(&[x], &weights, &forward, &[&dx]);
    }
}

#[gpu_kernel(grad, fmad = false)]
pub fn in_variables(x: &[f64], w: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i >= out.len() {
        return;
    }
    let mut sums = [0.0; 3];
    let mut turned = [[x[i], 1.0], [x[(i + 1) % 10] * 2.0, w[0]]];
    let places = [2usize, 0, 1];
    for k in 0..w.len() {
        let at = places[k % 3];
        sums[at] += w[k] * x[i];
        turned[k % 2][1] *= sums[k % 3] + 0.5;
        if turned[1][1] > 1.5 {
            turned[1][0] = turned[0][1] - turned[1][1];
            turned[1][1] = 0.25 * w[k];
        }
    }
    let mut product = 1.0;
    for sum in &sums {
        product *= sum + 1.0;
    }
    out[i] = product * turned[0][0] + turned[0][1] * turned[1][0] + turned[1][1] * sums.len() as f64;
}

fn arrays_in_variables(bench: &Bench) {
    let (x, w, weights) = (numbers(10, 1), numbers(7, 3), numbers(10, 2));
    let (mut dx, mut dw) = (vec![BEFORE; 10], vec![BEFORE; 7]);
    launch!(bench, in_variables::grad(&x, &w, &weights, &mut dx, &mut dw), 1, 16);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 10];
        launch!(bench, in_variables(&x[0], &x[1], &mut out), 1, 16);
        out
    };
    check(&[x, w], &weights, &forward, &[&dx, &dw]);
}
