//! Gradients of kernels with loops, in which order they go and what they begin with.

use gpu_runtime::block::{block_max, block_sum};
use gpu_runtime::gradient::stop_gradient;
use gpu_runtime::prelude::*;

use super::adjoints::{BEFORE, check, numbers};
use crate::bench::Bench;
use crate::{cases, launch};

cases![
    recurrences_go_backward,
    loops_over_conditions,
    what_is_carried_keeps_the_order,
    iterations_begin_with_the_values_of_the_one_before,
    ranges_of_all_kinds_go_backward,
    sums_of_threads_go_back_to_all_of_them,
    loops_that_are_left_go_back_from_there,
];

/// A filter, whose slopes need none of its own values, and a sum that decides and is not differentiated where it does.
#[gpu_kernel(grad, fmad = false)]
pub fn filter(x: &[f64], decay: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let mut v = x[i];
        for j in 0..x.len() {
            let own = x[j] * x[j];
            v = decay[j] * 2.0 - v * 0.5 + own;
        }
        let mut last = 0.0;
        let (mut sum, mut position) = (0.0, 0);
        for j in (0..x.len()).rev() {
            last = x[j] * 2.0;
        }
        while position < x.len() {
            sum += x[position] * decay[position];
            position += 2;
        }
        out[i] = v * x[i] + last * last + sum;
    }
}

fn recurrences_go_backward(bench: &Bench) {
    let (x, decay, weights) = (numbers(6, 1), numbers(6, 3), numbers(6, 2));
    let [mut dx, mut ddecay] = [(); 2].map(|()| vec![BEFORE; 6]);
    launch!(bench, filter::grad(&x, &decay, &weights, &mut dx, &mut ddecay), 1, 8);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![7.0; 6];
        launch!(bench, filter(&x[0], &x[1], &mut out), 1, 8);
        out
    };
    check(&[x, decay], &weights, &forward, &[&dx, &ddecay]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn conditions(x: &[f64], w: &[f64], out: &mut [f64]) {
    let mut steps = 3;
    for i in grid_stride(out.len()) {
        let (mut sum, mut count) = (0.0, 0.0);
        for (k, pair) in (0..w.len()).step_by(2).enumerate() {
            sum += w[pair] * x[i];
            if sum > 1.5 {
                count += x[i] * x[k];
                steps += 1;
            }
            for j in 0..=k {
                let product = w[j] * x[pair];
                if product < 0.6 {
                    continue;
                }
                sum += product * (steps - 3) as f64;
            }
        }
        out[i] = sum * count + sum;
        steps = 3;
    }
}

fn loops_over_conditions(bench: &Bench) {
    let (x, w, weights) = (numbers(9, 1), numbers(7, 3), numbers(9, 2));
    let (mut dx, mut dw) = (vec![BEFORE; 9], vec![BEFORE; 7]);
    launch!(bench, conditions::grad(&x, &w, &weights, &mut dx, &mut dw), 1, 4);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![7.0; 9];
        launch!(bench, conditions(&x[0], &x[1], &mut out), 1, 4);
        out
    };
    check(&[x, w], &weights, &forward, &[&dx, &dw]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn alternating(w: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let (mut sign, mut sum, mut skipped) = (1.0, 0.0, 0);
        for k in 0..w.len() {
            sign = -sign;
            skipped += 3;
            if skipped % 9 == 0 {
                continue;
            }
            sum += sign * w[k];
        }
        out[i] = sum;
    }
}

fn what_is_carried_keeps_the_order(bench: &Bench) {
    let (w, weights) = (numbers(7, 1), numbers(12, 2));
    let mut dw = vec![BEFORE; 7];
    launch!(bench, alternating::grad(&w, &weights, &mut dw), 1, 16);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![0.0; 12];
        launch!(bench, alternating(&x[0], &mut out), 1, 16);
        out
    };
    check(&[w], &weights, &forward, &[&dw]);
}

/// A logistic map, which needs each of its values, and a sum of its values that needs the sum. Longer than the square of the number of snapshots.
#[gpu_kernel(grad, fmad = false)]
pub fn logistic(x: &[f64], rate: &[f64], rounds: usize, out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let (mut p, mut sum) = (x[i], 0.0);
        for k in 0..rounds {
            if k % 7 == 6 {
                continue;
            }
            let r = rate[k % rate.len()];
            p = r * p * (1.0 - p);
            let mut inner = p;
            for _ in 0..k % 3 {
                inner = inner.sin() * p;
            }
            sum = sum * 0.99 + inner * sum.cos();
        }
        out[i] = p * sum;
    }
}

