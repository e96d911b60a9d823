//! What a kernel costs on the CPU over the plain loop that one would write instead, and what a warp function costs.
//!
//! A kernel runs on all cores and the loop on one. `RAYON_NUM_THREADS=1` compares one core with one core.

use std::hint::black_box;
use std::process::ExitCode;

use gpu_benches::measure::{Sample, alternate, seconds};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, cores, cpu_benchmark};
use gpu_runtime::prelude::*;

/// Far more than caches hold.
const LARGE: usize = 10_000_000;
/// Three arrays of this fit into the second-level cache.
const SMALL: usize = 40_000;
/// The length of a row of a large matrix.
const ROW: usize = 2000;
/// Launches of a small one in a round.
const LAUNCHES: usize = 200;
/// Of the kernels with warp functions, and how often each thread calls those.
const THREADS: usize = 1 << 16;
const ROUNDS: u32 = 20;
const WARP: usize = 32;

#[gpu_kernel]
fn add(a: &[f32], b: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a[i] + b[i];
    }
}

fn add_in_a_loop(a: &[f32], b: &[f32], out: &mut [f32]) {
    for i in 0..out.len() {
        out[i] = a[i] + b[i];
    }
}

/// The values of a polynomial, and their distances from 1: arithmetic, and an early return.
#[gpu_kernel]
fn distance(x: &[f32], y: &mut [f32], n: usize) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i >= n {
        return;
    }
    let x = x[i];
    y[i] = (((0.25 * x - 0.5) * x + 0.125) * x - 1.0).abs();
}

fn distance_in_a_loop(x: &[f32], y: &mut [f32]) {
    for (x, y) in x.iter().zip(y) {
        *y = (((0.25 * x - 0.5) * x + 0.125) * x - 1.0).abs();
    }
}

/// A matrix, each row shifted by its own number: two dimensions.
#[gpu_kernel]
fn shift_rows(by: &[i32], matrix: ViewMut<i32, 2>) {
    let (column, row) = grid_2d();
    if row < matrix.shape()[0] && column < matrix.shape()[1] {
        matrix[[row, column]] += by[row];
    }
}

fn shift_rows_in_loops(by: &[i32], matrix: &mut [i32]) {
    for (row, by) in matrix.chunks_mut(ROW).zip(by) {
        for element in row {
            *element = element.wrapping_add(*by);
        }
    }
}

/// Sums of warps by shuffles, 5 for each sum.
#[gpu_kernel]
fn warp_sums(rounds: u32, out: &mut [u32]) {
    let i = grid_1d();
    let mut sum = i as u32;
    for _ in 0..rounds {
        sum += warp_shuffle_down(sum, 16);
        sum += warp_shuffle_down(sum, 8);
        sum += warp_shuffle_down(sum, 4);
        sum += warp_shuffle_down(sum, 2);
        sum += warp_shuffle_down(sum, 1);
    }
    if i < out.len() {
        out[i] = sum;
    }
}

/// The same in plain loops, on one core.
fn warp_sums_by_hand(rounds: u32, out: &mut [u32]) {
    for (warp, out) in out.chunks_exact_mut(WARP).enumerate() {
        let mut sums: [u32; WARP] = std::array::from_fn(|lane| (warp * WARP + lane) as u32);
        for _ in 0..rounds {
            for distance in [16, 8, 4, 2, 1] {
                let before = sums;
                for (lane, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.wrapping_add(before[if lane + distance < WARP { lane + distance } else { lane }]);
                }
            }
        }
        out.copy_from_slice(&sums);
    }
}

/// By the functions that reduce and vote, 3 in a round.
#[gpu_kernel]
fn warp_votes(rounds: u32, out: &mut [u32]) {
    let i = grid_1d();
    let mut sum = i as u32;
    for _ in 0..rounds {
        sum += warp_sum(sum) + warp_ballot(sum % 3 == 0);
        sync_warp();
    }
    if i < out.len() {
        out[i] = sum;
    }
}

fn warp_votes_by_hand(rounds: u32, out: &mut [u32]) {
    for (warp, out) in out.chunks_exact_mut(WARP).enumerate() {
        let mut sums: [u32; WARP] = std::array::from_fn(|lane| (warp * WARP + lane) as u32);
        for _ in 0..rounds {
            let sum = sums.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
            let ballot = sums.iter().enumerate().fold(0, |ballot, (lane, value)| ballot | u32::from(value % 3 == 0) << lane);
            sums.iter_mut().for_each(|value| *value = value.wrapping_add(sum.wrapping_add(ballot)));
        }
        out.copy_from_slice(&sums);
    }
}

