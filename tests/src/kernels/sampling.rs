//! Estimates from random numbers, and generators with a state for each thread of a volume.

use gpu_runtime::prelude::*;
use gpu_runtime::rng::{random_uniform_f64, xoroshiro_uniform_f32, xoroshiro_uniform_f64, xoroshiro128p_states, xoroshiro128p_uniform_f32};

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![an_integral_of_a_reciprocal, a_quarter_of_a_disc, states_fill_a_volume];

/// Each thread's mean of `(to - from) / x`, with `x` uniform between the two.
#[gpu_kernel]
pub fn integrate_reciprocal(states: &mut [u64], samples: u32, from: f64, to: f64, means: &mut [f64]) {
    let i = grid_1d();
    if i >= means.len() {
        return;
    }
    let (mut s0, mut s1) = (states[2 * i], states[2 * i + 1]);
    let mut sum = 0.0;
    for _ in 0..samples {
        let uniform: f64;
        (uniform, s0, s1) = xoroshiro_uniform_f64(s0, s1);
        sum += (from + (to - from) * uniform).recip();
    }
    (states[2 * i], states[2 * i + 1]) = (s0, s1);
    means[i] = (to - from) * sum / samples as f64;
}

/// ∫ 1/x from 1 to 2 is the logarithm of 2. The estimate is held to five deviations of its mean, and so is its spread among the threads.
fn an_integral_of_a_reciprocal(bench: &Bench) {
    let (threads, samples) = (100, 500);
    let mut states = xoroshiro128p_states(threads, 5, 0);
    let untouched = states.clone();
    let mut means = vec![0.0; threads];
    launch!(bench, integrate_reciprocal(&mut states, samples, 1.0, 2.0, &mut means), 2, 64);
    let truth = std::f64::consts::LN_2;
    let variance = (0.5 - truth * truth) / f64::from(samples);
    let mean = means.iter().sum::<f64>() / threads as f64;
    assert!((mean - truth).abs() < 5.0 * (variance / threads as f64).sqrt(), "{mean}");
    let spread = means.iter().map(|mean| (mean - truth).powi(2)).sum::<f64>() / threads as f64;
    assert!((0.4..2.0).contains(&(spread / variance)), "the variance is {spread}, not {variance}");
    assert!(states.iter().zip(&untouched).all(|(after, before)| after != before), "every state has moved on");
}

/// How many of a thread's points of the unit square lie within the unit circle, one count for each of two generators.
#[gpu_kernel]
pub fn hits(states: &mut [u64], seed: u64, samples: u32, counts: &mut [[u32; 2]]) {
    let i = grid_1d();
    if i < counts.len() {
        let mut count = [0u32; 2];
        let mut state = (states[2 * i], states[2 * i + 1]);
        for sample in 0..samples {
            let (x, s0, s1): (f32, u64, u64) = xoroshiro_uniform_f32(state.0, state.1);
            let (y, s0, s1): (f32, u64, u64) = xoroshiro_uniform_f32(s0, s1);
            state = (s0, s1);
            count[0] += (x * x + y * y < 1.0) as u32;
            let index = 2 * sample as u64;
            let x: f64 = random_uniform_f64(seed, i as u32, index);
            let y: f64 = random_uniform_f64(seed, i as u32, index + 1);
            if x.hypot(y) < 1.0 {
                count[1] += 1;
            }
        }
        counts[i] = count;
        states[2 * i] = state.0;
        states[2 * i + 1] = state.1;
    }
}

fn a_quarter_of_a_disc(bench: &Bench) {
    let (threads, samples) = (70, 500);
    let mut states = xoroshiro128p_states(threads, 99, 0);
    let mut counts = vec![[0; 2]; threads];
    launch!(bench, hits(&mut states, 0xd15c, samples, &mut counts), 3, 32);
    let points = threads as f64 * f64::from(samples);
    let quarter = std::f64::consts::FRAC_PI_4;
    for generator in 0..2 {
        let share = counts.iter().map(|count| f64::from(count[generator])).sum::<f64>() / points;
        let deviation = (quarter * (1.0 - quarter) / points).sqrt();
        assert!((share - quarter).abs() < 4.0 * deviation, "generator {generator}: {}", 4.0 * share);
    }
}

/// A volume that is larger than the grid: each thread strides along all three axes, with one generator for all of its elements.
#[gpu_kernel]
pub fn fill_volume(states: &mut [u64], out: ViewMut<f32, 3>) {
    let (x, y, z) = grid_3d();
    let (grid, block) = (grid_dim(), block_dim());
    let (wide, high, deep) = (grid.x * block.x, grid.y * block.y, grid.z * block.z);
    let thread = (z * high + y) * wide + x;
    let [layers, rows, columns] = out.shape();
    let mut layer = z;
    while layer < layers {
        for row in (y..rows).step_by(high) {
            for column in (x..columns).step_by(wide) {
                out[[layer, row, column]] = xoroshiro128p_uniform_f32(states, thread);
            }
        }
        layer += deep;
    }
}

fn states_fill_a_volume(bench: &Bench) {
    use crate::bench::view_mut;
    let (wide, high, deep) = (8, 6, 2);
    let [layers, rows, columns] = [5, 9, 19];
    let mut states = xoroshiro128p_states(wide * high * deep, 3, 0);
    let mut expected_states = states.clone();
    let mut out = vec![-1.0; layers * rows * columns];
    launch!(bench, fill_volume(&mut states, view_mut(&mut out, [layers, rows, columns])), (2, 2, 1), (4, 3, 2));
    // In C order, each thread's elements come in the order of its draws.
    let expected: Vec<f32> = (0..out.len())
        .map(|at| {
            let (layer, row, column) = (at / (rows * columns), at / columns % rows, at % columns);
            let thread = (layer % deep * high + row % high) * wide + column % wide;
            xoroshiro128p_uniform_f32(&mut expected_states, thread)
        })
        .collect();
    assert_same(&out, &expected);
    assert_same(&states, &expected_states);
    assert!(out.iter().all(|x| (0.0..1.0).contains(x)));
}