fn iterations_begin_with_the_values_of_the_one_before(bench: &Bench) {
    for rounds in [0, 1, 5, 33, 70, 1500] {
        let x: Vec<f64> = numbers(4, 1).iter().map(|x| 0.5 * x).collect();
        let rate: Vec<f64> = numbers(3, 2).iter().map(|x| 1.0 + x).collect();
        let weights = numbers(4, 3);
        let (mut dx, mut drate) = (vec![BEFORE; 4], vec![BEFORE; 3]);
        launch!(bench, logistic::grad(&x, &rate, rounds, &weights, &mut dx, &mut drate), 1, 8);
        let forward = |x: &[Vec<f64>]| {
            let mut out = vec![7.0; 4];
            launch!(bench, logistic(&x[0], &x[1], rounds, &mut out), 1, 8);
            out
        };
        check(&[x, rate], &weights, &forward, &[&dx, &drate]);
    }
}

#[gpu_kernel(grad, fmad = false)]
pub fn ranges(x: &[f64], n: i32, out: &mut [f64]) {
    let mut p = 1.0;
    for i in grid_stride(out.len()) {
        p = p * 0.5 + x[i];
        let mut q = p;
        for k in -2..=n {
            q = (q * (x[(k + 2) as usize] + k as f64 * 0.1)).sin();
        }
        for k in (0..x.len()).rev().step_by(3) {
            q = (q * x[k] + p).cos();
        }
        for k in (0..200u8).rev().step_by(67) {
            q = (q * x[k as usize % x.len()]).sin();
        }
        for k in (-100..100i8).rev().step_by(70) {
            q = q * q + x[(k as i32 + 100) as usize % x.len()];
        }
        let mut at = 1;
        while at < x.len() {
            q = q.cos() * x[at];
            out[i] = q;
            out[i] = q * x[at];
            at *= 2;
        }
    }
}

fn ranges_of_all_kinds_go_backward(bench: &Bench) {
    let (x, weights) = (numbers(9, 1), numbers(9, 2));
    let (mut dx, mut dout) = (vec![BEFORE; 9], weights.clone());
    launch!(bench, ranges::grad(&x, 4, &mut dout, &mut dx), 1, 4);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![7.0; 9];
        launch!(bench, ranges(&x[0], 4, &mut out), 1, 4);
        out
    };
    check(&[x], &weights, &forward, &[&dx]);
}

#[gpu_kernel(grad, fmad = false, block = 64)]
pub fn normalized(x: &[f64], w: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    let value = if i < x.len() { x[i] } else { 0.0 };
    let mean = block_sum(value).await / 64.0;
    let centred = value - mean;
    let variance = warp_sum(centred * centred) / 32.0;
    // Of all threads of the warp in the same iteration.
    let mut product = 0.0;
    for k in 0..w.len() {
        product = product * 0.5 + warp_sum(value * w[k]) * w[k] + product * product * 0.01;
    }
    let highest = stop_gradient(block_max(value).await);
    if i < out.len() {
        out[i] = centred / (variance + 0.1).sqrt() * product + (value - highest).exp();
    }
}

fn sums_of_threads_go_back_to_all_of_them(bench: &Bench) {
    let mut x = numbers(120, 1);
    (x[5], x[69]) = (2.0, 2.0);
    let (w, weights) = (numbers(3, 2), numbers(120, 3));
    let (mut dx, mut dw) = (vec![BEFORE; 120], vec![BEFORE; 3]);
    launch!(bench, normalized::grad(&x, &w, &weights, &mut dx, &mut dw), 2, 64);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![7.0; 120];
        launch!(bench, normalized(&x[0], &x[1], &mut out), 2, 64);
        out
    };
    // Differences see that the largest value, which counts as a constant, moves.
    for at in [5, 69] {
        let of_block = at / 64 * 64..120.min(at / 64 * 64 + 64);
        dx[at] -= of_block.map(|i| weights[i] * (x[i] - 2.0).exp()).sum::<f64>();
    }
    check(&[x, w], &weights, &forward, &[&dx, &dw]);
}

#[gpu_kernel(grad, fmad = false)]
pub fn leaving(x: &[f64], limit: f64, out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let (mut y, mut steps) = (x[i], 0);
        loop {
            y = y * y * 0.3 + x[steps % x.len()] * 0.4;
            steps += 1;
            if y > limit || steps > 40 {
                y *= 2.0;
                break;
            }
            y += 0.1 * x[i];
        }
        for k in (0..x.len()).rev() {
            if k == i {
                break;
            }
            y = y.sin() + x[k] * 0.5;
            if y > 1.7 {
                y *= x[0];
                break;
            }
            y *= x[k];
        }
        out[i] = y;
    }
}

fn loops_that_are_left_go_back_from_there(bench: &Bench) {
    let (x, weights) = (numbers(9, 1), numbers(9, 2));
    let (mut dx, mut dlimit) = (vec![BEFORE; 9], vec![BEFORE]);
    launch!(bench, leaving::grad(&x, 1.2, &weights, &mut dx, &mut dlimit), 1, 16);
    let forward = |x: &[Vec<f64>]| {
        let mut out = vec![7.0; 9];
        launch!(bench, leaving(&x[0], 1.2, &mut out), 1, 16);
        out
    };
    assert_eq!(dlimit, [BEFORE]);
    check(&[x], &weights, &forward, &[&dx]);
}