fn main() -> ExitCode {
    cpu_benchmark("cpu_twins", run)
}

fn run(report: &mut Report) -> Result<()> {
    let device = Device::cpu();
    for (n, launches) in [(LARGE, 1), (SMALL, LAUNCHES)] {
        let (a, b) = (numbers(n, 1000), numbers(n, 7));
        let (mut out, mut hand_out) = (device.zeros::<f32>(n)?, vec![1.0; n]);
        let (a_there, b_there) = (device.to_device(&a)?, device.to_device(&b)?);
        compare(
            report,
            format!("a + b, {n} f32"),
            launches,
            || Ok(add(&a_there, &b_there, &mut out).forall(n)?),
            || add_in_a_loop(black_box(&a), black_box(&b), &mut hand_out),
        )?;
        check(out.to_host()? == hand_out, "our sums")?;
        compare(
            report,
            format!("polynomial, {n} f32"),
            launches,
            || Ok(distance(&a_there, &mut out, n).launch(n.div_ceil(128), 128)?),
            || distance_in_a_loop(black_box(&a), &mut hand_out),
        )?;
        check(out.to_host()? == hand_out, "our distances")?;
    }
    let rows = LARGE / ROW;
    let by: Vec<i32> = (0..rows).map(|row| row as i32).collect();
    let (by_there, mut matrix, mut hand_matrix) = (device.to_device(&by)?, device.zeros::<i32>([rows, ROW])?, vec![0; LARGE]);
    compare(
        report,
        format!("matrix + column, {LARGE} i32"),
        1,
        || Ok(shift_rows(&by_there, &mut matrix).launch((ROW.div_ceil(64), rows.div_ceil(4)), (64, 4))?),
        || shift_rows_in_loops(black_box(&by), &mut hand_matrix),
    )?;
    check(matrix.to_host()? == hand_matrix, "our shifted rows")?;

    let mut out = device.zeros::<u32>(THREADS)?;
    let mut hand_out = vec![0; THREADS];
    let sums = alternate(
        || seconds(|| Ok(warp_sums(ROUNDS, &mut out).launch(THREADS / 256, 256)?)),
        || {
            seconds(|| {
                warp_sums_by_hand(black_box(ROUNDS), &mut hand_out);
                Ok(())
            })
        },
    )?;
    check(out.to_host()? == hand_out, "our sums of warps")?;
    report.add(per_operation("warp_shuffle_down", 5, sums));
    let votes = alternate(
        || seconds(|| Ok(warp_votes(ROUNDS, &mut out).launch(THREADS / 256, 256)?)),
        || {
            seconds(|| {
                warp_votes_by_hand(black_box(ROUNDS), &mut hand_out);
                Ok(())
            })
        },
    )?;
    check(out.to_host()? == hand_out, "our votes of warps")?;
    report.add(per_operation("warp_sum, warp_ballot, sync_warp", 3, votes));
    Ok(())
}

/// Nanoseconds of a core for each thread and warp function.
fn per_operation(case: &str, operations: u32, (ours, by_hand): (Sample, Sample)) -> Figure {
    let operations = THREADS as f64 * f64::from(ROUNDS * operations);
    Figure {
        case: case.to_owned(),
        unit: "ns",
        better: Better::Less,
        ours: ours.map(|seconds| seconds * 1e9 * cores() as f64 / operations),
        reference: ("plain loops", by_hand.map(|seconds| seconds * 1e9 / operations)),
        limit: None,
        target: Some(Target::Value(10.0)),
    }
}

fn numbers(n: usize, period: usize) -> Vec<f32> {
    (0..n).map(|i| (i % period) as f32 * 0.5).collect()
}

fn compare(
    report: &mut Report,
    case: String,
    launches: usize,
    mut ours: impl FnMut() -> Result<()>,
    mut by_hand: impl FnMut(),
) -> Result<()> {
    let (ours, by_hand) = alternate(
        || seconds(|| (0..launches).try_for_each(|_| ours())),
        || {
            seconds(|| {
                (0..launches).for_each(|_| by_hand());
                Ok(())
            })
        },
    )?;
    let microseconds = |seconds| seconds * 1e6 / launches as f64;
    report.add(Figure {
        case,
        unit: "µs",
        better: Better::Less,
        ours: ours.map(microseconds),
        reference: ("a plain loop", by_hand.map(microseconds)),
        limit: None,
        target: Some(Target::Ratio(1.0)),
    });
    Ok(())
}
