//! A sparse matrix of 1 Mi rows by a vector, 32 elements in each row on average: a thread for each row, and a warp for each row.

use gpu_benches::by_hand::Arguments;
use gpu_benches::{Result, check, close};
use gpu_runtime::prelude::*;

use gpu_benches::beside::{ByHand, Gpu, noise};
use gpu_benches::report::Report;

const ROWS: usize = 1 << 20;
const BLOCK: usize = 256;
/// The elements of a row are at most this far from the diagonal, as in a matrix from a mesh.
const REACH: u32 = 1000;

#[gpu_kernel]
fn by_thread(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = grid_1d();
    if row < y.len() {
        let mut sum = 0.0;
        for k in starts[row] as usize..starts[row + 1] as usize {
            sum += values[k] * x[columns[k] as usize];
        }
        y[row] = sum;
    }
}

#[gpu_kernel(block = BLOCK)]
fn by_warp(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let (row, lane) = (grid_1d() / 32, grid_1d() % 32);
    if row < y.len() {
        let mut sum = 0.0;
        for k in (starts[row] as usize + lane..starts[row + 1] as usize).step_by(32) {
            sum += values[k] * x[columns[k] as usize];
        }
        let sum = warp_sum(sum);
        if lane == 0 {
            y[row] = sum;
        }
    }
}

/// By rows: where each begins, the column of each element, and the element.
struct Matrix {
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl Matrix {
    fn new() -> Self {
        let mut random = noise(4);
        let mut matrix = Self { starts: vec![0], columns: Vec::new(), values: Vec::new() };
        for row in 0..ROWS as u32 {
            let count = 16 + random() % 33;
            let first = row.saturating_sub(REACH).min(ROWS as u32 - 2 * REACH);
            let mut columns: Vec<u32> = (0..count).map(|_| first + random() % (2 * REACH)).collect();
            columns.sort_unstable();
            matrix.columns.extend(columns);
            matrix.values.extend((0..count).map(|_| (random() % 1000) as f32 / 1000.0));
            matrix.starts.push(matrix.columns.len() as u32);
        }
        matrix
    }

    /// The product of one row and `x`.
    fn row(&self, row: usize, x: &[f32]) -> f64 {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        range.map(|k| f64::from(self.values[k]) * f64::from(x[self.columns[k] as usize])).sum()
    }
}

pub(crate) fn run(gpu: &Gpu<'_>, report: &mut Report) -> Result<()> {
    let matrix = Matrix::new();
    let mut random = noise(5);
    let host_x: Vec<f32> = (0..ROWS).map(|_| (random() % 1000) as f32 / 1000.0).collect();
    let (starts, columns) = (gpu.device.to_device(&matrix.starts)?, gpu.device.to_device(&matrix.columns)?);
    let (values, x) = (gpu.device.to_device(&matrix.values)?, gpu.device.to_device(&host_x)?);
    let mut y = gpu.device.zeros::<f32>(ROWS)?;

    let (hand_starts, hand_columns) = (gpu.cuda.upload(&matrix.starts)?, gpu.cuda.upload(&matrix.columns)?);
    let (hand_values, hand_x, hand_y) = (gpu.cuda.upload(&matrix.values)?, gpu.cuda.upload(&host_x)?, gpu.cuda.zeros::<f32>(ROWS)?);
    let addresses = [hand_starts.address(), hand_columns.address(), hand_values.address(), hand_x.address(), hand_y.address()];
    let arguments = || Arguments::new(&[addresses.as_slice(), &[ROWS as u64]].concat());
    let is_right = |y: &[f32]| (0..ROWS).step_by(97).all(|row| close(f64::from(y[row]), matrix.row(row, &host_x), 1e-4));
    let check_both = |y: &DeviceArray<f32>| {
        let mut hand_result = vec![0.0; ROWS];
        gpu.cuda.download(&hand_y, 0, &mut hand_result)?;
        check(is_right(&hand_result), "the product by hand")?;
        check(is_right(&y.to_host()?), "our product")
    };

    let (thread_grid, warp_grid) = (ROWS / BLOCK, ROWS * 32 / BLOCK);
    let mut thread_by_hand = ByHand {
        kernel: gpu.cuda.compile(include_str!("sparse.cu"), "by_thread")?,
        grid: [thread_grid as u32, 1],
        block: [BLOCK as u32, 1],
        arguments: arguments(),
    };
    report.add(gpu.compare(
        "sparse, row by thread",
        20,
        0.94,
        || Ok(by_thread(&starts, &columns, &values, &x, &mut y).launch(thread_grid, BLOCK)?),
        || gpu.launch(&mut thread_by_hand),
    )?);
    check_both(&y)?;

    let mut warp_by_hand = ByHand {
        kernel: gpu.cuda.compile(include_str!("sparse.cu"), "by_warp")?,
        grid: [warp_grid as u32, 1],
        block: [BLOCK as u32, 1],
        arguments: arguments(),
    };
    report.add(gpu.compare(
        "sparse, row by warp",
        20,
        0.98,
        || {
            // SAFETY: the first lane of each warp writes the warp's own row.
            unsafe { by_warp(&starts, &columns, &values, &x, &mut y).launch_unchecked(warp_grid, BLOCK)? };
            Ok(())
        },
        || gpu.launch(&mut warp_by_hand),
    )?);
    check_both(&y)
}
