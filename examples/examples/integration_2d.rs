//! Integrates sin(x + y) over the squares [0, π]² and [0, π/2]², by the midpoint rule with n × n points. The exact values are 0, where
//! the halves cancel, and 2.
//!
//! A thread sums up one row of points, in `f64`, and keeps the sum as an `f32`. Then there are two versions: return the sum of every row,
//! or add up the rows of a block in shared memory and return one sum per block.
//!
//! ```sh
//! cargo run --release --example integration_2d -- --n 102400
//! ```

use std::f64::consts::PI;
use std::time::Instant;

use gpu_examples::{Arguments, Failure, Progress};
use gpu_runtime::prelude::*;

/// Threads in a block.
const THREADS: usize = 16;

/// The sum of sin(x + y) over the points of one row.
#[gpu_device]
fn row_sum(row: usize, n: usize, h: f64) -> f64 {
    let x = h * (row as f64 + 0.5);
    let mut sum = 0.0;
    for j in 0..n {
        sum += (x + h * (j as f64 + 0.5)).sin();
    }
    sum
}

/// One result per thread: `sums[t]` for the row `first + t`.
#[gpu_kernel(block = THREADS)]
fn sum_rows(first: usize, n: usize, h: f64, sums: &mut [f32]) {
    let t = grid_1d();
    if t < sums.len() {
        sums[t] = row_sum(first + t, n, h) as f32;
    }
}

/// One result per block: a tree of additions in shared memory, whose stride doubles from round to round.
#[gpu_kernel(block = THREADS)]
fn sum_blocks(first: usize, n: usize, h: f64, sums: &mut [f32]) {
    let mut partial = shared::<[f32; THREADS]>();
    let t = thread_idx().x;
    let row = first + grid_1d();
    partial[t] = if row < n { row_sum(row, n, h) as f32 } else { 0.0 };
    sync_threads();
    let mut stride = 1;
    while stride < THREADS {
        if t % (2 * stride) == 0 {
            partial[t] += partial[t + stride];
        }
        sync_threads();
        stride *= 2;
    }
    if t == 0 {
        sums[block_idx().x] = partial[0];
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Integrates sin(x + y) over [0, π]² and [0, π/2]² with n × n points each.", &["--n"]);
    let device = arguments.device()?;
    let n = arguments.number("--n").unwrap_or(if device.is_gpu() { 100 * 1024 } else { 100 * 80 });

    // Compiles the kernels, so that compiling is not timed.
    let mut nothing = device.zeros::<f32>(1)?;
    sum_rows(0, 0, 0.0, &mut nothing).launch(1, THREADS)?;
    sum_blocks(0, 0, 0.0, &mut nothing).launch(1, THREADS)?;
    device.synchronize()?;

    for (name, side, exact) in [("[0, π]²", PI, 0.0), ("[0, π/2]²", PI / 2.0, 2.0)] {
        println!("integrating sin(x + y) over {name} with {n} × {n} points on {device}");
        integrate(&device, n, side, exact)?;
    }
    Ok(())
}

/// The integral over a square with this side, in both versions.
fn integrate(device: &Device, n: usize, side: f64, exact: f64) -> Result<(), Failure> {
    let h = side / n as f64;
    let blocks = n.div_ceil(THREADS);
    // A GPU gets the whole grid at once. The CPU gets it in slices, so that the program can show its progress.
    let slice_blocks = if device.is_gpu() { blocks } else { blocks.div_ceil(100) };
    // The expected results of the threads, in closed form.
    let exact_row = |row: usize| {
        let x = h * (row as f64 + 0.5);
        (x.cos() - (x + side).cos()) / (2.0 * (0.5 * h).sin())
    };
    let exact_block = |block: usize| (block * THREADS..n.min((block + 1) * THREADS)).map(exact_row).sum();

    let start = Instant::now();
    let mut sums = device.zeros::<f32>(n)?;
    let mut progress = Progress::new(blocks, !device.is_gpu());
    for first in (0..blocks).step_by(slice_blocks) {
        let end = blocks.min(first + slice_blocks);
        let rows = first * THREADS..n.min(end * THREADS);
        sum_rows(rows.start, n, h, sums.slice_mut(rows)).launch(end - first, THREADS)?;
        progress.update(end);
    }
    let sums = sums.to_host()?;
    drop(progress);
    report("one result per thread", &sums, h, exact, start)?;
    check(&sums, h, 1, exact_row)?;

    let start = Instant::now();
    let mut sums = device.zeros::<f32>(blocks)?;
    let mut progress = Progress::new(blocks, !device.is_gpu());
    for first in (0..blocks).step_by(slice_blocks) {
        let end = blocks.min(first + slice_blocks);
        sum_blocks(first * THREADS, n, h, sums.slice_mut(first..end)).launch(end - first, THREADS)?;
        progress.update(end);
    }
    let sums = sums.to_host()?;
    drop(progress);
    report("one result per block", &sums, h, exact, start)?;
    check(&sums, h, THREADS, exact_block)
}

/// Adds up the results, prints the integral with its error and the time since `start`, and refuses a wrong one.
fn report(version: &str, sums: &[f32], h: f64, exact: f64, start: Instant) -> Result<(), Failure> {
    let integral = h * h * sums.iter().map(|sum| f64::from(*sum)).sum::<f64>();
    let (seconds, error) = (start.elapsed().as_secs_f64(), (integral - exact).abs());
    println!("{version}: {} results, integral = {integral:.9}, exactly {exact}, error = {error:.3e}, {seconds:.6} s", sums.len());
    if error < 1e-6 { Ok(()) } else { Err(format!("the integral is {integral}, not {exact}").into()) }
}

/// Compares each result, a sum over `rows` rows, with the closed form.
fn check(sums: &[f32], h: f64, rows: usize, exact: impl Fn(usize) -> f64) -> Result<(), Failure> {
    // Each row is rounded to an f32 once, and each of the additions that follow rounds again. No row's sum exceeds the first's.
    let largest = rows as f64 / (0.5 * h).sin();
    let tolerance = largest * f64::from(f32::EPSILON) * (1.0 + (rows as f64).log2());
    for (i, sum) in sums.iter().enumerate() {
        let exact = exact(i);
        if (f64::from(*sum) - exact).abs() > tolerance {
            return Err(format!("result {i} is {sum}, not {exact}").into());
        }
    }
    Ok(())
}
