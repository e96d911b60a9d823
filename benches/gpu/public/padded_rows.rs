//! A sparse matrix by a vector. All rows are filled up to one width, with columns of -1, and lie beside each other.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check, close};
use gpu_runtime::prelude::*;

use super::Programs;

const ROWS: usize = 1 << 20;
const WIDTH: usize = 24;
const BLOCK: usize = 256;

#[gpu_kernel]
pub(crate) fn multiply(values: &[f64], columns: &[i32], width: usize, x: &[f64], y: &mut [f64]) {
    let row = grid_1d();
    let rows = y.len();
    if row < rows {
        let mut sum = 0.0;
        for k in 0..width {
            let column = columns[k * rows + row];
            if column >= 0 {
                sum += values[k * rows + row] * x[column as usize];
            }
        }
        y[row] = sum;
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(43);
    let values: Vec<f64> = (0..ROWS * WIDTH).map(|_| f64::from(random() % 1000) / 1000.0).collect();
    let columns: Vec<i32> = (0..ROWS * WIDTH)
        .map(|at| match random() % 500 {
            ..50 => -1,
            distance => ((at % ROWS + distance as usize) % ROWS) as i32,
        })
        .collect();
    let x = &values[..ROWS];
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_values, device_columns, device_x) = (device.to_device(&values)?, device.to_device(&columns)?, device.to_device(x)?);
    let mut y = device.zeros::<f64>(ROWS)?;
    let (hand_values, hand_columns, hand_x, hand_y) =
        (cuda.upload(&values)?, cuda.upload(&columns)?, cuda.upload(x)?, cuda.zeros::<f64>(ROWS)?);
    let mut hand = programs.gpu.by_hand(
        include_str!("padded_rows.cu"),
        "multiply",
        [(ROWS / BLOCK) as u32, 1],
        [BLOCK as u32, 1],
        &[hand_values.address(), hand_columns.address(), WIDTH as u64, hand_x.address(), hand_y.address(), ROWS as u64],
    )?;
    let ours = || multiply(&device_values, &device_columns, WIDTH, &device_x, &mut y).launch(ROWS / BLOCK, BLOCK);
    programs.compare("padded sparse rows", 20, ours, &mut hand)?;
    let found = y.to_host()?;
    for row in (0..ROWS).step_by(997) {
        let places = (0..WIDTH).map(|k| k * ROWS + row).filter(|&at| columns[at] >= 0);
        let expected: f64 = places.map(|at| values[at] * x[columns[at] as usize]).sum();
        check(close(found[row], expected, 1e-12), "the product")?;
    }
    Ok(())
}
