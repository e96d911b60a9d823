//! A sparse matrix of 131,072 rows by a dense one of 64 columns, a thread for each element of the product.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check, close};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const ROWS: usize = 1 << 17;
const COLUMNS: usize = 64;
const BLOCK: (usize, usize) = (32, 8);

#[gpu_kernel]
pub(crate) fn product(starts: &[u32], indices: &[u32], values: &[f32], dense: &[f32], out: &mut [f32], rows: usize, columns: usize) {
    let (column, row) = grid_2d();
    if row < rows && column < columns {
        let mut sum = 0.0;
        for k in starts[row] as usize..starts[row + 1] as usize {
            sum += values[k] * dense[indices[k] as usize * columns + column];
        }
        out[row * columns + column] = sum;
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(23);
    let mut starts = vec![0u32];
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    for _ in 0..ROWS {
        for _ in 0..random() % 65 {
            indices.push(random() % ROWS as u32);
            values.push((random() % 1000) as f32 / 1000.0);
        }
        starts.push(indices.len() as u32);
    }
    let dense: Vec<f32> = (0..ROWS * COLUMNS).map(|_| (random() % 1000) as f32 / 1000.0).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_starts, device_indices) = (device.to_device(&starts)?, device.to_device(&indices)?);
    let (device_values, device_dense) = (device.to_device(&values)?, device.to_device(&dense)?);
    let mut out = device.zeros::<f32>(ROWS * COLUMNS)?;
    let (hand_starts, hand_indices) = (cuda.upload(&starts)?, cuda.upload(&indices)?);
    let (hand_values, hand_dense, hand_out) = (cuda.upload(&values)?, cuda.upload(&dense)?, cuda.zeros::<f32>(ROWS * COLUMNS)?);
    let grid = (COLUMNS / BLOCK.0, ROWS / BLOCK.1);
    let mut hand = programs.gpu.by_hand(
        include_str!("spmm.cu"),
        "product",
        [grid.0 as u32, grid.1 as u32],
        [BLOCK.0 as u32, BLOCK.1 as u32],
        &[
            hand_starts.address(),
            hand_indices.address(),
            hand_values.address(),
            hand_dense.address(),
            hand_out.address(),
            ROWS as u64,
            COLUMNS as u64,
        ],
    )?;
    programs.compare(
        "sparse by dense",
        20,
        || product(&device_starts, &device_indices, &device_values, &device_dense, &mut out, ROWS, COLUMNS).launch(grid, BLOCK),
        &mut hand,
    )?;
    let mut by_hand = vec![0.0; ROWS * COLUMNS];
    cuda.download(&hand_out, 0, &mut by_hand)?;
    let found = out.to_host()?;
    check(all_close(&found, &by_hand, 1e-5), "the product, ours or by hand")?;
    for at in (0..ROWS * COLUMNS).step_by(9973) {
        let (row, column) = (at / COLUMNS, at % COLUMNS);
        let range = starts[row] as usize..starts[row + 1] as usize;
        let sum: f64 = range.map(|k| f64::from(values[k]) * f64::from(dense[indices[k] as usize * COLUMNS + column])).sum();
        check(close(f64::from(found[at]), sum, 1e-4), "the product")?;
    }
    Ok(())
}
