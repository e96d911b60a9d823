//! Diffusion and flow: a grid point per thread, a launch per step or a barrier per step.

use std::f64::consts::PI;

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![a_rod_cools_step_by_step, a_rod_cools_in_one_block, a_plate_settles];

/// Points of the rod, both ends included: no multiple of a block.
const POINTS: usize = 1001;

/// An explicit step: each inner point moves towards the mean of its neighbours.
#[gpu_kernel(fmad = false)]
pub fn heat_step(before: &[f64], rate: f64, after: &mut [f64]) {
    let i = grid_1d();
    if i >= after.len() {
        return;
    }
    after[i] = match i {
        0 => before[0],
        i if i + 1 == before.len() => before[i],
        i => before[i] + rate * (before[i - 1] - 2.0 * before[i] + before[i + 1]),
    };
}

/// A half wave, which the discrete operator shrinks by the same factor in each step and leaves in shape.
fn half_wave(height: f64) -> Vec<f64> {
    (0..POINTS).map(|i| height * (PI * i as f64 / (POINTS - 1) as f64).sin()).collect()
}

fn factor(rate: f64) -> f64 {
    1.0 - 4.0 * rate * (PI / (2 * (POINTS - 1)) as f64).sin().powi(2)
}

fn assert_near(actual: &[f64], expected: &[f64], most: f64) {
    for (i, (actual, expected)) in actual.iter().zip(expected).enumerate() {
        assert!((actual - expected).abs() <= most, "point {i} is {actual}, not {expected}");
    }
}

fn a_rod_cools_step_by_step(bench: &Bench) {
    let (rate, steps) = (0.25, 40);
    let mut rod = half_wave(1.0);
    let mut next = vec![0.0; POINTS];
    // The ends keep what they have; what is linear between them does not move.
    for (i, point) in rod.iter_mut().enumerate() {
        *point += i as f64 / 500.0;
    }
    for _ in 0..steps {
        launch!(bench, heat_step(&rod, rate, &mut next), 8, 128);
        std::mem::swap(&mut rod, &mut next);
    }
    let mut expected = half_wave(factor(rate).powi(steps));
    for (i, point) in expected.iter_mut().enumerate() {
        *point += i as f64 / 500.0;
    }
    assert_near(&rod, &expected, 1e-12);
}

const THREADS: usize = 128;

/// All steps in one launch, with the rod in shared memory: a thread has each 128th point, in two copies that take turns.
#[gpu_kernel(block = THREADS)]
pub fn cool(rod: &mut [f64], rate: f64, steps: u32) {
    let mut heat = shared::<[[f64; POINTS]; 2]>();
    let t = thread_idx().x;
    for i in (t..POINTS).step_by(THREADS) {
        heat[0][i] = rod[i];
        heat[1][i] = rod[i];
    }
    let mut now = 0;
    for _ in 0..steps {
        sync_threads();
        let next = 1 - now;
        for i in (t..POINTS).step_by(THREADS) {
            if i > 0 && i < POINTS - 1 {
                heat[next][i] = heat[now][i] + rate * (heat[now][i - 1] - 2.0 * heat[now][i] + heat[now][i + 1]);
            }
        }
        now = next;
    }
    for i in (t..POINTS).step_by(THREADS) {
        rod[i] = heat[now][i];
    }
}

fn a_rod_cools_in_one_block(bench: &Bench) {
    let rate = 0.4;
    // A GPU does the whole of the classic problem.
    let steps = match bench {
        Bench::Device(device) if device.is_gpu() => 10_000,
        _ => 101,
    };
    let mut rod = half_wave(3.0);
    launch!(bench, cool(&mut rod, rate, steps), 1, THREADS as u32);
    assert_near(&rod, &half_wave(3.0 * factor(rate).powi(steps as i32)), 1e-10);
}

const SIDE: usize = 8;

/// Jacobi's iteration, with a tile and its halo in shared memory.
#[gpu_kernel(block = (SIDE, SIDE), fmad = false)]
pub fn jacobi(plate: &[f32], width: usize, height: usize, out: &mut [f32]) {
    let mut tile = shared::<[[f32; SIDE + 2]; SIDE + 2]>();
    let (x, y) = grid_2d();
    let (tx, ty) = (thread_idx().x + 1, thread_idx().y + 1);
    let inside = x < width && y < height;
    if inside {
        tile[ty][tx] = plate[y * width + x];
        if tx == 1 && x > 0 {
            tile[ty][0] = plate[y * width + x - 1];
        }
        if tx == SIDE && x + 1 < width {
            tile[ty][SIDE + 1] = plate[y * width + x + 1];
        }
        if ty == 1 && y > 0 {
            tile[0][tx] = plate[(y - 1) * width + x];
        }
        if ty == SIDE && y + 1 < height {
            tile[SIDE + 1][tx] = plate[(y + 1) * width + x];
        }
    }
    sync_threads();
    if inside {
        let edge = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
        out[y * width + x] =
            if edge { tile[ty][tx] } else { 0.25 * (tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1]) };
    }
}

/// The plate is compared with plain Rust bit for bit, and then, in the limit, with a harmonic function, which is the mean of its
/// neighbours everywhere.
fn a_plate_settles(bench: &Bench) {
    let (width, height) = (13, 11);
    let harmonic = |i: usize| {
        let (x, y) = ((i % width) as f32, (i / width) as f32);
        x * x - y * y + 0.5 * x * y - 3.0
    };
    let is_edge = |i: usize| i.is_multiple_of(width) || i % width == width - 1 || i < width || i >= width * (height - 1);
    let mut plate: Vec<f32> = (0..width * height).map(|i| if is_edge(i) { harmonic(i) } else { 0.0 }).collect();
    let mut next = plate.clone();
    for round in 0..260 {
        launch!(bench, jacobi(&plate, width, height, &mut next), (2, 2), (8, 8));
        if round < 5 {
            let expected = (0..plate.len())
                .map(|i| if is_edge(i) { plate[i] } else { 0.25 * (plate[i - width] + plate[i + width] + plate[i - 1] + plate[i + 1]) });
            assert_same(&next, &expected.collect::<Vec<_>>());
        }
        std::mem::swap(&mut plate, &mut next);
    }
    for (i, &heat) in plate.iter().enumerate() {
        assert!((heat - harmonic(i)).abs() < 1e-2, "point {i} is {heat}, not {}", harmonic(i));
    }
}
