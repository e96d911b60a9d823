//! A separable convolution of radius 8, rows and then columns of 8192 × 8192 `f32`, in tiles with halos in shared memory.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const SIDE: usize = 8192;
const RADIUS: usize = 8;
/// The outputs of a thread.
const RESULTS: usize = 8;
/// The outputs of a block's width, or height, on each side that only feed their neighbours.
const HALO: usize = 1;
const ROWS_X: usize = 16;
const ROWS_Y: usize = 4;
const COLUMNS_X: usize = 16;
const COLUMNS_Y: usize = 8;

#[gpu_kernel(block = (ROWS_X, ROWS_Y))]
fn rows(out: &mut [f32], image: &[f32], weights: &[f32], width: usize) {
    let mut tile = shared::<[[f32; (RESULTS + 2 * HALO) * ROWS_X]; ROWS_Y]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let row = (block_idx().y * ROWS_Y + ty) * width;
    // The first of this thread's columns, behind the left halo.
    let first = block_idx().x * RESULTS * ROWS_X + tx;

    for i in 0..RESULTS {
        tile[ty][tx + (HALO + i) * ROWS_X] = image[row + first + i * ROWS_X];
    }
    for i in 0..HALO {
        let left = first + i * ROWS_X;
        tile[ty][tx + i * ROWS_X] = if left >= HALO * ROWS_X { image[row + left - HALO * ROWS_X] } else { 0.0 };
    }
    for i in HALO + RESULTS..HALO + RESULTS + HALO {
        let right = first + (i - HALO) * ROWS_X;
        tile[ty][tx + i * ROWS_X] = if right < width { image[row + right] } else { 0.0 };
    }
    sync_threads();

    for i in 0..RESULTS {
        let centre = tx + (HALO + i) * ROWS_X;
        let mut sum = 0.0;
        for j in 0..=2 * RADIUS {
            sum += weights[2 * RADIUS - j] * tile[ty][centre + j - RADIUS];
        }
        out[row + first + i * ROWS_X] = sum;
    }
}

#[gpu_kernel(block = (COLUMNS_X, COLUMNS_Y))]
pub(crate) fn columns(out: &mut [f32], image: &[f32], weights: &[f32], width: usize, height: usize) {
    let mut tile = shared::<[[f32; (RESULTS + 2 * HALO) * COLUMNS_Y + 1]; COLUMNS_X]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let column = block_idx().x * COLUMNS_X + tx;
    let first = block_idx().y * RESULTS * COLUMNS_Y + ty;

    for i in 0..RESULTS {
        tile[tx][ty + (HALO + i) * COLUMNS_Y] = image[(first + i * COLUMNS_Y) * width + column];
    }
    for i in 0..HALO {
        let upper = first + i * COLUMNS_Y;
        tile[tx][ty + i * COLUMNS_Y] = if upper >= HALO * COLUMNS_Y { image[(upper - HALO * COLUMNS_Y) * width + column] } else { 0.0 };
    }
    for i in HALO + RESULTS..HALO + RESULTS + HALO {
        let lower = first + (i - HALO) * COLUMNS_Y;
        tile[tx][ty + i * COLUMNS_Y] = if lower < height { image[lower * width + column] } else { 0.0 };
    }
    sync_threads();

    for i in 0..RESULTS {
        let centre = ty + (HALO + i) * COLUMNS_Y;
        let mut sum = 0.0;
        for j in 0..=2 * RADIUS {
            sum += weights[2 * RADIUS - j] * tile[tx][centre + j - RADIUS];
        }
        out[(first + i * COLUMNS_Y) * width + column] = sum;
    }
}

/// The convolution along lines of `SIDE` elements that are `step` apart, of the element at `at` of a line that begins at `start`.
fn expected(image: &[f32], weights: &[f32], start: usize, step: usize, at: usize) -> f32 {
    let taps = (0..=2 * RADIUS).filter(|j| (RADIUS..SIDE + RADIUS).contains(&(at + j)));
    taps.map(|j| weights[2 * RADIUS - j] * image[start + (at + j - RADIUS) * step]).sum()
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(6);
    let weights: Vec<f32> = (0..=2 * RADIUS).map(|_| (random() % 1000) as f32 / 1000.0).collect();
    let host: Vec<f32> = (0..SIDE * SIDE).map(|_| (random() % 1000) as f32 / 1000.0).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (image, device_weights) = (device.to_device(&host)?, device.to_device(&weights)?);
    let mut out = device.zeros::<f32>(SIDE * SIDE)?;
    let (hand_image, hand_weights, hand_out) = (cuda.upload(&host)?, cuda.upload(&weights)?, cuda.zeros::<f32>(SIDE * SIDE)?);
    let arguments = [hand_out.address(), hand_image.address(), hand_weights.address(), SIDE as u64, SIDE as u64];
    let mut by_hand = vec![0.0; SIDE * SIDE];
    let sample = || (0..SIDE * SIDE).step_by(9973);

    let grid = (SIDE / RESULTS / ROWS_X, SIDE / ROWS_Y);
    let (block, shape) = ([ROWS_X as u32, ROWS_Y as u32], [grid.0 as u32, grid.1 as u32]);
    let mut hand = programs.gpu.by_hand(include_str!("convolution.cu"), "rows", shape, block, &arguments)?;
    programs.compare(
        "convolution of rows",
        20,
        || rows(&mut out, &image, &device_weights, SIDE).launch(grid, (ROWS_X, ROWS_Y)),
        &mut hand,
    )?;
    cuda.download(&hand_out, 0, &mut by_hand)?;
    let found = out.to_host()?;
    check(all_close(&found, &by_hand, 1e-5), "the rows, ours or by hand")?;
    check(sample().all(|p| (found[p] - expected(&host, &weights, p / SIDE * SIDE, 1, p % SIDE)).abs() < 1e-4), "the rows")?;

    let grid = (SIDE / COLUMNS_X, SIDE / RESULTS / COLUMNS_Y);
    let (block, shape) = ([COLUMNS_X as u32, COLUMNS_Y as u32], [grid.0 as u32, grid.1 as u32]);
    let mut hand = programs.gpu.by_hand(include_str!("convolution.cu"), "columns", shape, block, &arguments)?;
    programs.compare(
        "convolution of columns",
        20,
        || columns(&mut out, &image, &device_weights, SIDE, SIDE).launch(grid, (COLUMNS_X, COLUMNS_Y)),
        &mut hand,
    )?;
    cuda.download(&hand_out, 0, &mut by_hand)?;
    let found = out.to_host()?;
    check(all_close(&found, &by_hand, 1e-5), "the columns, ours or by hand")?;
    check(sample().all(|p| (found[p] - expected(&host, &weights, p % SIDE, SIDE, p / SIDE)).abs() < 1e-4), "the columns")
}
