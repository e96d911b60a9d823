//! Fourier transforms of 16,384 rows of 1024 complex `f32`, Stockham's form of radix 2 in shared memory.

use std::f64::consts::PI;

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const ROWS: usize = 16_384;
const POINTS: usize = 1024;
const THREADS: usize = POINTS / 2;

/// `twiddles[k]` is exp(-2πi k / POINTS): real part, imaginary part.
#[gpu_kernel(block = THREADS)]
fn transform(rows: &mut [[f32; 2]], twiddles: &[[f32; 2]]) {
    let mut row = shared::<[[f32; 2]; POINTS]>();
    let t = thread_idx().x;
    let first = block_idx().x * POINTS;
    row[t] = rows[first + t];
    row[t + THREADS] = rows[first + t + THREADS];
    let mut half = 1;
    while half < POINTS {
        sync_threads();
        let k = t & (half - 1);
        let w = twiddles[k * (THREADS / half)];
        let (a, b) = (row[t], row[t + THREADS]);
        let b = [b[0] * w[0] - b[1] * w[1], b[0] * w[1] + b[1] * w[0]];
        sync_threads();
        let to = 2 * (t - k) + k;
        row[to] = [a[0] + b[0], a[1] + b[1]];
        row[to + half] = [a[0] - b[0], a[1] - b[1]];
        half *= 2;
    }
    sync_threads();
    rows[first + t] = row[t];
    rows[first + t + THREADS] = row[t + THREADS];
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(21);
    let rows: Vec<[f32; 2]> = (0..ROWS * POINTS).map(|_| [0; 2].map(|_| (random() % 1000) as f32 / 1000.0)).collect();
    let angle = |k: usize| -2.0 * PI * k as f64 / POINTS as f64;
    let twiddles: Vec<[f32; 2]> = (0..THREADS).map(|k| [angle(k).cos() as f32, angle(k).sin() as f32]).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (mut ours, device_twiddles) = (device.to_device(&rows)?, device.to_device(&twiddles)?);
    let (hand_rows, hand_twiddles) = (cuda.upload(&rows)?, cuda.upload(&twiddles)?);
    let mut hand = programs.gpu.by_hand(
        include_str!("fft.cu"),
        "transform",
        [ROWS as u32, 1],
        [THREADS as u32, 1],
        &[hand_rows.address(), hand_twiddles.address()],
    )?;
    let mut by_hand = vec![[0.0; 2]; ROWS * POINTS];
    // One transform of each first: every further one transforms its own result, until nothing is a number.
    transform(&mut ours, &device_twiddles).launch(ROWS, THREADS)?;
    programs.gpu.launch(&mut hand)?;
    cuda.download(&hand_rows, 0, &mut by_hand)?;
    let found = ours.to_host()?;
    check(all_close(found.as_flattened(), by_hand.as_flattened(), 1e-4), "the transforms, ours or by hand")?;
    for row in (0..ROWS).step_by(1000) {
        let (points, found) = (&rows[row * POINTS..][..POINTS], &found[row * POINTS..][..POINTS]);
        for k in (0..POINTS).step_by(100) {
            let sum = points.iter().enumerate().fold([0.0; 2], |sum, (i, &[re, im])| {
                let (sin, cos) = angle(i * k % POINTS).sin_cos();
                let (re, im) = (f64::from(re), f64::from(im));
                [sum[0] + re * cos - im * sin, sum[1] + re * sin + im * cos]
            });
            check((0..2).all(|part| (f64::from(found[k][part]) - sum[part]).abs() < 1e-2), "the transforms")?;
        }
    }
    programs.compare("Fourier transform", 50, || transform(&mut ours, &device_twiddles).launch(ROWS, THREADS), &mut hand)
}
